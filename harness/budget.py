"""How much one turn may spend: steps, tokens, time. Reaching a limit ends the turn cleanly."""

import asyncio
from dataclasses import dataclass

from harness.errors import TurnStopped
from harness.models import Usage

_NOTE_AT = 0.8


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn; `tokens` counts uncached input and output, `seconds` one attempt.

    `context_tokens` bounds one request: well before it, older parts of a session are summed up.
    """

    steps: int = 40
    tokens: int = 200_000
    seconds: float = 900.0
    context_tokens: int = 100_000


class Budget:
    """The limits of a turn that has begun now."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._deadline = asyncio.get_running_loop().time() + limits.seconds

    @property
    def context_tokens(self) -> int:
        """The most tokens that one request should have."""
        return self._limits.context_tokens

    def check(self, steps: int, usage: Usage) -> None:
        """Raise `TurnStopped` if another step would go over a limit."""
        if steps >= self._limits.steps:
            raise TurnStopped("limit", _sentence(f"{steps} steps"))
        if _spent(usage) >= self._limits.tokens:
            raise TurnStopped("limit", _sentence(f"{_spent(usage):,} tokens"))

    def tail(self, steps: int, usage: Usage) -> str:
        """Tell the model that little is left, once it is so."""
        share = max(steps / self._limits.steps, _spent(usage) / self._limits.tokens)
        if share < _NOTE_AT:
            return ""
        return (
            f"Step {steps + 1} of {self._limits.steps}, {share:.0%} of the budget is spent. "
            "Finish now: say what is done and what is left."
        )

    def deadline(self) -> asyncio.Timeout:
        """Bound one wait by the end of the turn: `async with budget.deadline()`."""
        return asyncio.timeout_at(self._deadline)

    def out_of_time(self) -> TurnStopped:
        return TurnStopped("limit", _sentence(f"{self._limits.seconds / 60:.0f} minutes"))


def _spent(usage: Usage) -> int:
    return usage.input_tokens - usage.cached_tokens + usage.output_tokens


def _sentence(reached: str) -> str:
    return f"I stopped after {reached}, the limit for one turn. Say `go on` and I continue."
