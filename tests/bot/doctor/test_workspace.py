"""Slack's tokens and scopes, against a real playground."""

from collections.abc import AsyncGenerator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.doctor.findings import Finding
from bot.doctor.workspace import check_workspace
from bot.playground import Playground


@pytest.fixture
async def playground() -> AsyncGenerator[Playground]:
    async with Playground() as opened:
        yield opened


async def found(
    playground: Playground, bot_token: str = "", app_token: str | None = ""
) -> list[Finding]:
    client = AsyncWebClient(bot_token or playground.bot_token, playground.api_url)
    chosen = playground.app_token if app_token == "" else app_token
    return await check_workspace(client, chosen)


async def test_a_workspace_in_order(playground: Playground):
    """Both tokens, all scopes, some channels."""
    findings = await found(playground)
    assert [each.level for each in findings] == ["ok"] * 4
    assert "It is in 4 channels" in findings[3].text


async def test_scopes_that_drifted_are_named(playground: Playground):
    """F223: an app that was installed before an upgrade lacks what the manifest asks for now."""
    playground.app.scopes.remove("reactions:write")
    scopes = (await found(playground))[1]
    assert (scopes.level, "reactions:write" in scopes.text) == ("warn", True)
    assert "reinstall" in scopes.advice
    playground.app.scopes.remove("chat:write")
    assert (await found(playground))[1].level == "fail"


async def test_a_refused_token_is_one_line(playground: Playground):
    """F228: it neither hangs nor goes on; a refused app token is told beside what works."""
    findings = await found(playground, bot_token="xoxb-wrong")
    assert [each.level for each in findings] == ["fail"]
    assert "SLACK_BOT_TOKEN (invalid_auth)" in findings[0].text
    findings = await found(playground, app_token="xapp-wrong")
    assert [each.level for each in findings] == ["ok", "ok", "fail", "ok"]
    assert "SLACK_APP_TOKEN (invalid_auth)" in findings[2].text


async def test_a_host_of_workers_has_no_app_token(playground: Playground):
    """What is not set is not tried."""
    assert len(await found(playground, app_token=None)) == 3


async def test_a_bot_that_nobody_invited(playground: Playground):
    """It works, but nobody meets it."""
    for channel in playground.workspace.channels.values():
        channel.members.pop(playground.app.user.id, None)
    rooms = (await found(playground))[3]
    assert (rooms.level, rooms.advice) == ("warn", "Invite it: /invite @Deskmate.")
