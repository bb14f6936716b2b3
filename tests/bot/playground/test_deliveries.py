"""Envelopes: one socket each, three seconds, three more tries, and how a socket can fail."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Self

import aiohttp
import pytest

from bot.playground import Clock, Fault, Playground, Rules
from tests.bot.playground.clients import Api, Json, events, listening
from tests.support import wait_until


class Dial:
    """A bare WebSocket to the workspace, so that a test decides what is acknowledged."""

    def __init__(self, playground: Playground, app_token: str = "") -> None:
        self._playground = playground
        self._token = app_token or playground.app_token
        self.session = aiohttp.ClientSession()
        self.socket: Any = None

    async def __aenter__(self) -> Self:
        opened = await Api(self._playground)("apps.connections.open", app_token=self._token)
        self.url = opened["url"]
        self.socket = await self.session.ws_connect(self.url)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def hear(self) -> Json:
        return await self.socket.receive_json(timeout=5)

    async def acknowledge(self, envelope: Json) -> None:
        await self.socket.send_json({"envelope_id": envelope["envelope_id"]})


@pytest.fixture
async def impatient() -> AsyncIterator[Playground]:
    """Give a playground that waits a fifth of a second for an acknowledgement, not three."""
    async with Playground(clock=Clock(scale=0), rules=Rules(ack_seconds=0.2)) as running:
        yield running


async def test_hello_comes_first(playground: Playground) -> None:
    """It counts the connections and names the app."""
    async with Dial(playground) as dial:
        hello = await dial.hear()

    assert (hello["type"], hello["num_connections"]) == ("hello", 1)
    assert hello["connection_info"]["app_id"] == playground.app.id


async def test_a_ticket_is_good_once(playground: Playground) -> None:
    """A second dial of the same URL is refused."""
    async with Dial(playground) as dial:
        refused = await dial.session.get(dial.url.replace("ws://", "http://"))

    assert refused.status == 408


async def test_what_is_not_acknowledged_comes_again(impatient: Playground) -> None:
    """At once, after a minute, after five; the same event each time, counted; then never."""
    async with Dial(impatient) as dial:
        await dial.hear()
        await impatient.people.post("ann", "#general", "hello")
        tries = [await dial.hear(), await dial.hear()]
        for seconds in (60, 300):
            await wait_until(lambda: impatient.deliveries.waiting == 0)
            impatient.workspace.clock.advance(seconds)
            tries.append(await dial.hear())
        await wait_until(lambda: len(impatient.journal.of("gave_up")) == 1)

    assert [envelope["retry_attempt"] for envelope in tries] == [0, 1, 2, 3]
    assert [envelope["retry_reason"] for envelope in tries] == ["", *["timeout"] * 3]
    assert len({envelope["payload"]["event_id"] for envelope in tries}) == 1
    assert len({envelope["envelope_id"] for envelope in tries}) == 4


async def test_what_is_acknowledged_does_not(playground: Playground) -> None:
    """An acknowledgement settles the event, on whichever socket it comes."""
    async with Dial(playground) as one, Dial(playground) as two:
        await one.hear()
        await two.hear()
        await playground.people.post("ann", "#general", "hello")
        await wait_until(lambda: len(playground.journal.of("delivery")) == 1)
        envelope_id = playground.journal.of("delivery")[0]["envelope_id"]
        other = one if playground.journal.of("delivery")[0]["line"] == "S2" else two
        await other.acknowledge({"envelope_id": envelope_id})
        await wait_until(lambda: len(playground.journal.of("ack")) == 1)
        playground.workspace.clock.advance(600)

    assert playground.journal.of("ack")[0]["known"]
    assert playground.journal.of("unacknowledged") == []


async def test_nobody_acknowledges_for_another_app(playground: Playground) -> None:
    """An acknowledgement from another app's socket counts for nothing."""
    robo = playground.workspace.app_of(playground.workspace.user_named("robo").id)
    assert robo
    async with Dial(playground) as ours, Dial(playground, robo.app_token) as theirs:
        await ours.hear()
        await theirs.hear()
        await playground.people.post("ann", "#general", "hello")
        await theirs.acknowledge(await ours.hear())
        await wait_until(lambda: len(playground.journal.of("ack")) == 1)

    assert not playground.journal.of("ack")[0]["known"]
    assert playground.deliveries.waiting == 1


async def test_events_are_spread_over_the_sockets(playground: Playground) -> None:
    """Each event goes to exactly one of several sockets, and all of them get some."""
    async with Dial(playground) as one, Dial(playground) as two:
        await one.hear()
        await two.hear()
        for n in range(20):
            await playground.people.post("ann", "#general", f"m{n}")

    sent = playground.journal.of("delivery")
    assert len({entry["envelope_id"] for entry in sent}) == len(sent) == 20
    assert {entry["line"] for entry in sent} == {"S1", "S2"}


async def test_an_event_finds_the_app_after_it_was_away(playground: Playground) -> None:
    """With no socket the first tries fail; the one after a minute arrives."""
    await playground.people.post("ann", "#general", "anybody?")

    async with listening(playground) as heard:
        playground.workspace.clock.advance(60)
        await wait_until(lambda: len(heard) == 1)

    assert events(heard, "message")[0]["text"] == "anybody?"
    assert [entry["attempt"] for entry in playground.journal.of("undelivered")] == [0, 1]


async def test_the_eleventh_socket_is_one_too_many(playground: Playground) -> None:
    """Slack holds ten connections per app."""
    async with contextlib.AsyncExitStack() as stack:
        dials = [await stack.enter_async_context(Dial(playground)) for _ in range(11)]
        first = [await dial.hear() for dial in dials]

    assert [said["type"] for said in first] == ["hello"] * 10 + ["disconnect"]
    assert first[10]["reason"] == "too_many_websockets"


async def test_a_socket_is_told_to_go(playground: Playground) -> None:
    """refresh_requested comes before the close, as from Slack."""
    async with Dial(playground) as dial:
        await dial.hear()
        board = playground.board
        await asyncio.gather(board.end(board.lines[0], "refresh_requested"), dial.hear())
        goodbye = await dial.socket.receive()

    assert goodbye.type in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}
    assert board.lines == []


async def test_bolt_comes_back_after_a_cut(playground: Playground) -> None:
    """An aborted connection is dialled again; the event in between is not lost."""
    async with listening(playground) as heard:
        board = playground.board
        await board.end(board.lines[0], "abort")
        await playground.people.post("ann", "#general", "in between")
        await wait_until(lambda: len(board.lines) == 1)
        playground.workspace.clock.advance(60)
        await wait_until(lambda: len(heard) == 1)

    assert events(heard, "message")[0]["text"] == "in between"


async def test_a_half_open_socket_swallows_everything(impatient: Playground) -> None:
    """It stays open, answers no ping, and what was sent on it counts as unacknowledged."""
    async with Dial(impatient) as dial:
        await dial.hear()
        board = impatient.board
        await board.end(board.lines[0], "mute")
        await impatient.people.post("ann", "#general", "hello")
        await wait_until(lambda: len(impatient.journal.of("unacknowledged")) == 2)

    assert len(board.lines) == 1


async def test_a_refused_dial(playground: Playground) -> None:
    """The ticket is spent and the dial answers 408."""
    playground.faults.add(Fault("refuse", "dial"))
    app_token = Api(playground, playground.app_token)
    opened = await app_token("apps.connections.open", app_token=playground.app_token)

    async with aiohttp.ClientSession() as session:
        refused = await session.get(opened["url"].replace("ws://", "http://"))

    assert refused.status == 408


async def test_a_duplicated_event_comes_twice(playground: Playground) -> None:
    """Two envelopes, one event id."""
    playground.faults.add(Fault("duplicate", "message"))
    async with listening(playground) as heard:
        await playground.people.post("ann", "#general", "hello")
        await wait_until(lambda: len(heard) == 2)

    assert heard[0]["event_id"] == heard[1]["event_id"]


async def test_a_retry_that_overtakes_the_ack(playground: Playground) -> None:
    """Slack may send again what is being acknowledged: the same event, marked as a retry."""
    playground.faults.add(Fault("retry", "message"))
    async with listening(playground) as heard:
        await playground.people.post("ann", "#general", "hello")
        await wait_until(lambda: len(heard) == 2)

    assert heard[0]["event_id"] == heard[1]["event_id"]
    assert [entry["attempt"] for entry in playground.journal.of("delivery")] == [0, 1]


async def test_swapped_events_come_in_the_wrong_order(playground: Playground) -> None:
    """The first waits for the second."""
    playground.faults.add(Fault("swap", "message"))
    async with listening(playground) as heard:
        await playground.people.post("ann", "#general", "one")
        await playground.people.post("ann", "#general", "two")
        await wait_until(lambda: len(heard) == 2)

    assert [event["text"] for event in events(heard, "message")] == ["two", "one"]


async def test_a_held_event_comes_late(playground: Playground) -> None:
    """What comes after it overtakes it."""
    playground.faults.add(Fault("hold", "message", seconds=0.2))
    async with listening(playground) as heard:
        await playground.people.post("ann", "#general", "one")
        await playground.people.post("ann", "#general", "two")
        await wait_until(lambda: len(heard) == 2)

    assert [event["text"] for event in events(heard, "message")] == ["two", "one"]
