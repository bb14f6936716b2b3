"""Slack as we call it: one client, our error policy, our pace.

A call is refused (`SlackRefused`), or Slack is busy (`SlackBusy`), or it does not answer
(`SlackUnreachable`), and then the call may or may not have happened. Neighbours: `pacing` (how
fast), `signs` (status and reactions, beside the reply), `part` (what is told to whom).
"""

import asyncio
from http import HTTPStatus
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.failures import SlackBusy, SlackFailed, SlackRefused, SlackUnreachable
from bot.outbound import inert
from bot.pacing import Pacing
from bot.plain import escape
from bot.signs import Signs

__all__ = ["Slack", "SlackBusy", "SlackFailed", "SlackRefused", "SlackUnreachable"]

Json = dict[str, Any]

TRIES = 6
LONGEST_PAUSE_SECONDS = 60.0
DEADLINE_SECONDS = 20.0
SIGN_DEADLINE_SECONDS = 3.0
_BACK_OFF_SECONDS = (0.2, 0.5, 1.0, 2.0, 4.0)
_BUSY = frozenset({"ratelimited", "rate_limited"})
_BROKEN = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)


class Slack:
    """One workspace, through one client and one aiohttp session (both owned by the caller).

    `streams` is false once Slack has said that it has no streaming here.
    """

    def __init__(
        self, client: AsyncWebClient, *, bot_user: str, pacing: Pacing | None = None
    ) -> None:
        # The SDK's own retries would repeat a post whose answer got lost.
        self._client = AsyncWebClient(
            client.token,
            client.base_url,
            ssl=client.ssl,
            proxy=client.proxy,
            session=client.session,
            retry_handlers=[],
        )
        self.bot_user = bot_user
        self.pacing = pacing or Pacing()
        self.streams = True
        self.signs = Signs(self._sign)

    async def call(
        self,
        method: str,
        arguments: Json,
        *,
        key: str = "",
        repeatable: bool = False,
        urgent: bool = False,
    ) -> Json:
        """Make a call and wait as long as Slack asks for; `key`: the channel of its pace.

        A call that may have happened is made again only if it is `repeatable`. An `urgent` one
        keeps no pace of its own.
        """
        pauses = 0
        for back_off in (*_BACK_OFF_SECONDS, None):
            try:
                await asyncio.sleep(self.pacing.delay(method, key, urgent=urgent))
                return await self.call_once(method, arguments, key=key)
            except SlackBusy as busy:
                pauses += 1
                if pauses == TRIES or busy.retry_after > LONGEST_PAUSE_SECONDS:
                    raise
            except SlackUnreachable as lost:
                if back_off is None or (lost.may_be_done and not repeatable):
                    raise
                await asyncio.sleep(back_off)
        raise SlackUnreachable(method, may_be_done=False)

    async def call_now(self, method: str, arguments: Json, *, key: str = "") -> Json:
        """Make a call once, if its pace allows it now; else raise `SlackBusy`."""
        delay = self.pacing.delay(method, key)
        if delay > 0:
            raise SlackBusy(method, delay)
        return await self.call_once(method, arguments, key=key)

    async def call_once(
        self, method: str, arguments: Json, *, key: str = "", deadline: float = DEADLINE_SECONDS
    ) -> Json:
        """Make a call, whatever the pace, and read its outcome."""
        self.pacing.take(method, key)
        try:
            async with asyncio.timeout(deadline):
                return await self._send(method, arguments)
        except SlackApiError as err:
            failure = _failure(method, err)
            if isinstance(failure, SlackBusy):
                self.pacing.pause(method, key, failure.retry_after)
            raise failure from err
        except _NOT_SENT as err:
            raise SlackUnreachable(method, may_be_done=False) from err
        except (aiohttp.ClientError, TimeoutError, OSError) as err:
            raise SlackUnreachable(method, may_be_done=True) from err

    async def _send(self, method: str, arguments: Json) -> Json:
        given = {name: value for name, value in arguments.items() if value is not None}
        encoding: Json = {"params": given}
        if method.startswith(("chat.", "agents.", "assistant.")):
            encoding = {"json": given}
        elif not method.startswith(("reactions.", "conversations.open")):
            encoding["http_verb"] = "GET"
        answer: Any = await self._client.api_call(method, **encoding)  # pyright: ignore[reportUnknownMemberType] - the SDK types it as bare dict
        return cast("Json", answer.data)

    def react(self, channel: str, ts: str, name: str) -> None:
        """Put a reaction on a message, beside everything else."""
        self.signs.put(
            ("reaction", channel, ts, name),
            "reactions.add",
            {"channel": channel, "timestamp": ts, "name": name},
        )

    def unreact(self, channel: str, ts: str, name: str) -> None:
        """Take our reaction back, beside everything else."""
        self.signs.put(
            ("reaction", channel, ts, name),
            "reactions.remove",
            {"channel": channel, "timestamp": ts, "name": name},
        )

    def whisper(self, channel: str, user: str, thread_ts: str, text: str) -> None:
        """Say something to one person only, beside everything else."""
        arguments = _whispered(channel, user, thread_ts, text)
        self.signs.put(("whisper", channel, user, text), "chat.postEphemeral", arguments)

    async def post_ephemeral(self, channel: str, user: str, thread_ts: str, text: str) -> None:
        """Say something to one person only; raises `SlackFailed`."""
        await self.call("chat.postEphemeral", _whispered(channel, user, thread_ts, text))

    async def post_direct(self, user: str, text: str) -> None:
        """Write to a person directly; raises `SlackFailed`."""
        opened = await self.call("conversations.open", {"users": user}, repeatable=True)
        channel = str(opened["channel"]["id"])
        said = {"channel": channel, "text": escape(inert(text)), **UNFURL_NOTHING}
        await self.call("chat.postMessage", said, key=channel)

    async def close(self) -> None:
        """Let what is under way beside the replies end, within a short bound."""
        await self.signs.close()

    async def _sign(self, method: str, arguments: Json) -> None:
        key = str(arguments.get("thread_ts", "")) if method.startswith("assistant.") else ""
        await self.call_once(method, arguments, key=key, deadline=SIGN_DEADLINE_SECONDS)


UNFURL_NOTHING: Json = {"unfurl_links": False, "unfurl_media": False}


def _whispered(channel: str, user: str, thread_ts: str, text: str) -> Json:
    said = escape(inert(text))
    return {"channel": channel, "user": user, "thread_ts": thread_ts or None, "text": said}


def _failure(method: str, err: SlackApiError) -> SlackFailed:
    response: Any = err.response
    status = int(getattr(response, "status_code", None) or getattr(response, "status", 0) or 0)
    data = getattr(response, "data", None)
    error = str(cast("Json", data).get("error", "")) if isinstance(data, dict) else ""
    if status == HTTPStatus.TOO_MANY_REQUESTS or error in _BUSY:
        return SlackBusy(method, _seconds(response.headers.get("Retry-After", "1")))
    if not error or error in _BROKEN or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return SlackUnreachable(method, may_be_done=True)
    return SlackRefused(method, error)


def _seconds(written: str) -> float:
    try:
        return float(written)
    except ValueError:
        return 1.0
