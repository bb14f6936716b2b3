"""Tokens and scopes: who may call, and what Slack answers to whom."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground


async def test_auth_test_names_the_bot_and_its_scopes(
    playground: Playground, client: AsyncWebClient
) -> None:
    """auth.test says who the token is and which scopes it has."""
    answer = await client.auth_test()

    assert answer["user_id"] == playground.app.user.id
    assert answer["team_id"] == playground.workspace.team.id
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


@pytest.mark.parametrize(
    ("token", "error"),
    [("xoxb-wrong", "invalid_auth"), (None, "not_authed")],
)
async def test_a_bad_token_is_refused(
    playground: Playground, token: str | None, error: str
) -> None:
    """An unknown token and no token have their own errors."""
    stranger = AsyncWebClient(token=token, base_url=playground.api_url)

    with pytest.raises(SlackApiError) as refused:
        await stranger.auth_test()

    assert refused.value.response["error"] == error
