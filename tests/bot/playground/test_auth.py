"""Tokens and scopes: who may call, and what Slack answers to whom."""

import pytest

from bot.playground import Playground
from tests.bot.playground.clients import Api


async def test_auth_test_names_the_bot_and_its_scopes(playground: Playground, api: Api) -> None:
    """auth.test says who the token is and which scopes it has."""
    answer = await api.raw("auth.test")

    assert answer["user_id"] == playground.app.user.id
    assert answer["team_id"] == playground.workspace.team.id
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


@pytest.mark.parametrize(("token", "error"), [("xoxb-wrong", "invalid_auth"), ("", "not_authed")])
async def test_a_bad_token_is_refused(playground: Playground, token: str, error: str) -> None:
    """An unknown token and no token have their own errors."""
    assert await Api(playground, token).refused("auth.test") == error


@pytest.mark.parametrize("error", ["token_expired", "token_revoked", "account_inactive"])
async def test_a_token_that_went_bad_says_why(playground: Playground, api: Api, error: str) -> None:
    """Expired, revoked and inactive tokens are told apart."""
    playground.workspace.grants[playground.bot_token].error = error

    assert await api.refused("auth.test") == error


async def test_a_revoked_token_stays_revoked(api: Api) -> None:
    """auth.revoke ends the token for good."""
    assert (await api("auth.revoke"))["revoked"]

    assert await api.refused("auth.test") == "token_revoked"


async def test_the_two_kinds_of_token_do_not_mix(playground: Playground) -> None:
    """An app token cannot post, a bot token cannot open connections."""
    app_token = Api(playground, playground.app_token)
    bot_token = Api(playground)

    assert await app_token.refused("auth.test") == "not_allowed_token_type"
    assert (
        await bot_token.refused("apps.connections.open", app_token=playground.bot_token)
        == "not_allowed_token_type"
    )


async def test_a_missing_scope_is_named(playground: Playground, api: Api, channel: str) -> None:
    """missing_scope says what is needed and what there is."""
    playground.app.scopes.remove("chat:write")

    refusal = await api.refusal("chat.postMessage", channel=channel, text="hello")

    assert (refusal["error"], refusal["needed"]) == ("missing_scope", "chat:write")
    assert "chat:write" not in refusal["provided"].split(",")


async def test_history_needs_the_scope_of_its_kind(
    playground: Playground, api: Api, channel: str
) -> None:
    """Without channels:history a public channel cannot be read, a DM still can."""
    playground.app.scopes.remove("channels:history")
    direct = await playground.people.open_dm("ann", "Deskmate")

    refusal = await api.refusal("conversations.history", channel=channel)

    assert (refusal["error"], refusal["needed"]) == ("missing_scope", "channels:history")
    assert (await api("conversations.history", channel=direct))["messages"] == []


async def test_unknown_methods_are_named_so(playground: Playground, api: Api) -> None:
    """A method nobody has is HTTP 200 and unknown_method."""
    assert await api.refused("bookmarks.list", channel_id="C1") == "unknown_method"
    assert playground.journal.calls("bookmarks.list")[0]["status"] == 200
