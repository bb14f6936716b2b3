"""A worker process for the trial of periods: `python -m tests.storage.period_worker HOME NUMBER`.

It does ten records in each period of a second, and kills itself in the middle of some, after a
record and before its cursor has moved. Its notes, one line each in `HOME/NUMBER.notes`, are
"WHAT PERIOD RECORD".
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from storage.client import Store
from storage.periods import Job, Period, PeriodStore, every
from storage.server import embedded

RECORDS = 10
DEADLY = (2, 4, 6)  # the periods, counted from the first, in which whoever begins them dies
JOB = Job("trial", every(1.0), "each")


class Worker:
    """Does what is due until it is killed."""

    def __init__(self, store: Store, notes: Path) -> None:
        self._periods = PeriodStore(store, lease_seconds=1.0)
        self._notes = notes.open("a", buffering=1, encoding="utf-8")
        self._store = store

    async def run(self) -> None:
        while True:
            if period := await self._periods.claim(JOB):
                await self._do(period)
            await asyncio.sleep(0.05)

    async def _do(self, period: Period) -> None:
        first = await self._store.redis.set("dm:notice:first", period.number, nx=True, get=True)
        which = period.number - int(first or period.number) + 1
        for record in range(int(period.cursor or 0), RECORDS):
            await asyncio.sleep(0.02)
            self._note("record", period, record)
            if which in DEADLY and not period.cursor and record == RECORDS // 2:
                self._note("killed", period, record)
                os.kill(os.getpid(), signal.SIGKILL)
            await self._periods.move(period, str(record + 1))
        await self._periods.complete(period)
        self._note("completed", period, RECORDS)

    def _note(self, what: str, period: Period, record: int) -> None:
        self._notes.write(f"{what} {period.number} {record}\n")


async def main(home: Path, number: str) -> None:
    async with embedded(home) as server, Store.connect(server.url, server.password) as store:
        await Worker(store, home / f"{number}.notes").run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
