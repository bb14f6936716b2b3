"""How much one app gets over HTTP: the hourly limit, and switching off what only fails."""

from collections import deque

from bot.playground.rules import Rules

HOUR = 3_600.0


class Traffic:
    """Counts an app's events and outcomes over the last hour of the workspace's clock."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._sent: deque[float] = deque()
        self._outcomes: deque[tuple[float, bool]] = deque()
        self._told_minute = -1

    def has_room(self, now: float) -> bool:
        """Count one event in, or say that the hour is full."""
        while self._sent and self._sent[0] <= now - HOUR:
            self._sent.popleft()
        if len(self._sent) >= self._rules.events_per_hour:
            return False
        self._sent.append(now)
        return True

    def is_first_refusal(self, now: float) -> bool:
        """Say whether this minute's refusal has not been told yet."""
        minute = int(now // 60)
        told, self._told_minute = self._told_minute, minute
        return told != minute

    def is_hopeless(self, now: float, *, taken: bool) -> bool:
        """Count an outcome; say whether the app takes too few to go on."""
        self._outcomes.append((now, taken))
        while self._outcomes[0][0] <= now - HOUR:
            self._outcomes.popleft()
        if len(self._outcomes) < self._rules.switch_off_events:
            return False
        successes = sum(ok for _, ok in self._outcomes)
        return successes < self._rules.switch_off_share * len(self._outcomes)
