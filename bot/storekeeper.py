"""Looks after the embedded store while we run: a server that has died is started again.

What was acknowledged is on its disk, so nothing is lost; meanwhile nothing is acknowledged.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import structlog

from harness.errors import StoreUnavailable
from storage.server import EmbeddedServer

log = structlog.get_logger()

LOOK_SECONDS = 1.0


@asynccontextmanager
async def kept_alive(server: EmbeddedServer) -> AsyncGenerator[None]:
    """Keep the server alive for the length of a block."""
    keeping = asyncio.create_task(_keep(server))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def _keep(server: EmbeddedServer) -> None:
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if await server.revive():
                log.warning("the store had died; I started it again")
        except StoreUnavailable as err:
            log.warning("the store cannot be started", error=str(err))
