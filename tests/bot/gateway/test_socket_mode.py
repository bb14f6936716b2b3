"""The sockets: dialled, watched and replaced, against a playground that misbehaves on purpose."""

import asyncio
import gc
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.gateway.preflight import check_slack, open_ticket
from bot.gateway.socket_mode import Patience, SocketGateway
from bot.listeners.wiring import on_event
from bot.playground import Fault, Playground, Rules
from tests.support import wait_until

HASTY = Patience(
    dial_seconds=2, ping_seconds=20, silence_seconds=0.6, back_off_seconds=(0.02, 0.05)
)


@dataclass
class Ears:
    """A Bolt app that notes what it hears; it fails on the texts in `fails`, once each."""

    heard: list[str] = field(default_factory=list[str])
    fails: set[str] = field(default_factory=set[str])

    def app(self, playground: Playground) -> AsyncApp:
        async def authorize() -> AuthorizeResult:
            user = playground.app.user
            return AuthorizeResult(
                enterprise_id=None, team_id=user.team, bot_user_id=user.id, bot_token="x"
            )

        async def on_message(event: dict[str, Any]) -> None:
            text = str(event.get("text"))
            if text in self.fails:
                self.fails.remove(text)
                raise RuntimeError("not now")
            self.heard.append(text)

        app = AsyncApp(
            client=AsyncWebClient(base_url=playground.api_url),
            authorize=authorize,
            process_before_response=True,
            request_verification_enabled=False,
        )
        on_event(app, "message", on_message)
        return app


@asynccontextmanager
async def a_gateway(
    playground: Playground, ears: Ears, patience: Patience = HASTY, count: int = 1
) -> AsyncGenerator[SocketGateway]:
    client = AsyncWebClient("", playground.api_url)
    gateway = SocketGateway(
        ears.app(playground),
        lambda: open_ticket(client, playground.app_token),
        count=count,
        patience=patience,
    )
    await gateway.start()
    try:
        async with asyncio.timeout(5):
            await gateway.connected.wait()
        yield gateway
    finally:
        started = time.monotonic()
        await gateway.close()
        assert time.monotonic() - started < 5


@pytest.fixture
async def playground() -> AsyncGenerator[Playground]:
    async with Playground(rules=Rules(ping_seconds=0.15, retry_delays=(0.0, 1.0, 5.0))) as opened:
        yield opened


async def hears(playground: Playground, ears: Ears, text: str) -> None:
    """A person writes, and the app hears it."""
    await playground.people.post("ann", "#api", text)
    await wait_until(lambda: text in ears.heard)


async def test_a_refused_dial_is_tried_again_with_a_new_ticket(playground: Playground):
    """F135: the address of a refused dial is never used again."""
    playground.workspace.faults.add(Fault("refuse", "dial", count=4))
    ears = Ears()
    async with a_gateway(playground, ears):
        await hears(playground, ears, "hello")
    assert len(playground.journal.of("dial", ok=False)) == 4
    assert len(playground.journal.calls("apps.connections.open")) == 5


@pytest.mark.parametrize("how", ["warning", "refresh_requested", "close", "abort"])
async def test_a_socket_that_ends_is_replaced_within_a_second(playground: Playground, how: str):
    """Clean close, `disconnect`, abort: the next socket is open in time, nothing is lost."""
    ears = Ears()
    async with a_gateway(playground, ears) as gateway:
        await hears(playground, ears, "before")
        (line,) = playground.board.lines
        started = time.monotonic()
        await playground.board.end(line, how)  # pyright: ignore[reportArgumentType]
        await wait_until(lambda: any(each is not line for each in playground.board.lines), 2)
        assert time.monotonic() - started < 1
        await hears(playground, ears, "after")
        assert gateway.reconnects == 1


async def test_the_old_socket_goes_only_after_the_new_one_is_open(playground: Playground):
    """On `warning` both are open for a moment: no gap in which events have nowhere to go."""
    async with a_gateway(playground, Ears()):
        (line,) = playground.board.lines
        await playground.board.end(line, "warning")
        await wait_until(lambda: line not in playground.board.lines, 5)
    states = [(e["line"], e["state"]) for e in playground.journal.of("socket")]
    assert states.index(("S2", "open")) < states.index(("S1", "closed"))


async def test_a_silent_socket_is_noticed_and_replaced(playground: Playground):
    """F134: connected, but nothing comes: neither pings nor events."""
    ears = Ears()
    async with a_gateway(playground, ears):
        (line,) = playground.board.lines
        await playground.board.end(line, "mute")
        await wait_until(lambda: any(each is not line for each in playground.board.lines))
        playground.board.lines[:] = [x for x in playground.board.lines if x is not line]
        await hears(playground, ears, "there you are")


async def test_one_of_two_sockets_may_fall_without_a_gap(playground: Playground):
    """Two staggered connections: events go to whichever lives."""
    ears = Ears()
    async with a_gateway(playground, ears, count=2):
        await wait_until(lambda: len(playground.board.lines) == 2)
        await playground.board.end(playground.board.lines[0], "abort")
        await hears(playground, ears, "still here")
        await wait_until(lambda: len(playground.board.lines) == 2)


async def test_a_listener_that_fails_leaves_the_event_unacknowledged(playground: Playground):
    """What was not made durable comes again."""
    ears = Ears(fails={"fragile"})
    async with a_gateway(playground, ears):
        rules = playground.workspace.rules
        assert rules.ack_seconds == 3
        await playground.people.post("ann", "#api", "fragile")
        await wait_until(lambda: "fragile" in ears.heard, 8)
    attempts = [e["attempt"] for e in playground.journal.of("delivery", label="message")]
    assert attempts == [0, 1]


async def test_what_nobody_listens_to_is_acknowledged(playground: Playground):
    """A reaction without a listener is acknowledged too, else it came three times more."""
    ears = Ears()
    async with a_gateway(playground, ears):
        ts = await playground.people.post("ann", "#api", "hi")
        await playground.people.react("ben", "#api", ts, "tada")
        await wait_until(lambda: bool(playground.journal.of("ack", label="reaction_added")))


async def test_a_server_that_never_answers_the_close_does_not_hold_us(playground: Playground):
    """F142: the end of a gateway is bounded, whatever the other side does."""
    async with a_gateway(playground, Ears(), Patience()) as gateway:
        (line,) = playground.board.lines
        await playground.board.end(line, "mute")
        started = time.monotonic()
        await gateway.close()
        assert time.monotonic() - started < 5


async def test_a_refresh_and_a_loss_at_once_make_one_new_socket(playground: Playground):
    """F143: there is one owner of reconnects, so they cannot race."""
    async with a_gateway(playground, Ears()):
        (line,) = playground.board.lines
        await playground.board.end(line, "warning")
        await playground.board.end(line, "abort")
        await wait_until(lambda: len(playground.board.lines) == 1)
        await asyncio.sleep(0.3)
        assert len(playground.board.lines) == 1
        assert len(playground.journal.calls("apps.connections.open")) == 2


async def test_a_rebuilt_http_session_leaves_none_open(playground: Playground):
    """One socket lives while dials of the other fail until a rebuild: both sessions end with us."""
    async with a_gateway(playground, Ears(), count=2):
        await wait_until(lambda: len(playground.board.lines) == 2)
        playground.workspace.faults.add(Fault("refuse", "dial", count=4))
        await playground.board.end(playground.board.lines[0], "abort")
        await wait_until(lambda: len(playground.board.lines) == 2)
    gc.collect()  # a session that was left open says so as it goes, and fails the test


async def test_heard_tells_when_the_last_sign_of_life_came(playground: Playground):
    """Readiness asks for it; without a live socket there is no answer."""
    async with a_gateway(playground, Ears()) as gateway:
        heard = gateway.heard_seconds_ago()
        assert heard is not None
        assert heard < 1
        playground.workspace.faults.add(Fault("refuse", "dial", count=0))
        await playground.board.end(playground.board.lines[0], "abort")
        await wait_until(lambda: gateway.heard_seconds_ago() is None)


async def test_a_flapping_connection_is_dialled_ever_more_slowly(playground: Playground):
    """Opened and ended at once, again and again: tickets are scarce, so the pauses grow."""
    patience = Patience(dial_seconds=2, back_off_seconds=(0.05, 0.4))
    async with a_gateway(playground, Ears(), patience):
        for count in range(1, 5):
            await wait_until(lambda: len(playground.board.lines) == 1)
            assert len(playground.journal.of("socket", state="open")) == count
            await playground.board.end(playground.board.lines[0], "abort")
        await wait_until(lambda: len(playground.journal.of("socket", state="open")) == 5)
    times = [entry["t"] for entry in playground.journal.of("socket", state="open")]
    assert times[1] - times[0] < 0.3
    assert times[4] - times[3] >= 0.4


async def test_a_gap_is_told_of_before_the_new_connection_brings_anything(playground: Playground):
    """Nobody listened for a while: the next hello says so; the second connection does not."""
    told: list[int] = []
    ears = Ears()
    client = AsyncWebClient("", playground.api_url)
    gateway = SocketGateway(
        ears.app(playground),
        lambda: open_ticket(client, playground.app_token),
        patience=HASTY,
        on_gap=lambda: told.append(len(ears.heard)),
    )
    await gateway.start()
    await wait_until(lambda: len(playground.board.lines) == 2)
    assert told == [0]
    await playground.board.end(playground.board.lines[0], "abort")
    await wait_until(lambda: len(playground.board.lines) == 2)
    assert told == [0]
    playground.workspace.faults.add(Fault("refuse", "dial", count=0))
    for line in list(playground.board.lines):
        await playground.board.end(line, "abort")
    await playground.people.post("ann", "#api", "into the void")
    playground.workspace.faults.clear()
    await wait_until(lambda: len(told) == 2)
    await hears(playground, ears, "there you are")
    assert told == [0, 0]
    await gateway.close()


async def test_a_start_that_slack_slows_down_goes_on_dialling(playground: Playground):
    """Restarts in a row are limited by Slack: that is no wrong token, and no reason to end."""
    playground.workspace.faults.add(
        Fault("rate_limited", "apps.connections.open", count=2, seconds=1)
    )
    client = AsyncWebClient(playground.bot_token, playground.api_url)
    ready = await check_slack(client, playground.app_token)
    assert ready.ticket == ""
    assert ready.me.user == playground.app.user.id
