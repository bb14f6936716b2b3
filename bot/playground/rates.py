"""Rate tiers as token buckets on the workspace's clock; a full bucket is the burst Slack tolerates.

Per method and app; chat.postMessage also per channel, setStatus per thread.
"""

import math
from dataclasses import dataclass

from bot.playground.clock import Clock

_BUSY = 600.0

PER_MINUTE: dict[str, tuple[float, float]] = {
    "1": (1.0, 10.0),
    "2": (20.0, 20.0),
    "3": (50.0, 50.0),
    "4": (100.0, 100.0),
    "post": (300.0, 100.0),
    "channel": (60.0, 10.0),
    "thread": (60.0, 20.0),
    "busy": (_BUSY, _BUSY),
}


@dataclass(slots=True)
class Bucket:
    """What is left of a burst, and when that was counted."""

    left: float
    counted_at: float


class Rates:
    """Says how long a call must wait, in clock seconds; zero means it may go now."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, ...], Bucket] = {}

    def wait(self, tier: str, *key: str) -> float:
        """Take one call from the bucket of `tier` and `key`, or say how long until it has one."""
        per_minute, burst = PER_MINUTE[tier]
        now = self._clock.now()
        bucket = self._buckets.setdefault((tier, *key), Bucket(burst, now))
        refilled = (now - bucket.counted_at) * per_minute / 60
        bucket.left = min(burst, bucket.left + refilled)
        bucket.counted_at = now
        if bucket.left >= 1:
            bucket.left -= 1
            return 0.0
        return (1 - bucket.left) * 60 / per_minute

    def retry_after(self, seconds: float) -> int:
        """Turn clock seconds into the whole wall seconds of a `Retry-After` header."""
        wall = self._clock.wall_seconds(seconds)
        return max(1, math.ceil(wall)) if math.isfinite(wall) else 1
