"""HTTP to an app's request URLs: signed, three seconds to answer, as Slack posts it.

Only one post at a time is its business; when it is sent and sent again is `deliveries`.
"""

import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

import aiohttp

from bot.playground.errors import Json
from bot.playground.model import App, Delivery, Endpoint
from bot.playground.rules import Rules

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_MOST_REDIRECTS = 2
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (TimeoutError, "http_timeout"),
    (aiohttp.TooManyRedirects, "too_many_redirects"),
    (aiohttp.ClientSSLError, "ssl_error"),
    (aiohttp.ClientConnectionError, "connection_failed"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one post: `reason` is empty once the app took it."""

    reason: str
    answer: Json | None = None
    final: bool = False


class Callbacks:
    """Posts to request URLs; the connection pool opens with the first post."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._session: aiohttp.ClientSession | None = None

    async def post(self, endpoint: Endpoint, delivery: Delivery) -> Outcome:
        """Post one delivery and read the app's answer."""
        url, kind, body = _request(endpoint, delivery)
        headers = {"Content-Type": kind, **signature(delivery.app, body)}
        if delivery.attempt:
            headers["X-Slack-Retry-Num"] = str(delivery.attempt)
            headers["X-Slack-Retry-Reason"] = delivery.reason
        status, said, final = await self._send(url, body, headers)
        if isinstance(status, str):
            return Outcome(status)
        if status // 100 != 2:  # noqa: PLR2004 - any success
            return Outcome("http_error", final=final)
        return Outcome("", _answer(said))

    async def verify(self, app: App, url: str) -> bool:
        """Ask an app for the challenge, as Slack does before it takes a request URL."""
        challenge = hashlib.sha256(f"{app.id} {url}".encode()).hexdigest()[:32]
        shape = {"token": "playground", "challenge": challenge, "type": "url_verification"}
        body = json.dumps(shape).encode()
        headers = {"Content-Type": _JSON, **signature(app, body)}
        status, said, _ = await self._send(url, body, headers)
        return status == 200 and challenge in said  # noqa: PLR2004 - OK

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def _send(
        self, url: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int | str, str, bool]:
        """Give status, body and whether the app wants no retry; or why there is no status."""
        self._session = self._session or aiohttp.ClientSession()
        limit = aiohttp.ClientTimeout(total=self._rules.ack_seconds)
        try:
            async with self._session.post(
                url, data=body, headers=headers, timeout=limit, max_redirects=_MOST_REDIRECTS
            ) as response:
                final = response.headers.get("X-Slack-No-Retry") == "1"
                return response.status, await response.text(), final
        except (TimeoutError, aiohttp.ClientError, UnicodeDecodeError) as error:
            reasons = (name for kind, name in _REASONS if isinstance(error, kind))
            return next(reasons, "unknown_error"), "", False


def signature(app: App, body: bytes) -> dict[str, str]:
    """Sign a body with the app's secret: Slack's version 0, on the wall clock."""
    stamp = str(int(time.time()))
    signed = f"v0:{stamp}:".encode() + body
    digest = hmac.new(app.signing_secret.encode(), signed, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def _request(endpoint: Endpoint, delivery: Delivery) -> tuple[str, str, bytes]:
    """Say where a delivery goes, as what, and its bytes."""
    payload = delivery.payload
    if delivery.kind == "events_api":
        return endpoint.events, _JSON, json.dumps(payload, ensure_ascii=False).encode()
    if delivery.kind == "slash_commands":
        return endpoint.commands, _FORM, urlencode(payload).encode()
    packed = urlencode({"payload": json.dumps(payload, ensure_ascii=False)})
    return endpoint.interactivity, _FORM, packed.encode()


def _answer(said: str) -> Json | None:
    """Read what came with the acknowledgement: JSON, or the text of a message."""
    if not said.strip():
        return None
    try:
        value: Any = json.loads(said)
    except ValueError:
        return {"text": said}
    return cast("Json", value) if isinstance(value, dict) else {"text": said}
