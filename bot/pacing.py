"""How fast we may call Slack: token buckets, and pauses that Slack asked for.

Keeps time, calls nothing. One bucket per method, for some per channel or message too (slack.md 8).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_MOST_BUCKETS = 2_000

# Per minute, and how many at once. Methods that are not here are slow enough by themselves.
RATES: dict[str, tuple[float, float]] = {
    "chat.postMessage": (60, 5),  # per channel
    "chat.update": (50, 1),  # per message: previews at most every 1.2 s
    "chat.appendStream": (100, 40),
    "chat.startStream": (20, 20),
    "assistant.threads.setStatus": (60, 2),  # per thread
}


@dataclass(slots=True)
class Bucket:
    """What may still be called at once; `paused_until` is Slack's own word for it."""

    per_second: float
    burst: float
    left: float
    counted_at: float
    paused_until: float = 0.0

    def delay(self, now: float) -> float:
        """Say in how many seconds the next call may go."""
        self.left = min(self.burst, self.left + (now - self.counted_at) * self.per_second)
        self.counted_at = now
        missing = max(0.0, 1.0 - self.left) / self.per_second
        return max(missing, self.paused_until - now)

    def take(self) -> None:
        """Count one call, even where it is more than allowed."""
        self.left = max(self.left - 1.0, -self.burst)


class Pacing:
    """All buckets of one workspace; `rates` per minute and burst, by method."""

    def __init__(
        self,
        rates: Mapping[str, tuple[float, float]] = RATES,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rates = rates
        self._monotonic = monotonic
        self._buckets: dict[tuple[str, str], Bucket] = {}

    def delay(self, method: str, key: str = "", *, urgent: bool = False) -> float:
        """Say in how many seconds `method` may be called for `key`; 0: now.

        An `urgent` call waits only where Slack itself has asked for it.
        """
        bucket, now = self._bucket(method, key), self._monotonic()
        return max(0.0, bucket.paused_until - now if urgent else bucket.delay(now))

    def take(self, method: str, key: str = "") -> None:
        self._bucket(method, key).take()

    def pause(self, method: str, key: str, seconds: float) -> None:
        """Let no call pass until Slack takes calls again."""
        self._bucket(method, key).paused_until = self._monotonic() + seconds

    def _bucket(self, method: str, key: str) -> Bucket:
        bucket = self._buckets.get((method, key))
        if bucket is None:
            self._forget_idle()
            per_minute, burst = self._rates.get(method, (6_000, 100))
            bucket = Bucket(per_minute / 60, burst, burst, self._monotonic())
            self._buckets[method, key] = bucket
        return bucket

    def _forget_idle(self) -> None:
        if len(self._buckets) < _MOST_BUCKETS:
            return
        now = self._monotonic()
        idle = [
            key
            for key, bucket in self._buckets.items()
            if bucket.delay(now) <= 0 and bucket.left >= bucket.burst
        ]
        for key in idle:
            del self._buckets[key]
