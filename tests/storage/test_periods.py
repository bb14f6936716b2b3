"""Periods: each of a job's done once, whoever is lost in the middle."""

import asyncio
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from harness.errors import LeaseLost
from storage import scripts
from storage.client import Store
from storage.periods import Job, Period, PeriodStore, daily, every
from storage.server import embedded
from tests.storage.period_worker import DEADLY, RECORDS
from tests.support import wait_until


class Hands:
    """A calendar that a test turns by hand."""

    def __init__(self) -> None:
        self.newest = 100

    def __call__(self, _: float) -> int:
        return self.newest


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def each(hands: Hands) -> Job:
    return Job("each", hands, "each")


@pytest.fixture
def newest(hands: Hands) -> Job:
    return Job("newest", hands, "newest")


@pytest.fixture
def periods(store: Store) -> PeriodStore:
    return PeriodStore(store, lease_seconds=10)


@pytest.fixture
def impatient(store: Store) -> PeriodStore:
    """The same periods as a worker sees them that waits for nobody."""
    return PeriodStore(store, lease_seconds=0.001)


async def claim(periods: PeriodStore, job: Job) -> Period:
    period = await periods.claim(job)
    assert period is not None
    return period


async def test_a_period_is_for_one_worker_once(periods: PeriodStore, each: Job, hands: Hands):
    """While one is at it there is nothing for others, nor when it is done, until the next."""
    assert await periods.claim(each) is None
    hands.newest = 101
    claims = await asyncio.gather(*(periods.claim(each) for _ in range(10)))
    (period,) = [found for found in claims if found]
    assert (period.number, period.cursor) == (101, "")
    await periods.complete(period)
    assert await periods.claim(each) is None
    hands.newest = 102
    assert (await claim(periods, each)).number == 102


async def test_a_new_job_has_missed_nothing(periods: PeriodStore, each: Job, hands: Hands):
    """It begins with the first period after it was first asked for."""
    assert await periods.claim(each) is None
    assert await periods.claim(each) is None
    hands.newest += 1
    assert (await claim(periods, each)).number == 101


async def test_catching_up(periods: PeriodStore, each: Job, newest: Job, hands: Hands):
    """After an outage a job does each period that it missed, in order, or only the newest."""
    for job in (each, newest):
        await periods.claim(job)
    hands.newest = 103
    for job, numbers in ((each, [101, 102, 103]), (newest, [103])):
        done: list[int] = []
        while period := await periods.claim(job):
            done.append(period.number)
            await periods.complete(period)
        assert done == numbers


async def test_a_lost_worker_is_followed_at_its_cursor(
    store: Store, impatient: PeriodStore, newest: Job, hands: Hands
):
    """What was begun is completed, by another under a new fence; the lost one writes nothing."""
    await impatient.claim(newest)
    hands.newest = 101
    lost = await claim(impatient, newest)
    await impatient.move(lost, "m_7")
    hands.newest = 105
    await wait_until(lambda: _is_over(store))
    now = await claim(impatient, newest)
    assert (now.number, now.cursor, now.fence) == (101, "m_7", lost.fence + 1)
    for late in (impatient.move(lost, "m_9"), impatient.complete(lost)):
        with pytest.raises(LeaseLost):
            await late
    await impatient.complete(now)
    fresh = await claim(impatient, newest)
    assert (fresh.number, fresh.cursor) == (105, "")


async def _is_over(store: Store) -> bool:
    """Say whether the lease of the job `newest` is over by the store's clock."""
    seconds, micros = await store.run_command("TIME")
    until = await store.run_command("HGET", "dm:period:newest", "until")
    return seconds * 1000 + micros / 1000 > float(until)


async def test_who_moves_on_is_not_followed(store: Store, each: Job, hands: Hands):
    """Each move of the cursor is a sign of life."""
    short = PeriodStore(store, lease_seconds=0.2)
    await short.claim(each)
    hands.newest = 101
    period = await claim(short, each)
    for step in range(8):
        await asyncio.sleep(0.05)
        await short.move(period, str(step))
        assert await short.claim(each) is None


async def test_what_is_sent_again_does_no_harm(
    store: Store, periods: PeriodStore, each: Job, hands: Hands
):
    """A claim or an end whose answer was lost is answered as before; afterwards nothing moves."""
    await periods.claim(each)
    call = scripts.claim_period("each", 101, "each", lease_ms=10_000, nonce="n")
    first = await store.run(call)
    assert first is not None
    assert await store.run(call) == first
    period = Period(each, *first)
    await periods.complete(period)
    await periods.complete(period)
    with pytest.raises(LeaseLost):
        await periods.move(period, "late")
    hands.newest = 102
    assert (await claim(periods, each)).cursor == ""


def test_days_begin_by_the_wall_clock():
    """03:00 is 03:00, in summer and in winter, and no day is missing or twice."""
    berlin = ZoneInfo("Europe/Berlin")
    calendar = daily(3, "Europe/Berlin")

    def number(month: int, day: int, hour: int, minute: int = 0) -> int:
        return calendar(datetime(2026, month, day, hour, minute, tzinfo=berlin).timestamp())

    for month, day in ((3, 29), (10, 25), (6, 1)):
        today = datetime(2026, month, day, tzinfo=berlin).date().toordinal()
        assert number(month, day, 1, 59) == today - 1
        assert number(month, day, 3) == today
        assert number(month, day, 23, 59) == today


def test_equal_periods():
    """Periods of equal length are numbered one by one."""
    calendar = every(60)
    assert [calendar(59.9), calendar(60), calendar(119.9), calendar(120)] == [0, 1, 1, 2]


@pytest.mark.timeout(60)
async def test_four_workers_three_of_them_killed_inside_a_period(tmp_path: Path):
    """Each period is completed once, none twice, none missed; records go on at the cursor."""
    async with embedded(tmp_path), asyncio.timeout(50):
        with ExitStack() as stack:
            workers = [_start(tmp_path, number, stack) for number in range(4)]
            await wait_until(lambda: len(_numbers(tmp_path, "completed")) >= DEADLY[-1] + 3, 45)
        ends = [worker.wait() for worker in workers]
    assert ends.count(-signal.SIGKILL) == 4
    assert _killed_themselves(tmp_path) == len(DEADLY)

    completed = _numbers(tmp_path, "completed")
    assert completed == list(range(completed[0], completed[0] + len(completed)))
    for number, records in _records(tmp_path).items():
        again = sum(count - 1 for count in records.values())
        if number in completed:
            assert sorted(records) == list(range(RECORDS))
        assert again <= (number - completed[0] + 1 in DEADLY)


def _start(home: Path, number: int, stack: ExitStack) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.storage.period_worker", str(home), str(number)]
    worker = stack.enter_context(subprocess.Popen(command))
    stack.callback(worker.kill)
    return worker


def _notes(home: Path) -> list[list[str]]:
    """Return the notes of all workers: what, the period's number, the record."""
    found = [notes.read_text("utf-8").splitlines() for notes in home.glob("*.notes")]
    return [line.split(" ") for lines in found for line in lines]


def _numbers(home: Path, what: str) -> list[int]:
    return sorted(int(note[1]) for note in _notes(home) if note[0] == what)


def _killed_themselves(home: Path) -> int:
    return len(_numbers(home, "killed"))


def _records(home: Path) -> dict[int, Counter[int]]:
    """Return how often each record of each period was worked on."""
    found: dict[int, Counter[int]] = defaultdict(Counter)
    for what, number, record in _notes(home):
        if what == "record":
            found[int(number)][int(record)] += 1
    return found
