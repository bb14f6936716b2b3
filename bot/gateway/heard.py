"""Until when we surely heard everything: noted in memory, written every other second.

The mark moves over time in which nothing can have been missed. While a gap is open, from the loss
of the last connection until the history has been read, it stands still. Neighbours: `backfill`
(closes gaps), `storage.heard` (the record that all gateways share).
"""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from bot.gateway.ingress import Accepted
from harness.errors import StoreUnavailable
from harness.models import ChannelId
from storage.heard import HeardStore, Thread

log = structlog.get_logger()

WRITE_SECONDS = 2.0
FOLLOWED_SECONDS = 7 * 24 * 3600.0
# What is younger may still be on its way: sent to a connection that has just died, and again.
SETTLED_SECONDS = 120.0


class Heard:
    """What this gateway heard; no event waits for the writing of it."""

    def __init__(self, store: HeardStore, now: Callable[[], float]) -> None:
        self._store = store
        self._now = now
        self._latest = 0.0
        self._written = 0.0
        self._threads: dict[tuple[ChannelId, str], float] = {}
        self.gaps = 1  # the time before we came

    def note(self, event: dict[str, Any], accepted: Accepted | None) -> None:
        """Note a message event; call it once the event is durable, or known as not ours."""
        when = float(event.get("event_ts") or event.get("ts") or 0)
        self._latest = max(self._latest, when)
        if accepted is not None:
            self._threads[accepted.session.channel, accepted.session.thread] = when

    def open_gap(self) -> None:
        """Say that for a while nobody listened."""
        self.gaps += 1

    def close_gaps(self, count: int) -> None:
        """Say that the first so many gaps have been read."""
        self.gaps -= count

    async def begin(self) -> bool:
        """Set the mark if we are the first to listen here, and say whether we are."""
        is_first = await self._store.until() is None
        if is_first:
            await self._store.note(self._now(), {})
        return is_first

    async def until(self) -> float:
        """Return until when nothing was missed."""
        known = await self._store.until()
        return self._now() if known is None else known

    async def threads(self) -> list[Thread]:
        """Return the threads that were alive in the last week, the latest first."""
        return await self._store.threads(self._now() - FOLLOWED_SECONDS)

    async def write(self) -> None:
        """Write what is new. Raises `StoreUnavailable`; then nothing is forgotten."""
        settled = self._latest - SETTLED_SECONDS
        until = settled if self.gaps == 0 and settled > self._written else None
        threads, self._threads = self._threads, {}
        if until is None and not threads:
            return
        try:
            await self._store.note(until, threads)
        except StoreUnavailable:
            self._threads = threads | self._threads
            raise
        self._written = until or self._written

    async def keep_writing(self) -> None:
        """Write until cancelled; a store that does not answer is asked again."""
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            try:
                await self.write()
            except StoreUnavailable as err:
                log.warning("store unavailable", error=str(err))
