"""An endpoint that answers with any bytes: recorded ones, and what no decent server would send."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def endpoint(
    answer: str | Sequence[str], *, hold: bool = False, calls: list[str] | None = None
) -> AsyncGenerator[str]:
    """An endpoint that writes these bytes to whoever calls, then closes, or holds the line.

    Of several answers each call gets the next one; the last one stays.
    """

    answers = [answer] if isinstance(answer, str) else list(answer)
    serving: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        body = await reader.readexactly(int(head.split(b"content-length:")[1].split()[0]))
        if calls is not None:
            calls.append(body.decode())
        writer.write((answers.pop(0) if len(answers) > 1 else answers[0]).encode())
        await writer.drain()
        if hold:
            await reader.read(-1)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}/v1"
        await asyncio.gather(*filter(None, serving))


def http(body: str, kind: str = "text/event-stream", status: str = "200 OK") -> str:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n{body}"
