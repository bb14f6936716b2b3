"""Before the first dial: what the tokens are good for."""

from collections.abc import AsyncGenerator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.gateway.preflight import StartError, check_slack, tickets
from bot.manifest import BOT_SCOPES
from bot.playground import Fault, Playground


@pytest.fixture
async def playground() -> AsyncGenerator[Playground]:
    async with Playground() as opened:
        yield opened


def client_of(playground: Playground, token: str = "") -> AsyncWebClient:
    return AsyncWebClient(token or playground.bot_token, playground.api_url)


async def test_it_finds_out_who_we_are_and_brings_a_first_ticket(playground: Playground):
    """Two calls; all scopes of the manifest are there."""
    ready = await check_slack(client_of(playground), playground.app_token)
    assert (ready.me.user, ready.me.bot) == (playground.app.user.id, playground.app.user.bot_id)
    assert ready.ticket.startswith("ws")
    assert ready.missing_scopes == ()


async def test_scopes_that_drifted_are_found_at_each_start(playground: Playground):
    """F223: the app was installed before the manifest asked for more."""
    playground.app.scopes[:] = [scope for scope in BOT_SCOPES if not scope.startswith("files:")]
    ready = await check_slack(client_of(playground), playground.app_token)
    assert ready.missing_scopes == ("files:read", "files:write")


async def test_a_worker_needs_no_app_token(playground: Playground):
    """No socket, no ticket."""
    assert (await check_slack(client_of(playground), None)).ticket == ""
    assert playground.journal.calls("apps.connections.open") == []


async def test_each_dial_gets_a_ticket_of_its_own(playground: Playground):
    """The preflight's first, fresh ones after it."""
    client = client_of(playground)
    ready = await check_slack(client, playground.app_token)
    ticket = tickets(client, playground.app_token, ready.ticket)
    given = [await ticket() for _ in range(3)]
    assert given[0] == ready.ticket
    assert len(set(given)) == 3


async def test_who_is_slowed_down_dials_later(playground: Playground):
    """A 429 for the ticket is no reason not to start."""
    playground.faults.add(Fault("rate_limited", "apps.connections.open", seconds=30))
    assert (await check_slack(client_of(playground), playground.app_token)).ticket == ""


@pytest.mark.parametrize(
    ("method", "error", "named"),
    [
        ("auth.test", "account_inactive", "SLACK_BOT_TOKEN (account_inactive)"),
        ("auth.test", "org_login_required", "auth.test with org_login_required"),
        ("apps.connections.open", "missing_scope", "lacks the scope connections:write"),
        ("apps.connections.open", "not_allowed_token_type", "SLACK_APP_TOKEN"),
        ("apps.connections.open", "forbidden_team", "is Socket Mode switched on"),
    ],
)
async def test_a_refusal_is_one_sentence_that_says_what_to_do(
    playground: Playground, method: str, error: str, named: str
):
    """F228: each ends the start at once."""
    playground.faults.add(Fault("error", method, error=error))
    with pytest.raises(StartError, match=r"\.|\?") as refused:
        await check_slack(client_of(playground), playground.app_token)
    assert named in str(refused.value)
