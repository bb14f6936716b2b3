"""Before anything is dialled: whether Slack knows us, and what it lets us do.

The SDK would wait for ever on a refused token; here every answer comes within a bound and as one
sentence that says what to do.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.gateway.ingress import Identity
from bot.gateway.socket_mode import SocketRefused
from bot.manifest import BOT_SCOPES
from harness.models import TeamId, UserId

log = structlog.get_logger()

DEADLINE_SECONDS = 8.0
TOKEN_ERRORS = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"}
)


class StartError(Exception):
    """Deskmate cannot start; the text is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What the preflight found: who we are, and a first ticket for the socket."""

    me: Identity
    ticket: str
    missing_scopes: tuple[str, ...]


async def check_slack(client: AsyncWebClient, app_token: str) -> Ready:
    """Try both tokens. Raises `StartError`."""
    try:
        async with asyncio.timeout(DEADLINE_SECONDS):
            auth = await client.auth_test()
            ticket = await open_ticket(client, app_token)
    except SlackApiError as err:
        raise StartError(_bot_token_sentence(str(err.response.get("error")))) from None
    except SocketRefused as err:
        raise StartError(_app_token_sentence(str(err))) from None
    except TimeoutError:
        raise StartError(f"Slack at {client.base_url} does not answer in time.") from None
    except (aiohttp.ClientError, OSError, ValueError) as err:
        raise StartError(
            f"I can't reach Slack at {client.base_url} ({type(err).__name__}). "
            "Check the network, a proxy, or SLACK_API_URL."
        ) from None
    scopes = str(auth.headers.get("x-oauth-scopes") or "")
    granted = {scope.strip() for scope in scopes.split(",") if scope.strip()}
    missing = tuple(scope for scope in BOT_SCOPES if granted and scope not in granted)
    if missing:
        log.warning("scopes missing; reinstall the app from the manifest", scopes=missing)
    return Ready(me=_identity(auth.data), ticket=ticket, missing_scopes=missing)


async def open_ticket(client: AsyncWebClient, app_token: str) -> str:
    """Ask for the address of a socket; good for one dial. Raises `SocketRefused`."""
    try:
        answer = await client.apps_connections_open(app_token=app_token)
    except SlackApiError as err:
        raise SocketRefused(str(err.response.get("error"))) from None
    return str(answer["url"])


def _identity(auth: Any) -> Identity:  # noqa: ANN401 - the SDK's dict or bytes
    return Identity(
        team=TeamId(str(auth["team_id"])),
        user=UserId(str(auth["user_id"])),
        bot=str(auth.get("bot_id") or ""),
        name=str(auth.get("user") or "Deskmate"),
    )


def _bot_token_sentence(error: str) -> str:
    if error in TOKEN_ERRORS:
        return (
            f"Slack refuses SLACK_BOT_TOKEN ({error}). Copy the «Bot User OAuth Token» from "
            "your app's page, «OAuth & Permissions»."
        )
    return f"Slack answers auth.test with {error}; check SLACK_BOT_TOKEN and the app's page."


def _app_token_sentence(error: str) -> str:
    if error in TOKEN_ERRORS | {"not_allowed_token_type"}:
        return (
            f"Slack refuses SLACK_APP_TOKEN ({error}). Make an app-level token with the scope "
            "connections:write on your app's page, «Basic Information»."
        )
    if error == "missing_scope":
        return "SLACK_APP_TOKEN lacks the scope connections:write; make a new app-level token."
    return f"Slack answers apps.connections.open with {error}; is Socket Mode switched on?"
