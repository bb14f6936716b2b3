"""What was said while nobody listened: read after a start and after every gap, then let in.

Each message goes through the same door and the same dedupe as a live one, so that reading it once
more, after a flapping connection or by a second gateway, changes nothing. Runs beside the socket.
The broad except here is the listener's boundary: no message stops those behind it.
Neighbours: `history` (reads), `heard` (from when), `ingress` (the door).
"""

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog

from bot.delivery import SlackFailed, SlackRefused
from bot.gateway.heard import Heard
from bot.gateway.history import History, Missed, Room
from bot.gateway.ingress import Accepted, Ingress
from harness.errors import StoreUnavailable

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pace:
    """How far back to look, and how often.

    `max_age_seconds` must be less than the life of the marks by which known messages are told
    (`storage.keys.SEEN_SECONDS`): what is older is not answered any more.
    """

    max_age_seconds: float = 20 * 3600.0
    pause_seconds: float = 2.0
    retry_seconds: tuple[float, ...] = (2.0, 10.0, 30.0, 60.0)


class Backfill:
    """Closes gaps, one after the other; `found` is called for each message that starts a turn."""

    def __init__(
        self,
        ingress: Ingress,
        history: History,
        heard: Heard,
        now: Callable[[], float],
        found: Callable[[], None],
        pace: Pace | None = None,
    ) -> None:
        self._ingress = ingress
        self._history = history
        self._heard = heard
        self._now = now
        self._found = found
        self._pace = pace or Pace()
        self._wanted = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []
        self._is_first = False

    async def start(self) -> None:
        """Wait for gaps, beside everything else; call it before the first connection."""
        self._is_first = await self._heard.begin()
        self._loops = [
            asyncio.create_task(self._close_gaps()),
            asyncio.create_task(self._heard.keep_writing()),
        ]

    async def wait(self) -> None:
        """Return only by the exception that ended one of the loops: then the process must end."""
        await asyncio.gather(*(asyncio.shield(loop) for loop in self._loops))

    async def close(self) -> None:
        """Stop reading, and write what was heard; a gap that is still open stays open."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        with suppress(StoreUnavailable):
            await self._heard.write()

    @property
    def is_done(self) -> bool:
        """Whether nothing can have been missed that was not read since."""
        return self._heard.gaps == 0

    def note(self, event: dict[str, Any], accepted: Accepted | None) -> None:
        """Note a live message event, once it is durable or known as not ours."""
        self._heard.note(event, accepted)

    def gap(self) -> None:
        """Say that something may have been missed until just now; returns at once."""
        self._heard.open_gap()
        self._wanted.set()

    async def _close_gaps(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            gaps = self._heard.gaps
            await self._read_patiently()
            self._heard.close_gaps(gaps)
            await asyncio.sleep(self._pace.pause_seconds)

    async def _read_patiently(self) -> None:
        """Read what was missed; whoever does not answer is asked again, in the end every minute."""
        pauses = self._pace.retry_seconds
        for pause in itertools.chain(pauses, itertools.repeat(pauses[-1])):
            try:
                await self._read()
            except SlackRefused as err:
                log.warning("missed messages cannot be read", error=str(err))
            except (StoreUnavailable, SlackFailed) as err:
                log.warning("missed messages not read yet", error=str(err), again_in=pause)
                await asyncio.sleep(pause)
                continue
            return

    async def _read(self) -> None:
        if self._is_first:
            # Nobody was here before us, so nothing was missed.
            self._is_first = False
            return
        began = time.monotonic()
        await self._heard.write()
        since = max(await self._heard.until(), self._now() - self._pace.max_age_seconds)
        heard: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for thread in await self._heard.threads():
            heard[thread.channel][thread.ts] = thread.last
        rooms = sorted(await self._history.rooms(), key=_liveliest_first(heard))
        found, later = 0, list[tuple[Room, str]]()
        for room in rooms:
            missed = await self._missed(room, since, heard[room.id])
            later += [(room, thread) for thread in missed.threads]
            found += await self._let_in(missed.events)
        for room, thread in later:
            found += await self._let_in(await self._history.thread(room, thread, since))
        seconds = round(time.monotonic() - began, 3)
        log.info("read what was missed", channels=len(rooms), found=found, seconds=seconds)

    async def _missed(self, room: Room, since: float, heard: dict[str, float]) -> Missed:
        try:
            return await self._history.since(room, since, heard)
        except SlackRefused as err:
            log.warning("channel not read", channel=room.id, error=str(err))
            return Missed([])

    async def _let_in(self, events: list[dict[str, Any]]) -> int:
        """Let messages in one after the other; returns how many start a turn."""
        return sum([await self._let_in_one(event) for event in events])

    async def _let_in_one(self, event: dict[str, Any]) -> bool:
        event_id = f"backfill:{event['channel']}:{event['ts']}"
        try:
            accepted = await self._ingress.message(event, event_id, live=False)
        except StoreUnavailable:
            raise
        except Exception:
            log.exception("a missed message is skipped", channel=event["channel"], ts=event["ts"])
            return False
        self._heard.note(event, accepted)
        if accepted is None or not accepted.new:
            return False
        self._found()
        return True


def _liveliest_first(heard: Iterable[str]) -> Callable[[Room], int]:
    """Order channels as they are named in `heard`, all others behind."""
    order = {channel: place for place, channel in enumerate(heard)}
    return lambda room: order.get(room.id, len(order))
