"""The workspace's clock: it runs, races, stands still and jumps."""

import time

from bot.playground import Clock
from tests.support import wait_until


async def test_a_standing_clock_moves_by_advance_only() -> None:
    """Appointments on the way are kept, in order; later ones wait."""
    clock, kept = Clock(start=1000.0, scale=0), list[str]()
    clock.call_later(20, lambda: kept.append("second"))
    clock.call_later(10, lambda: kept.append("first"))
    clock.call_later(30, lambda: kept.append("third"))

    clock.advance(20)

    assert (clock.now(), kept) == (1020.0, ["first", "second"])


async def test_a_fast_clock_keeps_its_appointments() -> None:
    """A minute at scale 600 is a tenth of a second."""
    clock, kept = Clock(scale=600), list[float]()
    started = time.monotonic()
    clock.call_later(60, lambda: kept.append(time.monotonic() - started))

    await wait_until(lambda: bool(kept))

    assert 0.09 <= kept[0] < 5.0


async def test_a_change_of_pace_moves_the_alarm() -> None:
    """What was an hour away is now."""
    clock, kept = Clock(scale=1), list[str]()
    clock.call_later(3600, lambda: kept.append("late"))

    clock.set_scale(360_000)
    await wait_until(lambda: bool(kept))


async def test_a_cancelled_appointment_is_not_kept() -> None:
    """Neither by time nor by a jump."""
    clock, kept = Clock(scale=0), list[str]()
    clock.call_later(10, lambda: kept.append("never")).cancel()

    clock.advance(20)

    assert kept == []


async def test_nothing_to_wait_for_is_at_once() -> None:
    """An appointment for now is kept even while the clock stands."""
    clock, kept = Clock(scale=0), list[str]()
    clock.call_later(0, lambda: kept.append("now"))

    await wait_until(lambda: bool(kept))
