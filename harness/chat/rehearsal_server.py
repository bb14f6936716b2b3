"""The rehearsal model over the OpenAI wire: SSE or JSON, on this machine only.

For tests of the real client, and to try `deskmate run` without a key:

    python -m harness.chat.rehearsal_server 8422     then OPENAI_BASE_URL=http://127.0.0.1:8422/v1
"""

import asyncio
import json
import sys
import time
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from harness.chat.accumulate import Answer
from harness.chat.rehearsal import NAME, Cue, Rehearsal
from harness.chat.wire import read_request, usage_body
from harness.context import TAIL_MARK
from harness.models import Delta, ModelRequest

_KEPT_REQUESTS = 200


@dataclass(slots=True)
class Served:
    """A request on the wire: its bytes, when all of it had come, when the end of its answer goes.

    Both times are seconds of the monotonic clock; the second is 0 until then.
    """

    size: int
    received_at: float
    answered_at: float = 0.0


class RehearsalServer:
    """Serves a rehearsal on 127.0.0.1; port 0 takes a free one.

    `requests` holds the newest bodies, `served` their sizes and times; `left` counts the clients
    that went away in an answer.
    """

    def __init__(self, rehearsal: Rehearsal | None = None, port: int = 0) -> None:
        self._rehearsal = rehearsal or Rehearsal()
        self._port = port
        self._runner = web.AppRunner(self._app(), handler_cancellation=True, shutdown_timeout=0.1)
        self.requests: deque[dict[str, Any]] = deque(maxlen=_KEPT_REQUESTS)
        self.served: deque[Served] = deque(maxlen=_KEPT_REQUESTS)
        self.left = 0

    @property
    def base_url(self) -> str:
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}/v1"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._completions)
        return app

    async def _models(self, _: web.Request) -> web.Response:
        models = [{"id": NAME, "object": "model", "created": 0, "owned_by": "deskmate"}]
        return web.json_response({"object": "list", "data": models})

    async def _completions(self, call: web.Request) -> web.StreamResponse:
        raw = await call.read()
        served = Served(len(raw), time.monotonic())
        try:
            body: dict[str, Any] = json.loads(raw)
            request = read_request(body, TAIL_MARK)
        except (ValueError, KeyError, TypeError, AttributeError):
            return _error(400, "This is not a chat completion request.")
        self.requests.append(body)
        self.served.append(served)
        cue = self._rehearsal.cue(request)
        if cue.step.fail is not None:
            return _error(cue.step.fail.status, cue.step.fail.message, cue)
        try:
            if body.get("stream"):
                return await self._stream(call, cue, request, served)
            return await self._whole(cue, request, served)
        except (asyncio.CancelledError, ConnectionError):
            self.left += 1
            raise

    async def _stream(
        self, call: web.Request, cue: Cue, request: ModelRequest, served: Served
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(call)
        async for delta in self._rehearsal.play(cue, request):
            await response.write(_event(_chunk(request.model, delta)))
        if cue.step.cut:
            if call.transport is not None:
                call.transport.abort()
            return response
        served.answered_at = time.monotonic()
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    async def _whole(self, cue: Cue, request: ModelRequest, served: Served) -> web.Response:
        answer = Answer("call")
        async for delta in self._rehearsal.play(cue, request):
            answer.add(delta)
        message = answer.message()
        choice = {
            "index": 0,
            "finish_reason": answer.finish or "stop",
            "message": {
                "role": "assistant",
                "content": message.content or None,
                "tool_calls": [
                    _tool_call(call.id, call.name, call.arguments) for call in message.tool_calls
                ],
            },
        }
        usage = usage_body(answer.usage(request))
        served.answered_at = time.monotonic()
        return web.json_response(_envelope(request.model, "chat.completion", [choice], usage))


def _chunk(model: str, delta: Delta) -> dict[str, Any]:
    fragment: dict[str, Any] = {}
    if delta.text:
        fragment["content"] = delta.text
    if delta.tool_call:
        part = delta.tool_call
        fragment["tool_calls"] = [
            {"index": part.index, **_tool_call(part.id, part.name, part.arguments)}
        ]
    choice = {"index": 0, "delta": fragment, "finish_reason": delta.finish or None}
    usage = usage_body(delta.usage) if delta.usage else None
    return _envelope(model, "chat.completion.chunk", [choice], usage)


def _tool_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _envelope(
    model: str, kind: str, choices: list[dict[str, Any]], usage: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": "chatcmpl-rehearsal",
        "object": kind,
        "created": 0,
        "model": model,
        "choices": choices,
        "usage": usage,
    }


def _event(payload: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(payload)}\n\n".encode()


def _error(status: int, message: str, cue: Cue | None = None) -> web.Response:
    fail = cue.step.fail if cue else None
    asked = fail.retry_after if fail else None
    headers = {} if asked is None else {"Retry-After": f"{asked:g}"}
    body = {"error": {"message": message, "type": "rehearsal", "param": None, "code": None}}
    return web.json_response(body, status=status, headers=headers)


async def _serve(port: int) -> None:
    async with RehearsalServer(port=port) as server:
        sys.stdout.write(f"The rehearsal model answers at {server.base_url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Serve until interrupted; the only argument is the port."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8422
    try:
        asyncio.run(_serve(port))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
