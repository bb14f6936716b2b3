"""Before anything is dialled: whether Slack knows us, and what it lets us do.

The SDK would wait for ever on a refused token; here every answer comes within a bound and as one
sentence that says what to do.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.gateway.ingress import Identity
from bot.gateway.socket_mode import OpenTicket, SocketRefused
from bot.manifest import BOT_SCOPES
from harness.models import TeamId, UserId

log = structlog.get_logger()

Json = dict[str, Any]

DEADLINE_SECONDS = 8.0
BUSY = "ratelimited"
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


async def check_slack(client: AsyncWebClient, app_token: str | None) -> Ready:
    """Try both tokens, or only the client's own where no socket is wanted. Raises `StartError`."""
    try:
        async with asyncio.timeout(DEADLINE_SECONDS):
            auth, headers = await _ask(client, "auth.test")
            ticket = await _first_ticket(client, app_token)
    except SlackApiError as err:
        raise StartError(_bot_token_sentence(_error(err))) from None
    except SocketRefused as err:
        raise StartError(_app_token_sentence(str(err))) from None
    except TimeoutError:
        raise StartError(f"Slack at {client.base_url} does not answer in time.") from None
    except (aiohttp.ClientError, OSError, ValueError) as err:
        raise StartError(
            f"I can't reach Slack at {client.base_url} ({type(err).__name__}). "
            "Check the network, a proxy, or SLACK_API_URL."
        ) from None
    scopes = headers.get("x-oauth-scopes") or ""
    granted = {scope.strip() for scope in scopes.split(",") if scope.strip()}
    missing = tuple(scope for scope in BOT_SCOPES if granted and scope not in granted)
    if missing:
        log.warning("scopes missing; reinstall the app from the manifest", scopes=missing)
    return Ready(me=_identity(auth), ticket=ticket, missing_scopes=missing)


async def _first_ticket(client: AsyncWebClient, app_token: str | None) -> str:
    """Try the app token; return no ticket where none is wanted, or Slack asks us to wait."""
    if app_token is None:
        return ""
    try:
        return await open_ticket(client, app_token)
    except SocketRefused as refused:
        if str(refused) != BUSY:
            raise
        log.warning("Slack limits how often we connect; the socket dials until it may")
        return ""


async def open_ticket(client: AsyncWebClient, app_token: str) -> str:
    """Ask for the address of a socket; good for one dial. Raises `SocketRefused`."""
    try:
        answer, _ = await _ask(client, "apps.connections.open", token=app_token)
    except SlackApiError as err:
        raise SocketRefused(_error(err)) from None
    return str(answer["url"])


def tickets(client: AsyncWebClient, app_token: str, first: str) -> OpenTicket:
    """Give the preflight's ticket to the first dial and a fresh one to every later one."""
    unused = [first] if first else []

    async def ticket() -> str:
        return unused.pop() if unused else await open_ticket(client, app_token)

    return ticket


async def _ask(
    client: AsyncWebClient, method: str, **arguments: str
) -> tuple[Json, Mapping[str, str]]:
    """Call a method and return the answer with its headers; the SDK types both as anything."""
    untyped: Any = client
    answer = await untyped.api_call(method, params=arguments)
    return answer.data, {str(k).lower(): str(v) for k, v in answer.headers.items()}


def _error(err: SlackApiError) -> str:
    response: Any = err.response
    return str(response.get("error") or "an unknown error")


def _identity(auth: Json) -> Identity:
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
