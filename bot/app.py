"""The composition root: builds everything from settings, top to bottom, and owns its lifetime.

Read this file to see what exists. With `bot/cli/` it is the only place that constructs stores.
"""

import asyncio
import os
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp
from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient

from bot import listeners
from bot.access import Access
from bot.delivery import Slack
from bot.endings import Endings
from bot.gateway.backfill import Backfill
from bot.gateway.heard import Heard
from bot.gateway.history import History
from bot.gateway.ingress import Gestures, Ingress
from bot.gateway.preflight import Ready, StartError, check_slack, tickets
from bot.gateway.socket_mode import SocketGateway
from bot.health import HealthServer, Metrics
from bot.lookups import Lookups
from bot.people import People, Person
from bot.projects import Projects
from bot.readiness import Readiness
from bot.reply import Reply, Target
from bot.rooms import NOTICE_SECONDS, Rooms
from bot.settings import REHEARSAL, ProcessRole, Settings
from bot.storekeeper import kept_alive
from bot.threads import Threads
from bot.turns import Desk, Running, Turns
from bot.worker import PROJECT_SLOTS, Worker
from harness.agent import Agent
from harness.chat.openai_chat import OpenAIChat
from harness.chat.rehearsal import Rehearsal
from harness.ports import ChatModel
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from storage.client import Store
from storage.dead_letters import DeadLetters
from storage.heard import HeardStore
from storage.heartbeat import Heartbeat
from storage.ledger import Ledger
from storage.notices import once
from storage.projects import ProjectStore
from storage.queue import Queue
from storage.server import embedded
from storage.sessions import SessionStore
from storage.workers import Registration

CONNECT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Ends:
    """What gateway and worker stand on: the store, Slack, and who we are there."""

    store: Store
    queue: Queue
    registration: Registration | None
    client: AsyncWebClient
    ready: Ready
    slack: Slack
    people: People
    access: Access
    threads: Threads
    rooms: Rooms


class App:
    """Deskmate as one process: `async with App(settings)` is a running bot.

    `role` says which half of it: the gateway receives and queues, the worker runs turns. `model`
    replaces the configured one. Raises `StartError` or `StoreUnavailable`, one sentence.
    """

    def __init__(
        self, settings: Settings, *, role: ProcessRole = "all", model: ChatModel | None = None
    ) -> None:
        self._settings = settings
        self._role = role
        self._model = model or _model_of(settings)
        self._stack = AsyncExitStack()
        self.metrics = Metrics()
        self.worker: Worker | None = None
        self.gateway: SocketGateway | None = None
        self.backfill: Backfill | None = None

    async def __aenter__(self) -> Self:
        async with self._stack as opened:
            await self._build(opened)
            self._stack = opened.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def connected(self) -> None:
        """Wait for the first socket, where there is to be one. Raises `StartError` in the end."""
        if self.gateway is None:
            return
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self.gateway.connected.wait()
        except TimeoutError:
            raise StartError("Slack opened no socket in time; see the log for why.") from None

    async def run_until(self, stop: asyncio.Event) -> None:
        """Run until told to stop; a loop of ours that ends is a bug, and ends the process."""
        loops = [asyncio.create_task(part.wait()) for part in (self.worker, self.backfill) if part]
        for loop in loops:
            loop.add_done_callback(lambda _: stop.set())
        await stop.wait()
        for loop in loops:
            if loop.done():
                loop.result()
            loop.cancel()
        await asyncio.gather(*loops, return_exceptions=True)

    async def _build(self, opened: AsyncExitStack) -> None:
        """Build from the ends inwards; what is opened here is closed in reverse order."""
        ends = await self._open_ends(opened)
        self.me = ends.ready.me
        if ends.registration is not None:
            self.worker = Worker(ends.queue, Turns(self._desk(ends)), ends.registration)
        if self._role != "worker":
            self._build_gateway(ends)
        readiness = Readiness(ends.queue, DeadLetters(ends.store), self.gateway, self.metrics)
        await self._serve_health(opened, readiness)
        if self.worker is not None:
            await self._start_worker(opened, ends, self.worker)
        if self.gateway is not None and self.backfill is not None:
            # Last: what the socket brings finds everything else at work.
            opened.push_async_callback(self.backfill.close)
            await self.backfill.start()
            opened.push_async_callback(self.gateway.close)
            await self.gateway.start()

    async def _open_ends(self, opened: AsyncExitStack) -> Ends:
        settings = self._settings
        http = await opened.enter_async_context(aiohttp.ClientSession())
        token = _secret(settings.slack_bot_token)
        client = AsyncWebClient(token, settings.slack_api_url, session=http)
        store, ready = await self._open_store(opened, client)
        registration = None
        if self._role != "gateway":
            registration = opened.enter_context(_register(settings.deskmate_home))
        worker = registration.worker if registration else "gateway"
        queue = Queue(
            store,
            worker=worker,
            lease_seconds=settings.deskmate_lease_seconds,
            project_slots=PROJECT_SLOTS,
        )
        slack = Slack(client, bot_user=ready.me.user)
        lookups = Lookups(slack)
        people = People(lookups.user, time.monotonic)
        if registration is not None:
            opened.push_async_callback(queue.leave)
        opened.push_async_callback(slack.close)
        return Ends(
            store=store,
            queue=queue,
            registration=registration,
            client=client,
            ready=ready,
            slack=slack,
            people=people,
            access=Access(people, ready.me.team, settings.deskmate_allowed_users),
            threads=Threads(lookups.replies, people, ready.me),
            rooms=Rooms(slack, partial(once, store, ttl_seconds=NOTICE_SECONDS), time.time),
        )

    async def _open_store(
        self, opened: AsyncExitStack, client: AsyncWebClient
    ) -> tuple[Store, Ready]:
        """Open the store and try Slack's tokens side by side; both have to be in order."""
        app_token = None if self._role == "worker" else _secret(self._settings.slack_app_token)
        checking = asyncio.create_task(check_slack(client, app_token))
        try:
            if self._settings.redis_url is not None:
                url, password = _secret(self._settings.redis_url), None
            else:
                server = await opened.enter_async_context(embedded(self._settings.deskmate_home))
                await opened.enter_async_context(kept_alive(server))
                url, password = server.url, server.password
            store = await opened.enter_async_context(Store.connect(url, password))
            return store, await checking
        finally:
            checking.cancel()
            await asyncio.gather(checking, return_exceptions=True)

    def _desk(self, ends: Ends) -> Desk:
        zone = self._settings.deskmate_timezone
        return Desk(
            queue=ends.queue,
            sessions=SessionStore(ends.store),
            projects=Projects(self._settings, ProjectStore(ends.store)),
            agent=Agent(self._model, Toolset(FILE_TOOLS)),
            access=ends.access,
            threads=ends.threads,
            rooms=ends.rooms,
            endings=Endings(ends.queue, ends.rooms, self.metrics, zone, time.time),
            open_reply=partial(self._open_reply, ends.slack, ends.store),
            metrics=self.metrics,
            zone=zone,
            now=time.time,
        )

    def _build_gateway(self, ends: Ends) -> None:
        settings, me = self._settings, ends.ready.me
        shows = Gestures(ends.rooms.seen, ends.rooms.nothing_to_stop)
        ingress = Ingress(ends.queue, me, settings.project, ends.access.may, shows, time.time)
        heard = Heard(HeardStore(ends.store, me.team), time.time)
        history = History(ends.slack)
        self.backfill = Backfill(ingress, history, heard, time.time, self.metrics.missed.inc)
        doors = listeners.Doors(ingress, self.backfill, ends.threads.session_of, self.metrics)
        ticket = tickets(ends.client, _secret(settings.slack_app_token), ends.ready.ticket)
        bolt = listeners.bolt(ends.client, doors)
        self.gateway = SocketGateway(bolt, ticket, on_gap=self.backfill.gap)

    async def _start_worker(self, opened: AsyncExitStack, ends: Ends, worker: Worker) -> None:
        heartbeat = Heartbeat(
            ends.store,
            worker=ends.queue.worker,
            lease_seconds=ends.queue.lease_seconds,
            on_lost=worker.on_lost,
            on_stop=worker.on_stop,
        )
        if isinstance(self._model, OpenAIChat):
            opened.push_async_callback(self._model.close)
        await opened.enter_async_context(heartbeat)
        opened.push_async_callback(worker.drain)
        await worker.start(heartbeat)
        if isinstance(self._model, OpenAIChat):
            # Its SDK takes half a second to import: beside the dial, not in somebody's first turn.
            self._preparing = asyncio.create_task(self._model.prepare())

    def _open_reply(self, slack: Slack, store: Store, running: Running, person: Person) -> Reply:
        lease, incoming = running.lease, running.lease.incoming
        target = Target(
            channel=lease.session.channel,
            thread_ts=lease.session.thread,
            user=incoming.user,
            user_team=incoming.user_team or person.team or self.me.team,
            is_dm=incoming.channel_kind == "im",
            turn_id=lease.turn,
            asked_ts=incoming.id,
            lang=person.locale,
        )
        may_ping = frozenset({str(incoming.user)})
        return Reply(slack, Ledger(store, lease), target, may_ping=may_ping, on_stop=running.stop)

    async def _serve_health(self, opened: AsyncExitStack, readiness: Readiness) -> None:
        address = self._settings.deskmate_http
        self.health = HealthServer(self.metrics, readiness)
        opened.push_async_callback(self.health.close)
        if address is None:
            return
        try:
            await self.health.start(address)
        except OSError as err:
            raise StartError(
                f"I can't listen on {address.host}:{address.port} ({_reason(err)}). "
                "Set DESKMATE_HTTP to another HOST:PORT, or to off."
            ) from None


def _reason(err: OSError) -> str:
    """Say what the system says, without asyncio's own words around it."""
    return os.strerror(err.errno).lower() if err.errno else str(err)


def _register(home: Path) -> Registration:
    try:
        return Registration(home / "workers")
    except OSError as err:
        raise StartError(
            f"I can't write to {home} ({_reason(err)}). Set DESKMATE_HOME to a folder of mine."
        ) from None


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


def _model_of(settings: Settings) -> ChatModel:
    if settings.deskmate_model == REHEARSAL:
        return Rehearsal()
    return OpenAIChat(_secret(settings.openai_api_key), settings.openai_base_url)
