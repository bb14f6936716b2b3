"""Nobody listened for a while: what was said meanwhile is read afterwards, once, in its place.

Slack's own retries are switched off here, so that only the history can bring a message back.
"""

import os
import signal
from pathlib import Path

import pytest

from bot.app import App
from bot.playground import Fault, Rules
from tests.acceptance.world import World, a_world, store_pid
from tests.support import wait_until

SCRIPT = """
- when: '\\bslow\\b'
  steps: [{reply: "one two three four five six seven eight nine ten", pace: 150}]
- when: '\\bcrawl\\b'
  steps: [{reply: "one two three four five six seven eight nine ten", pace: 500}]
- when: '.*'
  steps: [{reply: "You said: {text}"}]
"""
NO_RETRIES = Rules(retry_delays=())

pytestmark = pytest.mark.timeout(40)


async def acquainted(world: World) -> str:
    """A thread that the bot has answered in; returns its root."""
    root = await world.says("ann", "#api", "@Deskmate hi")
    await world.answered("#api", root)
    return root


async def cut_off(world: World, app: App) -> None:
    """Take all connections away and allow no new one."""
    world.playground.faults.add(Fault("refuse", "dial", count=0))
    for line in list(world.playground.board.lines):
        await world.playground.board.end(line, "abort")
    assert app.gateway is not None
    await wait_until(lambda: app.gateway is None or app.gateway.heard_seconds_ago() is None)


def history_read(world: World) -> int:
    return len(world.playground.journal.calls("conversations.history"))


async def whole(app: App) -> None:
    """Wait until no gap is open."""
    await wait_until(lambda: app.backfill is not None and app.backfill.is_done, 15)


async def test_what_was_said_while_it_was_down_is_answered_after_the_start(tmp_path: Path):
    """F144: a mention, a reply in a known thread, a mention in a strange one, a direct message."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world:
        async with world.bot():
            known = await acquainted(world)
            strange = await world.says("ann", "#api", "the build is red")
            await world.settled()
        mention = await world.says("ben", "#web", "@Deskmate one")
        await world.says("ben", "#api", "two", known)
        await world.says("ann", "#api", "three", known)
        await world.says("chris", "#api", "@Deskmate four", strange)
        direct = await world.says("ann", "@deskmate", "five")
        await world.says("ann", "#api", "nobody is asked")
        async with world.bot() as app:
            assert await world.answered("#web", mention) == ["You said: one"]
            texts = await world.answered("#api", known, 3)
            assert texts[1:] == ["You said: two", "You said: three"]
            assert await world.answered("#api", strange) == ["You said: four"]
            dm = await world.playground.people.open_dm("ann", "deskmate")
            assert await world.answered(dm, direct) == ["You said: five"]
            await whole(app)
            await world.settled()
        assert len(world.asked()) == 6


async def test_a_flapping_connection_answers_each_message_once(tmp_path: Path):
    """F145: four gaps, four messages, each read again and again, each answered once."""
    rules = Rules(retry_delays=(), rate_limits=False)
    async with a_world(tmp_path, SCRIPT, rules) as world, world.bot() as app:
        root = await acquainted(world)
        for number in range(4):
            await cut_off(world, app)
            await world.says("ann", "#api", f"number {number}", root)
            world.playground.faults.clear()
            await wait_until(lambda: bool(world.playground.board.lines), 10)
        texts = await world.answered("#api", root, 5)
        await whole(app)
        await world.settled()
        assert texts[1:] == [f"You said: number {number}" for number in range(4)]
        assert len(world.answers("#api", root)) == 5


async def test_a_missed_message_is_answered_before_the_later_ones_that_came_live(tmp_path: Path):
    """The history is slow to read: what was said first still has its turn first."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world, world.bot() as app:
        root = await world.says("ann", "#api", "@Deskmate crawl")
        await wait_until(lambda: len(world.asked()) == 1)
        await cut_off(world, app)
        await world.says("ben", "#api", "missed", root)
        world.playground.faults.clear()
        world.playground.faults.add(Fault("delay", "conversations.history", count=0, seconds=0.1))
        await wait_until(lambda: bool(world.playground.board.lines), 10)
        await world.says("ben", "#api", "live", root)
        texts = await world.answered("#api", root, 3)
        assert texts[1:] == ["You said: missed", "You said: live"]


async def test_reading_the_history_waits_as_slack_asks_and_blocks_nobody(tmp_path: Path):
    """429 on the history: live messages are answered meanwhile, the missed one afterwards."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world:
        async with world.bot():
            await acquainted(world)
        missed = await world.says("ann", "#api", "@Deskmate missed")
        busy = Fault("rate_limited", "conversations.history", count=2, seconds=2)
        world.playground.faults.add(busy)
        async with world.bot():
            await wait_until(lambda: history_read(world) > 0)
            live = await world.says("ann", "#web", "@Deskmate live")
            assert await world.answered("#web", live) == ["You said: live"]
            assert world.answers("#api", missed) == []
            assert await world.answered("#api", missed) == ["You said: missed"]
        times = [call["t"] for call in world.playground.journal.calls("conversations.history")]
        assert times[1] - times[0] > 1.9


async def test_what_was_said_before_the_first_start_is_left_alone(tmp_path: Path):
    """A bot that is new in a workspace does not begin with its past."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world:
        await world.says("ann", "#api", "@Deskmate are you there")
        async with world.bot() as app:
            await whole(app)
            await cut_off(world, app)
            world.playground.faults.clear()
            await wait_until(lambda: history_read(world) > 0, 15)
            await whole(app)
            await world.settled()
        assert world.asked() == []


async def test_who_gets_no_answer_live_gets_none_afterwards(tmp_path: Path):
    """Guests are told once, strangers and bots get silence, its own posts are not for it."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world:
        async with world.bot():
            await acquainted(world)
        await world.says("gil", "#api", "@Deskmate hi")
        await world.says("sam", "#partners", "@Deskmate hi")
        await world.says("robo", "#api", "@Deskmate hi")
        async with world.bot() as app:
            await whole(app)
            told = world.playground.journal.calls
            await wait_until(lambda: len(told("chat.postEphemeral")) == 1)
            await world.settled()
        assert len(world.asked()) == 1


async def test_what_is_read_again_changes_nothing(tmp_path: Path):
    """A stop, an aside and an old line, heard live and read again: no turn, no stop, no double."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world, world.bot() as app:
        await whole(app)
        ben = world.playground.workspace.user_named("ben").id
        root = await world.says("ben", "#api", "the build is red")
        await world.says("ben", "#api", "since Monday", root)
        await world.says("ann", "#api", "@Deskmate be slow", root)
        await wait_until(lambda: any("two" in m.text for m in world.thread("#api", root)))
        await world.says("ann", "#api", "stop", root)
        assert "Stopped." in (await world.answered("#api", root))[0]
        await world.says("ann", "#api", f"<@{ben}> the port is 8080", root)
        await world.says("ann", "#api", "crawl now", root)
        await wait_until(lambda: len(world.asked()) == 2)
        await cut_off(world, app)
        world.playground.faults.clear()
        await wait_until(lambda: history_read(world) > 0, 15)
        await whole(app)
        texts = await world.answered("#api", root, 2)
        assert texts[1].endswith("nine ten")
        await world.says("ann", "#api", "what now", root)
        await world.answered("#api", root, 3)
        await world.settled()
        assert len(world.asked()) == 3
        assert str(world.asked()).count("the port is 8080") == 2


async def test_a_store_that_dies_with_an_event_in_hand_loses_nothing(tmp_path: Path):
    """It could not be written, so it was not acknowledged; Slack does not send it again here."""
    async with a_world(tmp_path, SCRIPT, NO_RETRIES) as world, world.bot() as app:
        root = await acquainted(world)
        await whole(app)
        pid = await store_pid(world.home)
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        await world.says("ann", "#api", "are you there", root)
        journal = world.playground.journal
        await wait_until(lambda: len(journal.of("unacknowledged")) == 1, 10)
        await wait_until(lambda: app.backfill is not None and not app.backfill.is_done, 10)
        os.kill(pid, signal.SIGKILL)
        assert (await world.answered("#api", root, 2))[1] == "You said: are you there"
        await whole(app)
        await world.settled()
        assert len(world.answers("#api", root)) == 2
