"""Gaps and how they are closed, with a real store, a real playground and the real door."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import Slack
from bot.gateway.backfill import Backfill, Pace
from bot.gateway.heard import SETTLED_SECONDS, Heard
from bot.gateway.history import History
from bot.gateway.ingress import Accepted, Gestures, Identity, Ingress
from bot.playground import Fault, Playground, Rules
from bot.settings import ProjectSettings
from harness.errors import StoreUnavailable
from harness.models import ChannelId, SessionKey, TeamId, UserId
from storage.client import Store
from storage.heard import HeardStore
from storage.keys import SEEN_SECONDS
from storage.queue import Queue
from tests.support import wait_until

NOW = 1_700_000_000.0
HASTY = Pace(max_age_seconds=3600, pause_seconds=0, retry_seconds=(0.02, 0.05))
SESSION = SessionKey(team=TeamId("T1"), channel=ChannelId("C1"), thread="1.0")


def event(when: float) -> dict[str, Any]:
    return {"type": "message", "ts": f"{when:.6f}"}


class Fragile(Ingress):
    """A door that breaks on one word, and that has no store for as long as `storeless` says."""

    storeless = 0

    async def message(
        self, event: dict[str, Any], event_id: str, *, live: bool = True
    ) -> Accepted | None:
        if self.storeless:
            self.storeless -= 1
            raise StoreUnavailable("gone")
        if "poison" in event["text"]:
            raise RuntimeError("poisoned")
        return await super().message(event, event_id, live=live)


@dataclass
class Gateway:
    """A gateway's inner half: what the socket would tell goes straight in."""

    playground: Playground
    queue: Queue
    ingress: Fragile
    backfill: Backfill
    found: list[int] = field(default_factory=list[int])

    async def says(self, text: str) -> str:
        said = text.replace("@Deskmate", f"<@{self.playground.app.user.id}>")
        return await self.playground.people.post("ann", "#api", said)

    async def closes_the_gap(self) -> None:
        self.backfill.gap()
        await wait_until(lambda: self.backfill.is_done)

    async def turns(self) -> list[str]:
        texts: list[str] = []
        while lease := await self.queue.take(0.05):
            texts.append(lease.incoming.text.partition("> ")[2])
            await self.queue.drop(lease)
        return texts


@asynccontextmanager
async def a_gateway(playground: Playground, store: Store) -> AsyncGenerator[Gateway]:
    async def may(_: UserId) -> bool:
        return True

    user = playground.app.user
    me = Identity(TeamId(user.team), UserId(user.id), user.bot_id, user.name)
    queue = Queue(store, worker="w1", lease_seconds=10)
    nothing = Gestures(lambda _session, _ts: None, lambda _session, _user: None)
    ingress = Fragile(queue, me, lambda _: ProjectSettings(), may, nothing, lambda: NOW)
    heard = Heard(HeardStore(store, me.team), playground.workspace.clock.now)
    client = AsyncWebClient(playground.bot_token, playground.api_url)
    found: list[int] = []
    backfill = Backfill(
        ingress,
        History(Slack(client, bot_user=user.id)),
        heard,
        playground.workspace.clock.now,
        lambda: found.append(1),
        HASTY,
    )
    await backfill.start()
    try:
        yield Gateway(playground, queue, ingress, backfill, found)
    finally:
        await backfill.close()


@pytest.fixture
async def gateway(store: Store) -> AsyncGenerator[Gateway]:
    async with (
        Playground(rules=Rules(rate_limits=False)) as playground,
        a_gateway(playground, store) as opened,
    ):
        await opened.closes_the_gap()  # the first: nothing is read
        yield opened


async def test_the_mark_stands_still_while_a_gap_is_open(store: Store):
    """What comes live after a gap must not hide what was missed in it."""
    record = HeardStore(store, TeamId("T1"))
    heard = Heard(record, lambda: NOW)
    assert await heard.begin()
    heard.note(event(NOW + 1000), None)
    await heard.write()
    assert await record.until() == NOW
    heard.close_gaps(1)
    await heard.write()
    assert await record.until() == NOW + 1000 - SETTLED_SECONDS


async def test_threads_are_noted_in_a_gap_too(store: Store):
    """They only say where to look."""
    record = HeardStore(store, TeamId("T1"))
    heard = Heard(record, lambda: NOW)
    heard.note(event(NOW), Accepted(SESSION))
    heard.note(event(NOW + 1), None)
    await heard.write()
    assert [thread.ts for thread in await heard.threads()] == ["1.0"]


async def test_the_first_gateway_of_a_workspace_reads_nothing(gateway: Gateway):
    """It was never there before, so nothing can have been missed."""
    assert gateway.playground.journal.calls() == []


async def test_each_gap_is_read_from_where_the_last_one_ended(gateway: Gateway):
    """Messages are let in once each, in order, and counted."""
    await gateway.says("@Deskmate one")
    await gateway.says("@Deskmate two")
    await gateway.closes_the_gap()
    assert await gateway.turns() == ["one", "two"]
    await gateway.says("@Deskmate three")
    await gateway.closes_the_gap()
    assert await gateway.turns() == ["three"]
    assert len(gateway.found) == 3


async def test_what_is_too_old_is_left_alone(gateway: Gateway):
    """The question is stale, and the marks of what was answered have a limited life."""
    await gateway.says("@Deskmate old")
    gateway.playground.workspace.clock.advance(HASTY.max_age_seconds + 1)
    await gateway.says("@Deskmate fresh")
    await gateway.closes_the_gap()
    assert await gateway.turns() == ["fresh"]
    assert Pace().max_age_seconds < SEEN_SECONDS


async def test_a_message_that_breaks_us_stops_no_other(gateway: Gateway):
    """One is skipped and logged; those behind it are let in."""
    await gateway.says("@Deskmate poison")
    await gateway.says("@Deskmate one")
    await gateway.closes_the_gap()
    assert await gateway.turns() == ["one"]


@pytest.mark.parametrize("method", ["users.conversations", "conversations.history"])
async def test_slack_that_fails_is_asked_again(gateway: Gateway, method: str):
    """The gap stays open until it has been read."""
    await gateway.says("@Deskmate one")
    gateway.playground.faults.add(Fault("rate_limited", method, count=7, seconds=0))
    await gateway.closes_the_gap()
    assert len(gateway.playground.journal.calls(method)) >= 8
    assert await gateway.turns() == ["one"]


async def test_a_store_that_fails_is_asked_again(gateway: Gateway):
    """Nothing counts as read that could not be written."""
    await gateway.says("@Deskmate one")
    gateway.ingress.storeless = 1
    await gateway.closes_the_gap()
    assert await gateway.turns() == ["one"]


async def test_what_slack_refuses_is_not_asked_for_ever(gateway: Gateway):
    """A missing scope, a channel we were thrown out of: the rest is read, the gap closes."""
    await gateway.says("@Deskmate one")
    refused = Fault("error", "conversations.history", count=3, error="not_in_channel")
    gateway.playground.faults.add(refused)
    await gateway.closes_the_gap()
    assert len(gateway.playground.journal.calls("conversations.history")) == 4
    gateway.playground.faults.add(Fault("error", "users.conversations", error="missing_scope"))
    await gateway.closes_the_gap()
