"""The workspace's own time: it can run faster than the wall, stand still, or jump.

Retry delays, the lives of streams, statuses and URLs, and rate buckets run on it. What measures
the network (acknowledgements, tickets, pings) stays on the wall clock.
"""

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Timer:
    """One appointment on the clock."""

    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class Clock:
    """Time in seconds since the epoch; `scale` clock seconds pass in one second of the wall.

    With `scale=0` it moves only by `advance`: two runs of one seed then carry equal times.
    """

    def __init__(self, start: float | None = None, scale: float = 1.0) -> None:
        self._scale = scale
        self._wall = time.monotonic()
        self._base = time.time() if start is None else start
        self._due: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def scale(self) -> float:
        return self._scale

    def now(self) -> float:
        return self._base + (time.monotonic() - self._wall) * self._scale

    def set_scale(self, scale: float) -> None:
        """Let the clock run `scale` times as fast as the wall from now on."""
        self._base, self._wall = self.now(), time.monotonic()
        self._scale = scale
        self._set_alarm()

    def advance(self, seconds: float) -> None:
        """Jump forward; appointments on the way are kept at once."""
        self._base += seconds
        self._fire()

    def wall_seconds(self, seconds: float) -> float:
        """Say how long `seconds` of this clock take on the wall."""
        return seconds / self._scale if self._scale else float("inf")

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Run `callback` in the event loop once `seconds` of this clock have passed."""
        timer = Timer(callback)
        heapq.heappush(self._due, (self.now() + seconds, next(self._order), timer))
        if self._due[0][2] is timer:
            self._set_alarm()
        return timer

    def close(self) -> None:
        """Forget all appointments."""
        self._due.clear()
        self._set_alarm()

    def _fire(self) -> None:
        while self._due and self._due[0][0] <= self.now() + 1e-6:
            timer = heapq.heappop(self._due)[2]
            if not timer.cancelled:
                timer.callback()
        self._set_alarm()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        while self._due and self._due[0][2].cancelled:
            heapq.heappop(self._due)
        if not self._due:
            return
        left = self._due[0][0] - self.now()
        delay = self.wall_seconds(left) if left > 0 else 0.0
        if math.isfinite(delay):
            self._alarm = asyncio.get_running_loop().call_later(delay, self._fire)
