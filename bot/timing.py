"""When a reply moves: the first words, the next ones, a new message before Slack's wall.

Keeps time for one reply; sends nothing. Neighbours: `reply` (who moves), `pacing` (for Slack).
"""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """How a reply moves, in seconds; tests make them small.

    Slack ends a stream about 300 s after its start: the next message begins before, at a border
    of the text, and after the grace wherever it is.
    """

    first: float = 0.25
    every: float = 0.35
    rotate: float = 240.0
    grace: float = 20.0
    session: float = 1.0
    pause: float = 1.0


class Timing:
    """The deadlines of one reply, on the monotonic clock."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._opened_at = time.monotonic()
        self._first_text_at: float | None = None
        self._flushed_at = 0.0
        self._not_before = 0.0
        self._has_news = False
        self._gave_up = False
        self.session_shown = False

    def text_came(self) -> None:
        if self._first_text_at is None:
            self._first_text_at = time.monotonic()
        self._has_news = True

    def flushed(self) -> None:
        self._flushed_at = time.monotonic()
        self._has_news = False

    def hold(self, seconds: float) -> None:
        """Send nothing for a while; what is there then is news."""
        self._not_before = time.monotonic() + seconds
        self._has_news = True

    def give_up(self) -> None:
        """Send nothing more ahead of the end."""
        self._gave_up = True

    @property
    def has_news(self) -> bool:
        return self._has_news and not self._gave_up

    def is_session_due(self) -> bool:
        """Say once that the turn has lasted long enough to offer people Slack's Stop."""
        if self.session_shown or self._session_wait() > 0:
            return False
        self.session_shown = True
        return True

    def wait(self, rotate_at: float | None) -> float | None:
        """Say in how many seconds something is due; zero or less: send now; None: nothing is."""
        waits = [] if self.session_shown else [max(0.001, self._session_wait())]
        if not self._gave_up:
            now = time.monotonic()
            next_at = max(self._flushed_at + self._pace.every, self._not_before)
            if self._has_news and self._first_text_at is not None:
                waits.append(max(self._first_text_at + self._pace.first, next_at) - now)
            if rotate_at is not None:
                waits.append(max(rotate_at, next_at) - now)
        return min(waits, default=None)

    def _session_wait(self) -> float:
        return self._opened_at + self._pace.session - time.monotonic()
