# ruff: noqa: A005 - it is a queue, and only ever imported as storage.queue
"""What a worker does with the queue: take a turn under a lease, end it, take over lost ones.

Redis Streams hold one token per session, so that a session's turns run one at a time and in
order while sessions run side by side; the pending entry of a token is the lease. The states and
all keys are drawn in `lua/session.lua`. Keeping a lease alive: `heartbeat.py`.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import LeaseLost, StoreUnavailable
from storage import keys, scripts
from storage.call import Call
from storage.client import Store
from storage.inbox import Inbox
from storage.keys import LANES, Lane, lanes
from storage.lease import UNREADABLE, Finish, Lease, Unreadable

_LATE_SECONDS = 1.0
_TRUST_SECONDS = 60.0
_NOTHING_DUE_SECONDS = 1.5
_MOVED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Sessions with a turn that is ready, held by a worker, delayed; how long a ready one waits.

    `parked` ones wait for a person, `capped` ones for a slot of their project; `dead` are letters.
    """

    waiting: int
    running: int
    delayed: int
    oldest_seconds: float
    parked: int = 0
    capped: int = 0
    dead: int = 0


class Queue(Inbox):
    """The worker's side of the queue; `worker` names this process and nothing else alive.

    `project_slots` bounds how many turns of one project run at once, whoever runs them; all
    workers of a store are given the same number.
    """

    def __init__(
        self, store: Store, *, worker: str, lease_seconds: float, project_slots: int | None = None
    ) -> None:
        super().__init__(store)
        self.worker = worker
        self.lease_seconds = lease_seconds
        self._slots = project_slots
        self._bell = _Bell(store)
        self._looked = -math.inf
        self._nothing_due_until = -math.inf

    async def take(self, block_seconds: float) -> Lease | None:
        """Wait for a turn and take it; None if none was ready in that time.

        Lanes take turns, so that a busy project does not starve the others.
        """
        deadline = time.monotonic() + block_seconds
        if block_seconds <= 0:
            self._bell.try_all()
        while True:
            for lane in self._bell.to_try():
                if lease := await self._take(lane):
                    return lease
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            await self._bell.wait(left)

    async def finish(self, lease: Lease, finish: Finish) -> None:
        """End an answered turn: its messages become history, the next turn may be taken.

        Raises `LeaseLost` if another worker holds the turn: nothing was written then.
        """
        await self._end(scripts.finish(lease, finish))

    async def give_back(self, lease: Lease, delay_seconds: float) -> None:
        """End a lease but not its turn: it is tried again after the delay, before later ones."""
        self._nothing_due_until = -math.inf
        await self._end(scripts.give_back(lease, math.ceil(delay_seconds * 1000)))

    async def drop(self, lease: Lease) -> None:
        """End a turn without an answer: the session does not remember it."""
        await self._end(scripts.drop(lease))

    async def park(self, lease: Lease) -> None:
        """End a lease but not its turn, which waits for `unpark` or a stop, for days if need be.

        Nothing is held meanwhile; later messages of the session wait behind it.
        """
        await self._end(scripts.park(lease))

    async def bury(self, lease: Lease, why: str) -> None:
        """End a turn that cannot be answered, and keep it among the `DeadLetters`.

        `why` is one sentence for an operator. The session goes on with its next turn.
        """
        where = keys.lane(lease.session.team, lease.project)
        await self._end(scripts.bury(where, lease.session.id, lease.fence, why))

    async def depth(self) -> QueueDepth:
        """Count what is in the queue, all lanes together."""
        found = await self._store.run_all([scripts.depth(lane) for lane in lanes()])
        ready, held, delayed, waits_ms, *others = zip(*found, strict=True)
        counts = (sum(each) for each in others)
        return QueueDepth(sum(ready), sum(held), sum(delayed), max(waits_ms) / 1000, *counts)

    async def move_due(self) -> int:
        """Queue the turns whose delay is over; returns how many.

        Call it every second or so: while nobody has delayed anything it asks every other time.
        """
        if time.monotonic() < self._nothing_due_until:
            return 0
        if not await self._store.run_command("EXISTS", *(lane.due for lane in lanes())):
            self._nothing_due_until = time.monotonic() + _NOTHING_DUE_SECONDS
            return 0
        calls = [scripts.move_due(lane, _MOVED_AT_ONCE) for lane in lanes()]
        return sum(await self._store.run_all(calls))

    async def take_over(self, dead: Sequence[str] = ()) -> int:
        """Queue again what no worker has beaten for a lease, and what `dead` workers hold.

        Returns how many sessions; whoever held them commits nothing any more. Call it every
        second or so: it looks at the leases each fifth of one, at the dead always.
        """
        now = time.monotonic()
        if not dead and now < self._looked + self.lease_seconds / 5:
            return 0
        self._looked = now
        lease_ms = math.ceil(self.lease_seconds * 1000)
        calls = [scripts.take_over(lane, lease_ms, dead) for lane in lanes()]
        return sum(await self._store.run_all(calls))

    async def leave(self) -> None:
        """Sign off: what this worker still holds is queued again, and its name forgotten."""
        await self.take_over([self.worker])

    async def _take(self, lane: Lane) -> Lease | None:
        """Take from one lane; what cannot be read is buried, and stands in nobody's way."""
        while True:
            taken, emptied_at = await self._store.run(scripts.take(lane, self.worker, self._slots))
            if emptied_at:
                self._bell.found_empty(lane, emptied_at)
            if not isinstance(taken, Unreadable):
                return taken
            await self._store.run(scripts.bury(lane, taken.session, taken.fence, UNREADABLE))

    async def _end(self, call: Call[bool]) -> None:
        if not await self._store.run(call):
            raise LeaseLost


class _Bell:
    """Knows which lanes may hold a token, and waits until one does.

    Taking is a script per lane, so the wait must not take anything: it is one blocking XREAD
    over all lanes, from the last entry that each lane was found empty at. (An XREADGROUP over
    several streams would take one token of each, and all but one would wait in our hands.)
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = dict.fromkeys(lanes(), "0-0")
        self._maybe = set(self._seen)
        self._first = 0
        self._tried_all = time.monotonic()

    def to_try(self) -> list[Lane]:
        """Return the lanes that may hold a token, each time another one first."""
        if time.monotonic() > self._tried_all + _TRUST_SECONDS:
            self.try_all()
        self._first = (self._first + 1) % LANES
        order = (Lane((self._first + step) % LANES) for step in range(LANES))
        return [lane for lane in order if lane in self._maybe]

    def found_empty(self, lane: Lane, last_entry: str) -> None:
        """Ring for this lane only at an entry after that one."""
        self._seen[lane] = last_entry
        self._maybe.discard(lane)

    def try_all(self) -> None:
        """Trust nothing, now and then: a store that was replaced begins its ids anew."""
        self._tried_all = time.monotonic()
        self._maybe.update(self._seen)

    async def wait(self, seconds: float) -> None:
        """Return when a lane has something new, or after the time; a lost store loses trust."""
        streams = [lane.ready for lane in self._seen]
        block = ("XREAD", "COUNT", 1, "BLOCK", math.ceil(seconds * 1000), "STREAMS")
        try:
            async with asyncio.timeout(seconds + _LATE_SECONDS):
                rung = await self._store.blocking.execute_command(
                    *block, *streams, *self._seen.values()
                )
        except TimeoutError as err:
            self.try_all()
            raise StoreUnavailable(f"The store at {self._store.where} does not answer.") from err
        except StoreUnavailable:
            self.try_all()
            raise
        self._maybe.update(lane for lane in self._seen if lane.ready in (rung or {}))
