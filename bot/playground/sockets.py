"""Socket Mode connections: tickets, hello, and which socket an envelope goes to.

A `Line` is one live WebSocket of an app; the `Switchboard` knows them all. What is sent over them
and when it is sent again is `deliveries`.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable
from typing import Literal

from aiohttp import WSMsgType, web

from bot.playground.errors import Json
from bot.playground.faults import DIAL, Faults
from bot.playground.journal import Journal
from bot.playground.model import App
from bot.playground.rules import Rules

Ending = Literal["abort", "close", "mute", "warning", "refresh_requested", "link_disabled"]
Acknowledged = Callable[[App, str, Json | None], None]
_REFUSE = frozenset({"refuse"})


class Line:
    """One connection; `muted` is a half-open socket: it looks alive and carries nothing."""

    def __init__(
        self,
        number: str,
        app: App,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport | None,
    ) -> None:
        self.number = number
        self.app = app
        self.socket = socket
        self._transport = transport
        self.muted = False
        self.outbox: asyncio.Queue[str] = asyncio.Queue()

    def send(self, message: Json) -> None:
        self.outbox.put_nowait(json.dumps(message, ensure_ascii=False))

    async def write(self) -> None:
        """Send what is in the outbox, in order, until cancelled; a muted line swallows it."""
        while True:
            text = await self.outbox.get()
            if not self.muted and not self.socket.closed:
                await self.socket.send_str(text)

    def abort(self) -> None:
        """Cut the connection without a word."""
        if self._transport is not None:
            self._transport.abort()

    async def answer_ping(self, payload: bytes) -> None:
        if not self.muted:
            await self.socket.pong(payload)


class Switchboard:
    """The lines of all apps; takes tickets and picks the line for an envelope."""

    def __init__(self, journal: Journal, faults: Faults, rules: Rules, dice: random.Random) -> None:
        self._journal = journal
        self._faults = faults
        self._rules = rules
        self._dice = dice
        self.tickets: dict[str, tuple[App, float]] = {}
        self._opened = 0
        self.lines: list[Line] = []
        self.acknowledged: Acknowledged | None = None

    def lines_of(self, app: App) -> list[Line]:
        return [line for line in self.lines if line.app.id == app.id]

    def pick(self, app: App) -> Line | None:
        """Pick one of the app's lines; Slack promises no pattern, so the dice decide."""
        lines = self.lines_of(app)
        return self._dice.choice(lines) if lines else None

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Take a dial: refuse it, or hold the line until it ends."""
        app = self._redeem(request.query.get("ticket", ""))
        if app is None or self._faults.take(DIAL, _REFUSE):
            self._journal.add("dial", ok=False, app=app.id if app else None)
            return web.Response(status=408, text="ticket expired")
        socket = web.WebSocketResponse(autoping=False, heartbeat=None, compress=False)
        await socket.prepare(request)
        if len(self.lines_of(app)) >= self._rules.max_sockets:
            await socket.send_json(_farewell("too_many_websockets"))
            await socket.close()
            return socket
        await self._hold(app, socket, request.transport)
        return socket

    async def end(self, line: Line, how: Ending) -> None:
        """End a line the way Slack, a network or a laptop lid would."""
        self._journal.add("socket", line=line.number, app=line.app.id, state=how)
        if how == "mute":
            line.muted = True
        elif how == "abort":
            self.lines.remove(line)
            line.abort()
        elif how == "warning":
            line.send(_farewell(how))
        else:
            self.lines.remove(line)
            if how != "close":
                await line.socket.send_json(_farewell(how))
            await line.socket.close()

    async def ping_all(self) -> None:
        """Ping every line, for ever; clients watch for it."""
        while True:
            await asyncio.sleep(self._rules.ping_seconds)
            for line in list(self.lines):
                if not line.muted and not line.socket.closed:
                    await line.socket.ping(b"Ping from playground")

    async def close(self) -> None:
        for line in list(self.lines):
            line.abort()

    def _redeem(self, ticket: str) -> App | None:
        app, until = self.tickets.pop(ticket, (None, 0.0))
        return app if time.monotonic() <= until else None

    async def _hold(
        self, app: App, socket: web.WebSocketResponse, transport: asyncio.Transport | None
    ) -> None:
        self._opened += 1
        line = Line(f"S{self._opened}", app, socket, transport)
        self.lines.append(line)
        self._journal.add("socket", line=line.number, app=app.id, state="open")
        line.send(_hello(app, len(self.lines_of(app))))
        writer = asyncio.create_task(line.write())
        try:
            await self._read(line)
        finally:
            writer.cancel()
            if line in self.lines:
                self.lines.remove(line)
            self._journal.add("socket", line=line.number, app=app.id, state="closed")

    async def _read(self, line: Line) -> None:
        async for message in line.socket:
            if message.type is WSMsgType.PING:
                await line.answer_ping(message.data)
            elif message.type is WSMsgType.TEXT and not line.muted:
                self._hear(line, message.data)

    def _hear(self, line: Line, text: str) -> None:
        try:
            said: Json = json.loads(text)
        except ValueError:
            return
        envelope_id = said.get("envelope_id")
        if envelope_id and self.acknowledged:
            self.acknowledged(line.app, envelope_id, said.get("payload"))


def _hello(app: App, connections: int) -> Json:
    return {
        "type": "hello",
        "num_connections": connections,
        "debug_info": {
            "host": "playground",
            "build_number": 1,
            "approximate_connection_time": 18060,
        },
        "connection_info": {"app_id": app.id},
    }


def _farewell(reason: str) -> Json:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "playground"}}
