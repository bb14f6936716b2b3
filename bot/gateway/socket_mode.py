"""Socket Mode: two staggered connections to Slack, each watched and replaced by one owner.

Not the SDK's client: that one retries a refused address for ever, closes the old socket before the
new one is open, and acknowledges on whichever socket is current. Here a connection is dialled with
a fresh ticket, acknowledged on itself, replaced *before* it is given up, and rebuilt with a new
HTTP session after repeated failures. What an envelope means is Bolt's part.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.proxy import proxy_for

log = structlog.get_logger()

FAILURES_UNTIL_REBUILD = 3
CLOSE_SECONDS = 2.0

OK = 200
# Bolt's answer where nobody listens: left unacknowledged, the event would come again three times.
NOBODY_LISTENS = 404


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a dial, a pong and Slack's own pings may take, and the pauses after failed dials.

    Slack pings every few seconds: after `gap_seconds` of silence events may have been missed.
    A connection of a `short_life_seconds` counts as a failed dial.
    """

    dial_seconds: float = 10.0
    ping_seconds: float = 10.0
    gap_seconds: float = 30.0
    silence_seconds: float = 45.0
    short_life_seconds: float = 10.0
    back_off_seconds: tuple[float, ...] = (0.2, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)

    def pause(self, times: int) -> float:
        """Return how long to wait after so many vain dials before."""
        return self.back_off_seconds[min(times, len(self.back_off_seconds) - 1)]


OpenTicket = Callable[[], Awaitable[str]]


class Connection:
    """One WebSocket from its `hello` to its end; `retired` is set once it should be replaced."""

    def __init__(
        self,
        ws: aiohttp.ClientWebSocketResponse,
        app: AsyncApp,
        silence_seconds: float,
        on_hello: Callable[[], None],
    ) -> None:
        self._ws = ws
        self._on_hello = on_hello
        self._app = app
        self._silence_seconds = silence_seconds
        self._tasks: set[asyncio.Task[None]] = set()
        self.hello = asyncio.Event()
        self.retired = asyncio.Event()
        self.heard_at = time.monotonic()

    async def listen(self) -> None:
        """Read until the socket ends or is silent for too long; envelopes run beside the reading.

        Slack pings each connection every few seconds, so what only answers our own pings is
        half-open: it counts as silent.
        """
        try:
            while True:
                async with asyncio.timeout(
                    self.heard_at + self._silence_seconds - time.monotonic()
                ):
                    message = await self._ws.receive()
                if message.type == aiohttp.WSMsgType.PONG:
                    continue
                self.heard_at = time.monotonic()
                if message.type == aiohttp.WSMsgType.TEXT:
                    self._receive(json.loads(message.data))
                elif message.type == aiohttp.WSMsgType.PING:
                    await self._ws.pong(message.data)
                else:
                    return
        except TimeoutError:
            log.warning("socket silent", seconds=self._silence_seconds)
        except (aiohttp.ClientError, ConnectionError, ValueError) as err:
            log.warning("socket broken", error=type(err).__name__)
        finally:
            self.retired.set()

    def _receive(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "hello":
            self._on_hello()
            self.hello.set()
        elif kind == "disconnect":
            log.info("socket retires", reason=message.get("reason"))
            self.retired.set()
        elif message.get("envelope_id"):
            task = asyncio.create_task(self._dispatch(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _dispatch(self, message: dict[str, Any]) -> None:
        """Run the listeners, then acknowledge; a failure is not acknowledged and comes again."""
        request: SocketModeRequest | None = SocketModeRequest.from_dict(message)  # pyright: ignore[reportUnknownMemberType] - the SDK types it as bare dict
        if request is None:
            return
        response: BoltResponse = await run_async_bolt_app(self._app, request)
        if response.status not in {OK, NOBODY_LISTENS}:
            log.warning("not acknowledged", status=response.status, kind=request.type)
            return
        answer: dict[str, Any] = {"envelope_id": request.envelope_id}
        if response.status == OK and response.body and message.get("accepts_response_payload"):
            answer["payload"] = _payload(response)
        with contextlib.suppress(ConnectionError, aiohttp.ClientError):
            await self._ws.send_str(json.dumps(answer))

    async def close(self) -> None:
        """End the socket within a bound, letting begun envelopes be acknowledged first."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        with contextlib.suppress(TimeoutError, aiohttp.ClientError, ConnectionError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._ws.close()


def _payload(response: BoltResponse) -> Any:  # noqa: ANN401 - whatever the listener acknowledged with
    kind = response.headers.get("content-type", [""])[0]
    return (
        json.loads(response.body)
        if kind.startswith("application/json")
        else {"text": response.body}
    )


class SocketGateway:
    """Keeps `count` connections open until closed. The only owner of reconnects.

    `on_gap` is called when a connection opens and none was alive until then.
    """

    def __init__(
        self,
        app: AsyncApp,
        open_ticket: OpenTicket,
        *,
        count: int = 2,
        patience: Patience | None = None,
        on_gap: Callable[[], None] = lambda: None,
    ) -> None:
        self._app = app
        self._open_ticket = open_ticket
        self._on_gap = on_gap
        self._count = count
        self._patience = patience or Patience()
        self._http: aiohttp.ClientSession | None = None
        self._former: list[aiohttp.ClientSession] = []
        self._live: set[Connection] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._failures = 0
        self.connected = asyncio.Event()
        self.reconnects = 0

    async def start(self) -> None:
        """Begin to dial; returns at once. `connected` is set at the first `hello`."""
        self._tasks = [asyncio.create_task(self._keep(slot)) for slot in range(self._count)]

    def heard_seconds_ago(self) -> float | None:
        """Seconds since anything was heard on a live connection; None if there is none."""
        heard = [c.heard_at for c in self._live if c.hello.is_set() and not c.retired.is_set()]
        return time.monotonic() - max(heard) if heard else None

    async def _keep(self, slot: int) -> None:
        """Hold one slot: dial, listen, and open the next connection before the old one goes."""
        if slot:
            # Staggered, so that hourly refreshes do not fall together.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience.dial_seconds * slot):
                    await self.connected.wait()
        vain = 0  # dials in a row that failed, or whose connection ended at once
        while True:
            try:
                connection, listening = await self._dial()
            except (aiohttp.ClientError, OSError, TimeoutError, SocketRefused) as err:
                await self._failed(err, self._patience.pause(vain))
                vain += 1
                continue
            opened = time.monotonic()
            await connection.retired.wait()
            self.reconnects += 1
            retiring = asyncio.create_task(self._retire(connection, listening))
            self._tasks.append(retiring)
            retiring.add_done_callback(self._tasks.remove)
            if time.monotonic() - opened >= self._patience.short_life_seconds:
                vain = 0
                continue
            if vain:
                # It flaps, and tickets are scarce. The first time, the next is dialled at once.
                await asyncio.sleep(self._patience.pause(vain - 1))
            vain += 1

    async def _dial(self) -> tuple[Connection, asyncio.Task[None]]:
        async with asyncio.timeout(self._patience.dial_seconds):
            # A ticket is good for one dial only, so each dial asks for a new one.
            url = await self._open_ticket()
            ws = await self._session().ws_connect(
                url,
                autoping=False,
                heartbeat=self._patience.ping_seconds,
                proxy=proxy_for(url),
            )
            connection = Connection(ws, self._app, self._patience.silence_seconds, self._greeted)
            listening = asyncio.create_task(connection.listen())
            self._live.add(connection)
            listening.add_done_callback(lambda _: self._live.discard(connection))
            try:
                await connection.hello.wait()
            except asyncio.CancelledError:
                listening.cancel()
                await connection.close()
                raise
        self._failures = 0
        self.connected.set()
        log.info("socket open", live=len(self._live))
        return connection, listening

    def _greeted(self) -> None:
        """Look whether the other connections were alive, before the new one brings anything."""
        heard = self.heard_seconds_ago()
        if heard is None or heard > self._patience.gap_seconds:
            self._on_gap()

    async def _failed(self, err: BaseException, pause: float) -> None:
        self._failures += 1
        log.warning("dial failed", error=str(err) or type(err).__name__, pause_seconds=pause)
        if self._failures >= FAILURES_UNTIL_REBUILD and self._http is not None:
            self._former.append(self._http)
            self._http, self._failures = None, 0
            # A connection that lives still uses the session it was dialled with.
            if not self._live:
                await self._close_former()
        await asyncio.sleep(pause)

    async def _retire(self, connection: Connection, listening: asyncio.Task[None]) -> None:
        """Let the replacement open, then close; what still arrives meanwhile is acknowledged."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.shield(listening)
        await connection.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

    def _session(self) -> aiohttp.ClientSession:
        if self._http is None or self._http.closed:
            self._http = aiohttp.ClientSession()
        return self._http

    async def close(self) -> None:
        """Close all connections, each within a bound."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(connection.close() for connection in list(self._live)))
        if self._http is not None:
            self._former.append(self._http)
        await self._close_former()

    async def _close_former(self) -> None:
        while self._former:
            await self._former.pop().close()


class SocketRefused(Exception):  # noqa: N818 - reads as the state it names
    """Slack gave no ticket; the text is Slack's own error name."""
