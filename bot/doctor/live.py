"""A trial in a real channel: post, hear of it, react, edit, and take it away again.

It listens on one socket of its own and acknowledges nothing but its own message. Where others are
connected too, Slack chooses who hears what: then each stage is tried a few times, silence proves
nothing, and the trial ends before Slack sends again what it took from the others.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import UNFURL_NOTHING, Slack, SlackFailed
from bot.doctor.findings import Finding, fail, ok, warn
from bot.gateway.history import History
from bot.gateway.preflight import open_ticket
from bot.gateway.socket_mode import SocketRefused
from bot.proxy import proxy_for

LIVE = "live"
HELLO_SECONDS = 10.0
STAGE_SECONDS = 5.0
# All stages together take less than the three seconds after which Slack sends an event again.
TRIES_BESIDE_OTHERS = 3
SECONDS_BESIDE_OTHERS = 0.25
SIGN = "eyes"
REINSTALL = "See «Event Subscriptions» of the app against deskmate manifest, then reinstall it."

Json = dict[str, Any]


@dataclass(slots=True)
class Ear:
    """What our own socket hears; `others` counts the other connections of the app."""

    socket: aiohttp.ClientWebSocketResponse
    others: int
    kinds: set[str] = field(default_factory=set[str])
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, about: Callable[[Json], bool]) -> None:
        """Keep and acknowledge the events that are about our message; leave all others alone."""
        async for message in self.socket:
            envelope: Json = json.loads(message.data)
            payload: Json = envelope.get("payload") or {}
            event: Json = payload.get("event") or {}
            if about(event):
                self.kinds |= {str(event.get("type")), str(event.get("subtype"))}
                self.news.set()
                await self.socket.send_json({"envelope_id": envelope["envelope_id"]})

    async def hears(self, kind: str, seconds: float) -> bool:
        """Wait for an event of a type or subtype."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while kind not in self.kinds:
                    self.news.clear()
                    await self.news.wait()
        return kind in self.kinds


@dataclass(slots=True)
class Trial:
    """One message in one channel, from its post to its deletion."""

    slack: Slack
    channel: str
    nonce: str
    seconds: float
    ts: str = ""

    def is_about_us(self, event: Json) -> bool:
        """Whether an event tells of our message; the post's may come before its answer."""
        item: Json = event.get("item") or {}
        changed: Json = event.get("message") or {}
        known = {item.get("ts"), changed.get("ts")} - {None}
        return (self.ts in known) or self.nonce in str(event.get("text"))

    async def run(self, ear: Ear) -> list[Finding]:
        """Go through the stages; what cannot be posted cannot be heard of either."""
        listening = asyncio.create_task(ear.listen(self.is_about_us))
        try:
            self.ts = await self._post()
            return [
                ok(LIVE, f"Posted to {self.channel}"),
                await self._stage(ear, "message", self._wait),
                await self._stage(ear, "reaction_added", self._react),
                await self._stage(ear, "message_changed", self._edit),
            ]
        except SlackFailed as err:
            return [fail(LIVE, f"Slack refuses {err}", "Invite it: /invite @Deskmate.")]
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await self._clean_up()

    async def _stage(self, ear: Ear, kind: str, act: Callable[[int], Awaitable[None]]) -> Finding:
        tries, seconds = 1, self.seconds
        if ear.others:
            tries, seconds = TRIES_BESIDE_OTHERS, SECONDS_BESIDE_OTHERS
        for number in range(tries):
            try:
                await act(number)
            except SlackFailed as err:
                return fail(LIVE, f"Slack refuses {err}", REINSTALL)
            if await ear.hears(kind, seconds):
                return ok(LIVE, f"Heard its own {kind}")
        if ear.others:
            return warn(
                LIVE,
                f"{kind} was not heard here; {ear.others} other connections may have taken it",
                "That is as it should be while Deskmate runs; end it to be sure.",
            )
        return fail(LIVE, f"{kind} was not heard", REINSTALL)

    async def _post(self) -> str:
        said = {"channel": self.channel, "text": self._text("one moment"), **UNFURL_NOTHING}
        return str((await self.slack.call("chat.postMessage", said))["ts"])

    async def _wait(self, number: int) -> None:
        """Wait for the post itself; one that others heard is edited, to be heard of again."""
        if number:
            await self._edit(number)

    async def _react(self, number: int) -> None:
        place = {"channel": self.channel, "timestamp": self.ts, "name": SIGN}
        if number:
            await self.slack.call("reactions.remove", place)
        await self.slack.call("reactions.add", place)

    async def _edit(self, number: int) -> None:
        said = {"channel": self.channel, "ts": self.ts, "text": self._text(f"edit {number + 1}")}
        await self.slack.call("chat.update", said)

    def _text(self, what: str) -> str:
        return f"deskmate doctor looks whether I hear myself ({what}, {self.nonce})"

    async def _clean_up(self) -> None:
        if self.ts:
            with suppress(SlackFailed):
                await self.slack.call("chat.delete", {"channel": self.channel, "ts": self.ts})


async def check_live(
    client: AsyncWebClient, app_token: str, channel: str, seconds: float = STAGE_SECONDS
) -> list[Finding]:
    """Try all stages in a channel, named by its id or #name; leaves nothing behind."""
    slack = Slack(client, bot_user="")
    place = await _channel_id(slack, channel)
    if place is None:
        return [fail(LIVE, f"I am not in {channel}", "Invite it: /invite @Deskmate.")]
    trial = Trial(slack, place, secrets.token_hex(4), seconds)
    try:
        async with _ear(client, app_token) as ear:
            return await trial.run(ear)
    except (SocketRefused, aiohttp.ClientError, TimeoutError, KeyError) as err:
        return [fail(LIVE, f"No socket opens ({err or type(err).__name__})", "Is Socket Mode on?")]


async def _channel_id(slack: Slack, channel: str) -> str | None:
    wanted = channel.removeprefix("#")
    try:
        rooms = await History(slack).rooms()
    except SlackFailed:
        return channel  # it will be refused by its name
    return next((room.id for room in rooms if wanted in {room.id, room.name}), None)


@asynccontextmanager
async def _ear(client: AsyncWebClient, app_token: str) -> AsyncGenerator[Ear]:
    url = await open_ticket(client, app_token)
    async with (
        aiohttp.ClientSession() as http,
        http.ws_connect(url, proxy=proxy_for(url)) as socket,
    ):
        async with asyncio.timeout(HELLO_SECONDS):
            hello: Json = await socket.receive_json()
        yield Ear(socket, int(hello["num_connections"]) - 1)
