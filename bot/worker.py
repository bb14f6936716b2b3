"""The worker: takes leases, runs their turns side by side, and looks after what others left.

The broad except here is the worker-loop boundary: no bug in a turn ends the worker.
Neighbours: `turns` (one turn), `storage.queue` (leases), `app` (who starts and ends it).
"""

import asyncio
from collections.abc import Callable

import structlog

from bot.turns import Running, Turns
from harness.errors import LeaseLost, StoreUnavailable
from harness.models import TurnId
from storage.heartbeat import Heartbeat
from storage.lease import Lease
from storage.queue import Queue
from storage.workers import Registration

log = structlog.get_logger()

BLOCK_SECONDS = 5.0
STORE_PAUSE_SECONDS = 1.0
TIDY_SECONDS = 1.0
SLOTS = 32
PROJECT_SLOTS = 8  # of all workers together: one busy channel leaves room for the others
# Slack and supervisors give a process about 10 s; handing back and closing need a part of them.
DRAIN_SECONDS = 5.0


class Worker:
    """Runs up to `SLOTS` turns at once until it is drained."""

    def __init__(self, queue: Queue, turns: Turns, registration: Registration) -> None:
        self._queue = queue
        self._turns = turns
        self._registration = registration
        self._slots = asyncio.Semaphore(SLOTS)
        self._running: dict[TurnId, Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    async def start(self, heartbeat: Heartbeat) -> None:
        """Take over what dead processes left here, then begin to take turns."""
        self._heartbeat = heartbeat
        await self._take_over()
        self._loops = [asyncio.create_task(self._take()), asyncio.create_task(self._tidy())]

    async def wait(self) -> None:
        """Return only by the exception that ended one of the loops: then the process must end."""
        await asyncio.gather(*(asyncio.shield(loop) for loop in self._loops))

    async def drain(self) -> None:
        """Take nothing new; let what runs end within a bound, then hand the rest back."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS)
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def on_lost(self, lease: Lease) -> None:
        self._tell(lease, Running.lose)

    def on_stop(self, lease: Lease) -> None:
        self._tell(lease, Running.stop)

    def _tell(self, lease: Lease, what: Callable[[Running], None]) -> None:
        running = self._running.get(lease.turn)
        if running is not None and running.lease.fence == lease.fence:
            what(running)

    async def _take(self) -> None:
        while True:
            await self._slots.acquire()
            lease: Lease | None = None
            try:
                lease = await self._queue.take(BLOCK_SECONDS)
            except StoreUnavailable as err:
                log.warning("store unavailable", error=str(err))
                await asyncio.sleep(STORE_PAUSE_SECONDS)
            finally:
                if lease is None:
                    self._slots.release()
            if lease is not None:
                self._begin(lease)

    def _begin(self, lease: Lease) -> None:
        task = asyncio.create_task(self._work(lease))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, lease: Lease) -> None:
        running = Running(lease)
        self._running[lease.turn] = running
        self._heartbeat.hold(lease)
        structlog.contextvars.bind_contextvars(turn=lease.turn, session=lease.session.id)
        try:
            await self._turns.run(running)
        except LeaseLost:
            log.info("lease lost")
        except StoreUnavailable as err:
            # The lease runs out by itself; whoever reaches the store goes on from the journal.
            log.warning("store unavailable in a turn", error=str(err))
        except asyncio.CancelledError:
            await self._hand_back(lease)
            raise
        except Exception:
            log.exception("worker")
        finally:
            self._heartbeat.release(lease)
            self._running.pop(lease.turn, None)
            self._slots.release()

    async def _hand_back(self, lease: Lease) -> None:
        try:
            await asyncio.shield(self._queue.give_back(lease, 0.0))
            log.info("handed back")
        except (LeaseLost, StoreUnavailable) as err:
            log.warning("could not hand back", error=type(err).__name__)

    async def _tidy(self) -> None:
        """Move due wake-ups and take over expired leases, for as long as the process lives."""
        while True:
            try:
                await self._queue.move_due()
                await self._take_over()
            except StoreUnavailable as err:
                log.warning("store unavailable", error=str(err))
            await asyncio.sleep(TIDY_SECONDS)

    async def _take_over(self) -> None:
        dead = self._registration.dead()
        taken = await self._queue.take_over(dead)
        self._registration.bury(dead)
        if taken:
            log.info("took over", sessions=taken, dead=dead)
