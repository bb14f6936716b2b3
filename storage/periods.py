"""Work that is due once per period, across all workers: who does it, how far it is, its end.

Every worker asks now and then; the store's clock decides which period has begun, and gives it to
one of them. Whoever is lost in the middle is followed, after a lease, by another at its cursor.
What the work is, and the clock that asks, are the caller's.
"""

import math
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, cast
from zoneinfo import ZoneInfo

from harness.errors import LeaseLost
from storage import scripts
from storage.client import Store

Calendar = Callable[[float], int]
"""Numbers the periods: the one that has begun last at a time in seconds; grows by one each."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work of this name, once in each period of its calendar.

    `catch_up` says what becomes of periods that nobody was at, since no worker ran: each is done
    in its turn, or only the newest. A period that was begun is always completed first.
    """

    name: str
    calendar: Calendar
    catch_up: Literal["each", "newest"]


@dataclass(frozen=True, slots=True)
class Period:
    """The exclusive right to do a job's period from `cursor` on ("" is the beginning)."""

    job: Job
    number: int
    fence: int
    cursor: str = field(default="", compare=False)


class PeriodStore:
    """Claims of periods; `lease_seconds` is how long a worker may be silent in one."""

    def __init__(self, store: Store, *, lease_seconds: float) -> None:
        self._store = store
        self._lease_ms = math.ceil(lease_seconds * 1000)

    async def claim(self, job: Job) -> Period | None:
        """Return a period to do now, or None; a job's first claim only begins its calendar."""
        seconds, micros = cast("tuple[int, int]", await self._store.run_command("TIME"))
        newest = job.calendar(seconds + micros / 1_000_000)
        call = scripts.claim_period(
            job.name, newest, job.catch_up, lease_ms=self._lease_ms, nonce=uuid.uuid4().hex
        )
        claimed = await self._store.run(call)
        return Period(job, *claimed) if claimed else None

    async def move(self, period: Period, cursor: str) -> None:
        """Note that all before `cursor` is done, and stay in charge for another lease.

        Raises `LeaseLost` if another worker took over: write nothing more.
        """
        call = scripts.move_cursor(period.job.name, period.fence, cursor, self._lease_ms)
        if not await self._store.run(call):
            raise LeaseLost

    async def complete(self, period: Period) -> None:
        """End a period for good. Raises `LeaseLost` if another worker took it over."""
        if not await self._store.run(scripts.end_period(period.job.name, period.fence)):
            raise LeaseLost


def every(seconds: float) -> Calendar:
    """Return a calendar of periods of equal length."""
    return lambda now: math.floor(now / seconds)


def daily(hour: int, zone: str) -> Calendar:
    """Return a calendar of days that begin at an hour of a time zone's wall clock."""
    where = ZoneInfo(zone)

    def day(now: float) -> int:
        local = datetime.fromtimestamp(now, where)
        return (local.date() - timedelta(days=local.hour < hour)).toordinal()

    return day
