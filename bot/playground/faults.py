"""What goes wrong on purpose: counted, skipped or diced, for one method, event type or dial.

Only the book of faults; `dispatch`, `deliveries` and `sockets` look into it and do the damage.
"""

import random
from dataclasses import dataclass, replace
from typing import Literal

from bot.playground.errors import Json

CallFault = Literal["error", "rate_limited", "status", "timeout", "lost", "delay"]
EventFault = Literal["duplicate", "retry", "hold", "drop", "swap"]
FaultKind = CallFault | EventFault | Literal["refuse"]

CALL_FAULTS: frozenset[str] = frozenset(
    {"error", "rate_limited", "status", "timeout", "lost", "delay"}
)
EVENT_FAULTS: frozenset[str] = frozenset({"duplicate", "retry", "hold", "drop", "swap"})
DIAL = "dial"


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of damage to one target: a method, an event type, `dial`, or `*`.

    `count` times (0: always) after the first `skip` chances, each with `probability`.
    `seconds` is wall time: Retry-After, how long to hold, how long to stay silent.
    """

    kind: FaultKind
    target: str = "*"
    count: int = 1
    skip: int = 0
    probability: float = 1.0
    seconds: float = 1.0
    error: str = "internal_error"
    status: int = 500


class Faults:
    """The faults in force, in the order they were set."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._left: list[Fault] = []
        self._weather: tuple[Fault, ...] = ()
        self.dial = 0

    def add(self, fault: Fault) -> None:
        self._left.append(fault)

    def take(self, target: str, kinds: frozenset[str]) -> Fault | None:
        """Use up one chance of the first fault that fits; None: nothing goes wrong."""
        for place, fault in enumerate(self._left):
            if fault.kind in kinds and fault.target in {target, "*"}:
                hit = self._spend(place, fault)
                if hit:
                    return fault
        for fault in self._weather:
            fits = fault.kind in kinds and fault.target in {target, "*"}
            if fits and self._dice.random() < fault.probability:
                return fault
        return None

    def set_dial(self, level: int, weather: tuple[Fault, ...]) -> None:
        """Let faults of a level strike by chance, beside those that are set one by one."""
        self.dial, self._weather = level, weather

    def clear(self) -> None:
        self._left.clear()

    def listed(self) -> list[Json]:
        return [
            {name: getattr(fault, name) for name in Fault.__dataclass_fields__}
            for fault in self._left
        ]

    def _spend(self, place: int, fault: Fault) -> bool:
        if fault.skip:
            self._left[place] = replace(fault, skip=fault.skip - 1)
            return False
        if fault.probability < 1 and self._dice.random() >= fault.probability:
            return False
        if fault.count == 1:
            del self._left[place]
        elif fault.count:
            self._left[place] = replace(fault, count=fault.count - 1)
        return True
