"""The weather of a workspace: how often which fault strikes at each level of the dial.

Levels go from 0 (nothing) to 10; the numbers are chances per call, delivery, dial or second.
What the faults do is `faults`, `dispatch` and `deliveries`; sockets are ended from here.
"""

import asyncio
import random
from collections.abc import Callable

from bot.playground.faults import DIAL, Fault, FaultKind
from bot.playground.sockets import Ending, Switchboard

LEVELS = {"off": 0, "mild": 3, "wild": 10}
TOP = 10

# Kind, target, chance at the top of the dial, seconds.
_CHANCES: tuple[tuple[FaultKind, str, float, float], ...] = (
    ("rate_limited", "*", 0.06, 1.0),
    ("status", "*", 0.04, 1.0),
    ("lost", "*", 0.03, 1.0),
    ("delay", "*", 0.15, 0.3),
    ("duplicate", "*", 0.10, 0.5),
    ("retry", "*", 0.05, 0.5),
    ("hold", "*", 0.10, 1.0),
    ("swap", "*", 0.05, 0.5),
    ("refuse", DIAL, 0.20, 1.0),
)
_SOCKET_CHANCE = 0.08
_ENDINGS: tuple[Ending, ...] = ("abort", "close", "warning", "refresh_requested")


def weather(level: int) -> tuple[Fault, ...]:
    """Return the standing faults of a level; each strikes for ever, with its chance."""
    if not 0 <= level <= TOP:
        raise ValueError(f"the dial goes from 0 to {TOP}")
    share = level / TOP
    return tuple(
        Fault(kind, target, count=0, probability=chance * share, seconds=seconds)
        for kind, target, chance, seconds in _CHANCES
        if share
    )


async def shake(board: Switchboard, dial_of: Callable[[], int], dice: random.Random) -> None:
    """End sockets now and then, for ever, as often as the dial says."""
    while True:
        await asyncio.sleep(1.0)
        lines = list(board.lines)
        if lines and dice.random() < _SOCKET_CHANCE * dial_of() / TOP * len(lines):
            await board.end(dice.choice(lines), dice.choice(_ENDINGS))
