"""One turn: may this person, what do they ask, run the agent, show it, record it.

`Turns.run` takes a lease to one of its ends: answered, stopped, kept for later, refused, or lost to
another worker. Neighbours: `worker` (who takes leases), `reply` (who shows), `harness.agent`.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import structlog

from bot.access import Access
from bot.endings import Endings
from bot.failures import SlackFailed
from bot.health import Metrics
from bot.locale import say
from bot.people import Person
from bot.projects import Projects
from bot.rooms import Rooms
from bot.threads import Threads
from bot.words import without_mention
from harness.agent import Agent, TurnWork
from harness.context import TurnInput, opening_message
from harness.errors import LeaseLost, ModelUnavailable, StoreUnavailable
from harness.events import TextStarted, TextStreamed, TurnFinished
from harness.journal import close_turn
from harness.models import Aside, Session
from storage.lease import FELL, MOST_FALLS, Finish, Lease
from storage.queue import Queue
from storage.sessions import SessionStore

if TYPE_CHECKING:
    from bot.reply import Reply

log = structlog.get_logger()

UNVERIFIED_SECONDS = 15.0


@dataclass(slots=True)
class Running:
    """A turn under way in this process, and what the outside wants of it."""

    lease: Lease
    task: asyncio.Task[TurnFinished] | None = None
    stopped: bool = False
    lost: bool = False
    shown: list[str] = field(default_factory=list[str])

    def stop(self) -> None:
        """End it now, because a person wants it."""
        self.stopped = True
        self._cancel()

    def lose(self) -> None:
        """End it in silence, because another worker holds the lease."""
        self.lost = True
        self._cancel()

    def _cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()


@dataclass(frozen=True, slots=True)
class Desk:
    """All that turns need, built once by the composition root."""

    queue: Queue
    sessions: SessionStore
    projects: Projects
    agent: Agent
    access: Access
    threads: Threads
    rooms: Rooms
    endings: Endings
    open_reply: Callable[[Running, Person], "Reply"]
    metrics: Metrics
    zone: str
    now: Callable[[], float]


class Turns:
    """Runs turns; holds no state of its own."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def run(self, running: Running) -> None:
        """Take a turn to its end. Raises `LeaseLost`, `StoreUnavailable`, or a bug."""
        lease = running.lease
        try:
            person, verdict = await self._desk.access.judge(lease.incoming.user)
        except LookupError as err:
            # Who cannot be verified does not get in; the message is kept until Slack answers.
            log.warning("person unknown", user=lease.incoming.user, error=str(err))
            await self._desk.queue.give_back(lease, UNVERIFIED_SECONDS)
            return
        if not verdict.allowed:
            log.info("refused", user=person.id, reason=verdict.reason)
            if verdict.notice:
                await self._desk.rooms.tell_refused(lease.session, person, verdict.notice)
            await self._desk.queue.drop(lease)
            return
        await self._answer(running, person)

    async def _answer(self, running: Running, person: Person) -> None:
        lease = running.lease
        reply = self._desk.open_reply(running, person)
        try:
            if lease.falls >= MOST_FALLS:
                await self._desk.endings.broke(lease, person, reply, FELL)
            else:
                await self._converse(running, person, reply)
        except ModelUnavailable as err:
            await self._desk.endings.model_unavailable(lease, person, reply, err)
        except SlackFailed as err:
            await self._desk.endings.undelivered(lease, person, err)
        except (LeaseLost, StoreUnavailable, asyncio.CancelledError):
            raise
        except Exception as err:
            name = type(err).__name__
            log.exception("turn failed", reference=lease.turn, error=name)
            await self._desk.endings.broke(lease, person, reply, f"It failed: {name}.")
        finally:
            await reply.close()

    async def _converse(self, running: Running, person: Person, reply: "Reply") -> None:
        lease, desk = running.lease, self._desk
        desk.rooms.unsee(lease)
        session = await desk.sessions.load(lease.session, lease.project)
        asides = await desk.queue.asides(lease.session, lease.project)
        project = await desk.projects.of(lease)
        work = TurnWork(
            session=session,
            input=await self._input(lease, session, person, asides),
            project=project,
            requester=lease.incoming.user,
            model=project.model,
        )
        running.task = asyncio.create_task(self._run_agent(running, work, reply))
        if running.stopped or running.lost:
            running.task.cancel()
        try:
            finished = await running.task
        except asyncio.CancelledError:
            finished = await self._ended_from_outside(running, work, person)
        await reply.finish(finished)
        await desk.queue.finish(lease, Finish(history=finished.messages, asides_read=len(asides)))
        self._count(lease, finished)

    async def _run_agent(self, running: Running, work: TurnWork, reply: "Reply") -> TurnFinished:
        finished: TurnFinished | None = None
        journal = self._desk.sessions.journal(running.lease)
        async with aclosing(self._desk.agent.run(work, journal)) as events:
            async for event in events:
                if isinstance(event, TextStarted):
                    running.shown.clear()
                elif isinstance(event, TextStreamed):
                    running.shown.append(event.text)
                if isinstance(event, TurnFinished):
                    finished = event
                else:
                    await reply.show(event)
        if finished is None:
            raise RuntimeError("the agent ended without TurnFinished")
        return finished

    async def _ended_from_outside(
        self, running: Running, work: TurnWork, person: Person
    ) -> TurnFinished:
        """Close a turn whose task was cancelled: by a stop, a lost lease, or our own shutdown."""
        if running.lost:
            raise LeaseLost
        if not running.stopped:
            raise asyncio.CancelledError
        journal = self._desk.sessions.journal(running.lease)
        note = say(person.locale, "stopped")
        return await close_turn(journal, opening_message(work.input), note, "".join(running.shown))

    async def _input(
        self, lease: Lease, session: Session, person: Person, asides: list[Aside]
    ) -> TurnInput:
        incoming, desk = lease.incoming, self._desk
        if session.turns:
            said = await desk.threads.asides(asides)
        elif incoming.id != lease.session.thread:
            said = await desk.threads.said_before(lease.session, incoming.id)
        else:
            said = ()
        zone = ZoneInfo(desk.zone)
        return TurnInput(
            who=person.name,
            text=await desk.threads.text(without_mention(incoming.text, desk.threads.me.user)),
            said_before=said,
            file_names=tuple(file.name for file in incoming.files),
            now=datetime.fromtimestamp(incoming.received_at, zone),
            zone=desk.zone,
        )

    def _count(self, lease: Lease, finished: TurnFinished) -> None:
        metrics = self._desk.metrics
        metrics.turns.labels(finished.outcome).inc()
        metrics.turn_seconds.observe(max(0.0, self._desk.now() - lease.incoming.received_at))
        metrics.tokens.labels("input").inc(finished.usage.input_tokens)
        metrics.tokens.labels("output").inc(finished.usage.output_tokens)
        log.info(
            "turn",
            outcome=finished.outcome,
            steps=finished.steps,
            input_tokens=finished.usage.input_tokens,
            cached_tokens=finished.usage.cached_tokens,
            output_tokens=finished.usage.output_tokens,
        )
