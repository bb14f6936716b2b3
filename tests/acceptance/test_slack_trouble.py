"""Trouble with Slack: it is slow, refuses, or the channel is gone; the person hears of it."""

from pathlib import Path

import pytest

from bot.playground import Fault
from tests.acceptance.world import a_world
from tests.support import wait_until

pytestmark = pytest.mark.timeout(40)
SCRIPT = "- when: '.*'\n  steps: [{reply: 'You said: {text}', pace: 30}]"


async def test_an_answer_slack_does_not_take_now_is_delivered_later(tmp_path: Path):
    """Every post fails for a while: the turn is kept and its answer comes, once."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        faults = world.playground.workspace.faults
        faults.add(Fault("status", "chat.postMessage", count=7, status=503))
        faults.add(Fault("status", "chat.startStream", count=7, status=503))
        root = await world.says("ann", "#api", "@Deskmate hi")
        await wait_until(lambda: world.answers("#api", root) == ["You said: hi"], 35)
        await world.settled()
        assert len(world.thread("#api", root)) == 1
        assert len(world.asked()) == 1


async def test_an_answer_slack_refuses_is_told_directly(tmp_path: Path):
    """The bot may not write there any more: the person gets a direct message, no loop begins."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        faults = world.playground.workspace.faults
        faults.add(Fault("error", "chat.postMessage", count=1, error="is_archived"))
        faults.add(Fault("error", "chat.startStream", count=0, error="is_archived"))
        root = await world.says("ann", "#api", "@Deskmate hi")
        people = world.playground.people
        direct = world.playground.channel(await people.open_dm("ann", "deskmate"))
        await wait_until(lambda: len(direct.messages) == 1, 20)
        (told,) = direct.messages.values()
        assert "Slack says is_archived" in told.text
        await world.settled()
        assert world.answers("#api", root) == []
        assert len(direct.messages) == 1
