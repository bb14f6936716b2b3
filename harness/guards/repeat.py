"""The repeat rule: a model that does the same again and gets no further is told so, then stopped.

State is a fold over the turn's own calls and results, so it is as durable as the turn's record.
A failed or refused call may be repeated once, and only if that can help; a successful one as long
as its result changes; two calls in turn as long as one of them moves. What is blocked twice in a
row ends the turn for a person to look at. Neighbour: `harness.calls`, which asks before and after
each call and tells what the model was given.
"""

import hashlib
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from harness.guards.effects import changes
from harness.models import Effect, ToolResult
from harness.tools.results import content_of

_FAILURES = 2
_SAME_RESULTS = 3
_ALTERNATIONS = 3
_SAME_RESULTS_ANY_CALL = 5
_BLOCKS = 2
_TOLD = 3
_SUGGESTION = (
    "Find out why first. Then change the arguments, use another tool, "
    "or finish and say what is missing."
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call as the rule sees it; `step` counts the answers of the turn from 1."""

    fingerprint: str
    effect: Effect
    label: str
    step: int


@dataclass(slots=True)
class _Past:
    """What came of one call so far; `results` are hashes, newest last."""

    failures: list[ToolResult] = field(default_factory=list[ToolResult])
    results: deque[str] = field(default_factory=lambda: deque[str](maxlen=_SAME_RESULTS))

    @property
    def is_standing_still(self) -> bool:
        return len(self.results) > 1 and self.results[-1] == self.results[-2]


class Repeats:
    """The calls of one turn so far."""

    def __init__(self) -> None:
        self._past: defaultdict[str, _Past] = defaultdict(_Past)
        self._calls = deque[str](maxlen=2 * _ALTERNATIONS - 1)
        self._results = deque[str](maxlen=_SAME_RESULTS_ANY_CALL - 1)
        self._tried: Counter[str] = Counter()
        self._blocked: dict[str, str] = {}
        self._in_a_row = 0
        self._blocked_step = 0

    def refusal(self, attempt: Attempt) -> ToolResult | None:
        """Say whether a call must not be run again."""
        failures = self._past[attempt.fingerprint].failures
        if failures and (len(failures) >= _FAILURES or not failures[-1].retryable):
            why = failures[-1].message.rstrip(".")
            return _block(f"This very call failed before ({why}), so I did not run it again")
        if self._alternates(attempt.fingerprint):
            return _block("You make the same two calls in turn and nothing changes; I ran neither")
        return None

    def objection(self, attempt: Attempt, result: ToolResult) -> ToolResult | None:
        """Say whether a result brings nothing new, so that the model is told that instead."""
        digest = _digest(result)
        same = self._past[attempt.fingerprint].results
        if result.status == "ok" and list(same) == [digest] * _SAME_RESULTS:
            return _block(f"It ran, and gave the same result as the last {_SAME_RESULTS} times")
        if list(self._results) == [digest] * (_SAME_RESULTS_ANY_CALL - 1):
            return _block(
                "It ran, but your calls keep giving this one result, whatever the arguments"
            )
        return None

    def note(self, attempt: Attempt, given: ToolResult) -> None:
        """Take note of what the model was given for a call."""
        self._calls.append(attempt.fingerprint)
        self._tried[attempt.fingerprint] += 1
        past = self._past[attempt.fingerprint]
        if given.error_type == "repeat_blocked":
            self._note_block(attempt, past)
            return
        self._in_a_row = 0
        past.results.append(_digest(given))
        self._results.append(past.results[-1])
        if given.status == "ok":
            if changes(attempt.effect):  # what failed before may work now
                for other in self._past.values():
                    other.failures.clear()
        elif given.error_type != "unknown_outcome":  # nobody knows whether it failed
            past.failures.append(given)

    @property
    def is_stuck(self) -> bool:
        return self._in_a_row >= _BLOCKS

    def tried(self) -> str:
        """Tell a person which calls were repeated, how often, and what came of them."""
        told = [
            f"{what} ({self._tried[fingerprint]} times)"
            for fingerprint, what in list(self._blocked.items())[-_TOLD:]
        ]
        return "; ".join(told)

    def _alternates(self, fingerprint: str) -> bool:
        calls = (*self._calls, fingerprint)
        one, other = calls[-2:] if len(calls) > 1 else ("", "")
        return (
            calls == (one, other) * _ALTERNATIONS
            and one != other
            and self._past[one].is_standing_still
            and self._past[other].is_standing_still
        )

    def _note_block(self, attempt: Attempt, past: _Past) -> None:
        """Count a block; several in one answer are one, for the model has not read of it yet."""
        if attempt.step != self._blocked_step:
            self._in_a_row += 1
        self._blocked_step = attempt.step
        came_of_it = past.failures[-1].message if past.failures else "the same result each time"
        self._blocked[attempt.fingerprint] = f"{attempt.label}: {came_of_it.rstrip('.')}"


def _block(problem: str) -> ToolResult:
    return ToolResult(
        status="error",
        error_type="repeat_blocked",
        message=f"{problem}.",
        suggestion=_SUGGESTION,
    )


def _digest(result: ToolResult) -> str:
    return hashlib.sha256(content_of(result).encode(errors="replace")).hexdigest()
