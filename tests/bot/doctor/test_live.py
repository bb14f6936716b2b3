"""The trial in a real channel, with each stage working and each stage broken (F224)."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.doctor.findings import Finding
from bot.doctor.live import check_live
from bot.playground import Fault, Playground, Rules
from tests.acceptance.world import a_world
from tests.support import wait_until


@pytest.fixture
async def playground() -> AsyncGenerator[Playground]:
    async with Playground(rules=Rules(rate_limits=False, retry_delays=())) as opened:
        yield opened


async def tried(playground: Playground, channel: str = "#api", seconds: float = 1) -> list[Finding]:
    client = AsyncWebClient(playground.bot_token, playground.api_url)
    return await check_live(client, playground.app_token, channel, seconds)


def levels(findings: list[Finding]) -> list[str]:
    return [each.level for each in findings]


@pytest.mark.parametrize("by_id", [False, True])
async def test_each_path_is_proven_and_nothing_stays_behind(playground: Playground, *, by_id: bool):
    """Post, event, reaction, edit; the message is deleted in the end."""
    api = playground.channel("api")
    findings = await tried(playground, api.id if by_id else "#api")
    assert levels(findings) == ["ok"] * 4
    assert api.messages == {}
    await wait_until(lambda: playground.board.lines == [])


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("message", ["ok", "fail", "ok", "fail"]),
        ("reaction_added", ["ok", "ok", "fail", "ok"]),
    ],
)
async def test_an_event_that_does_not_come_is_named(
    playground: Playground, event: str, expected: list[str]
):
    """The subscription is missing: the socket is healthy, and stays silent."""
    playground.faults.add(Fault("drop", event, count=0))
    playground.faults.add(Fault("drop", f"{event}_changed", count=0))
    findings = await tried(playground, seconds=0.3)
    assert levels(findings) == expected
    assert "Event Subscriptions" in findings[expected.index("fail")].advice


async def test_a_call_that_is_refused_is_named(playground: Playground):
    """Post, reaction, edit: Slack's own error stands in the line."""
    playground.faults.add(Fault("error", "chat.postMessage", error="is_archived"))
    (refused,) = await tried(playground)
    assert (refused.level, "is_archived" in refused.text) == ("fail", True)
    playground.faults.add(Fault("error", "reactions.add", error="missing_scope"))
    findings = await tried(playground)
    assert levels(findings) == ["ok", "ok", "fail", "ok"]
    assert "reactions.add: missing_scope" in findings[2].text


async def test_a_channel_we_are_not_in(playground: Playground):
    """Nothing is posted."""
    (refused,) = await tried(playground, "#secret")
    assert (refused.level, "/invite" in refused.advice) == ("fail", True)


async def test_no_socket(playground: Playground):
    """The dial is refused."""
    playground.faults.add(Fault("refuse", "dial"))
    (refused,) = await tried(playground)
    assert (refused.level, "No socket opens" in refused.text) == ("fail", True)


@pytest.mark.timeout(60)
async def test_beside_a_running_deskmate_no_message_is_lost(tmp_path: Path):
    """What the trial takes from it comes there again; what it misses is no failure."""
    rules = Rules(rate_limits=False)
    script = "- when: '.*'\n  steps: [{reply: ok}]"
    async with a_world(tmp_path, script, rules) as world, world.bot():
        roots: list[str] = []
        for number in range(3):
            trial = asyncio.create_task(tried(world.playground, "#web"))
            await asyncio.sleep(0.3)
            roots.append(await world.says("ann", "#api", f"@Deskmate {number}"))
            assert "fail" not in levels(await trial)
        for root in roots:
            assert await world.answered("#api", root) == ["ok"]
