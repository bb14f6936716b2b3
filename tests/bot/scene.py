"""A thread in a running playground, a lease on its turn, and replies to it: real sockets and store.

`Scene` is what the tests of replies act in; the fixture `scene` (conftest) gives one in #api.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import Slack
from bot.pacing import RATES, Pacing
from bot.playground import Clock, Fault, Playground, Rules
from bot.playground.model import Message
from bot.reply import Pace, Reply, Target
from harness.events import StepStarted, TextStarted, TextStreamed, TurnFinished
from harness.models import Incoming, Outcome, Usage
from storage.client import Store
from storage.lease import Lease
from storage.ledger import Ledger
from storage.queue import Queue
from tests.support import an_incoming, wait_until

Json = dict[str, Any]

QUICK = Pace(first=0.005, every=0.01, rotate=60.0, grace=0.1, session=60.0, pause=0.02)
FAST = RATES | {"chat.update": (6000.0, 20.0), "chat.postMessage": (6000.0, 20.0)}
RULES = Rules(ack_seconds=0.3, rate_limits=False)


def said(text: str, *, outcome: Outcome = "answered", note: str = "") -> TurnFinished:
    """A turn that ended with this text."""
    return TurnFinished(outcome=outcome, text=text, messages=(), usage=Usage(), steps=1, note=note)


@dataclass
class Scene:
    """One thread and the turn that answers it."""

    playground: Playground
    slack: Slack
    store: Store
    lease: Lease
    target: Target
    may_ping: frozenset[str] = frozenset()
    ledger: Callable[[], Ledger] = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = lambda: Ledger(self.store, self.lease)

    async def in_another_thread(self, n: int) -> "Scene":
        """The same workspace and client, another question and its turn."""
        channel = self.target.channel
        asked = await self.playground.people.post("ann", channel, f"question {n}")
        lease = await take_turn(self.store, an_incoming(n, thread=asked, channel=channel))
        target = replace(self.target, thread_ts=asked, asked_ts=asked, turn_id=lease.turn)
        return replace(self, lease=lease, target=target)

    @asynccontextmanager
    async def reply(
        self, pace: Pace = QUICK, on_stop: Callable[[], None] | None = None
    ) -> AsyncGenerator[Reply]:
        """A reply to the thread, closed at the end."""
        made = Reply(
            self.slack,
            self.ledger(),
            self.target,
            may_ping=self.may_ping,
            pace=pace,
            on_stop=on_stop,
        )
        try:
            yield made
        finally:
            await made.close()

    async def answer(self, text: str, *, size: int = 0, pace: Pace = QUICK) -> None:
        """Answer the turn with a text, streamed in pieces of `size` (0: as a whole)."""
        async with self.reply(pace) as reply:
            await self.stream(reply, text, size)
            await reply.finish(said(text))

    async def stream(self, reply: Reply, text: str, size: int = 0, *, step: int = 1) -> None:
        """Stream a step's text; after each piece, wait until Slack has been told of it."""
        await reply.show(StepStarted(step))
        await reply.show(TextStarted(step))
        for start in range(0, len(text), size or len(text) or 1):
            await reply.show(TextStreamed(text[start : start + (size or len(text))]))
            if size:
                await self.flushed(reply)

    async def flushed(self, reply: Reply) -> None:
        """Wait until the reply has sent what it had to send."""
        await wait_until(lambda: reply.is_quiet)

    def fault(self, fault: Fault) -> None:
        self.playground.workspace.faults.add(fault)

    def calls(self, *methods: str) -> list[Json]:
        """The calls of these methods, or all, in order."""
        calls = self.playground.journal.of("call")
        return [call for call in calls if not methods or call["method"] in methods]

    def methods(self) -> list[str]:
        return [str(call["method"]) for call in self.calls()]

    def messages(self) -> list[Message]:
        """Our messages in the thread, oldest first."""
        channel = self.playground.workspace.channels[self.target.channel]
        return [m for m in channel.replies(self.target.thread_ts) if m.app_id]

    def texts(self) -> list[str]:
        """What our messages show, as Markdown."""
        return [_shown(message) for message in self.messages()]

    def part_numbers(self) -> list[int]:
        """The numbers our messages are marked with, for this turn."""
        marks = [message.metadata or {} for message in self.messages()]
        assert {mark["event_payload"]["turn"] for mark in marks} <= {self.target.turn_id}
        return [mark["event_payload"]["part"] for mark in marks]

    def status(self) -> str:
        key = (self.target.channel, self.target.thread_ts)
        status = self.playground.workspace.statuses.get(key)
        return status.text if status else ""


def _shown(message: Message) -> str:
    return "".join(
        block["text"] if block["type"] == "markdown" else block["text"]["text"]
        for block in message.blocks
    )


async def take_turn(store: Store, incoming: Incoming) -> Lease:
    """Queue a message and take its turn, as a worker does."""
    queue = Queue(store, worker="w1", lease_seconds=60)
    await queue.push(incoming, event_id=f"E{incoming.id}")
    lease = await queue.take(1.0)
    assert lease is not None
    return lease


@asynccontextmanager
async def set_scene(
    store: Store, rules: Rules = RULES, *, channel: str = "#api", scale: float = 0.0
) -> AsyncGenerator[Scene]:
    """Let ann ask the bot in a channel, take the turn, and connect to the playground."""
    clock = Clock(scale=scale)
    async with (
        Playground(clock=clock, rules=rules) as playground,
        aiohttp.ClientSession() as session,
    ):
        client = AsyncWebClient(playground.bot_token, playground.api_url, session=session)
        bot = playground.app.user.id
        if channel == "@deskmate":
            channel = await playground.people.open_dm("ann", "deskmate")
        asked = await playground.people.post("ann", channel, f"<@{bot}> hi")
        place = playground.workspace.channel_named(channel)
        ann = playground.workspace.user_named("ann")
        lease = await take_turn(store, an_incoming(thread=asked, channel=place.id))
        target = Target(
            channel=place.id,
            thread_ts=asked,
            user=ann.id,
            user_team=ann.team,
            is_dm=place.kind == "im",
            turn_id=lease.turn,
            asked_ts=asked,
        )
        slack = Slack(client, bot_user=bot, pacing=Pacing(FAST))
        yield Scene(playground, slack, store, lease, target, frozenset({ann.id}))
        await slack.close()
