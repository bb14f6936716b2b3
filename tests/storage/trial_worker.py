"""A worker process for the trials: takes turns, sleeps over each, and notes what it does.

    python -m tests.storage.trial_worker HOME LEASE_SECONDS SHORTEST LONGEST PROJECT_SLOTS

It is told of lost leases and goes on regardless, which is the worst a worker can do. Its notes,
one line each in `HOME/NAME.notes`, are "WHAT SESSION NUMBER MONOTONIC_SECONDS".
"""

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from harness.errors import LeaseLost, StoreUnavailable
from harness.models import Claimed, Message
from storage.client import Store
from storage.heartbeat import Heartbeat
from storage.lease import Finish, Lease
from storage.ledger import Ledger, Part
from storage.queue import Queue
from storage.server import embedded
from storage.sessions import SessionStore
from storage.workers import Registration

SLOTS = 20


class Worker:
    """Runs up to `SLOTS` turns at once until it is killed."""

    def __init__(
        self, store: Store, queue: Queue, here: Registration, pause: tuple[float, float]
    ) -> None:
        self._store = store
        self._queue = queue
        self._here = here
        notes = here.folder.parent / f"{here.worker}.notes"
        self._notes = notes.open("a", buffering=1, encoding="utf-8")
        self._pause = pause
        self._slots = asyncio.Semaphore(SLOTS)

    async def run(self) -> None:
        async with (
            Heartbeat(
                self._store,
                worker=self._queue.worker,
                lease_seconds=self._queue.lease_seconds,
                on_lost=lambda _: None,
                on_stop=lambda _: None,
            ) as heartbeat,
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(self._tidy())
            while True:
                await self._slots.acquire()
                lease: Lease | None = None
                with suppress(StoreUnavailable):  # as after having been stopped for long
                    lease = await self._queue.take(1)
                if lease is None:
                    self._slots.release()
                    continue
                heartbeat.hold(lease)
                tasks.create_task(self._turn(lease, heartbeat))

    async def _tidy(self) -> None:
        while True:
            with suppress(StoreUnavailable):
                dead = self._here.dead()
                await self._queue.take_over(dead)
                self._here.bury(dead)
                await self._queue.move_due()
            await asyncio.sleep(0.1)

    async def _turn(self, lease: Lease, heartbeat: Heartbeat) -> None:
        self._note("start", lease)
        await asyncio.sleep(random.uniform(*self._pause))
        self._note("leave", lease)
        try:
            await self._commit(lease)
            self._note("committed", lease)
        except LeaseLost:
            self._note("refused", lease)
        heartbeat.release(lease)
        self._slots.release()

    async def _commit(self, lease: Lease) -> None:
        """Try all that a turn may write; raises `LeaseLost` if any of it is refused."""
        journal = SessionStore(self._store).journal(lease)
        part = Part(n=0, via="post", state="sealed", ts=str(lease.fence))
        said = Finish(history=(Message(role="user", content=lease.incoming.id),))
        writes: tuple[Callable[[], Awaitable[None]], ...] = (
            lambda: journal.append(Claimed(call_id="c")),
            lambda: Ledger(self._store, lease).put(part),
            lambda: self._queue.finish(lease, said),
        )
        if not all([await self._is_written(write) for write in writes]):
            raise LeaseLost

    async def _is_written(self, write: Callable[[], Awaitable[None]]) -> bool:
        """Write, again if the store's answer is lost; False if it is refused."""
        while True:
            try:
                await write()
            except StoreUnavailable:
                continue
            except LeaseLost:
                return False
            return True

    def _note(self, what: str, lease: Lease) -> None:
        number = lease.incoming.id.split(".", maxsplit=1)[0]
        self._notes.write(f"{what} {lease.session.id} {number} {time.monotonic():.6f}\n")


async def main(
    home: Path, lease_seconds: float, shortest: float, longest: float, slots: float
) -> None:
    async with embedded(home) as server, Store.connect(server.url, server.password) as store:
        with Registration(home / "workers") as here:
            queue = Queue(
                store,
                worker=here.worker,
                lease_seconds=lease_seconds,
                project_slots=int(slots) or None,
            )
            await Worker(store, queue, here, (shortest, longest)).run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *map(float, sys.argv[2:6])))
