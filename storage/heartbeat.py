"""Keeps leases alive, and tells when one is lost or its turn is to stop.

The beat comes from a thread with a client of its own, because a tool that keeps the event loop
busy must not cost the lease. Stops are also heard at once over pub/sub; should that fail, the
next beat brings them. `queue.py` gives leases out; this module never ends one.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from harness.errors import StoreUnavailable
from harness.models import UserId
from storage import scripts
from storage.client import Store, run_sync
from storage.keys import STOPS
from storage.lease import Lease

_BEATS_PER_LEASE = 5
_PAUSE_SECONDS = 1.0

Told = Callable[[Lease], None]


@dataclass(slots=True)
class _Held:
    lease: Lease
    stopping: bool = False


class Heartbeat:
    """Beats for all held leases, for the length of an `async with`.

    Both callbacks run on the event loop, at most once per lease. `on_stop` gets the lease with
    `stopped_by` set; `on_lost` means that another worker may have the turn: stop, say nothing.
    """

    def __init__(
        self, store: Store, *, worker: str, lease_seconds: float, on_lost: Told, on_stop: Told
    ) -> None:
        self._store = store
        self._worker = worker
        self._interval = lease_seconds / _BEATS_PER_LEASE
        self._on_lost = on_lost
        self._on_stop = on_stop
        self._held: dict[tuple[str, int], _Held] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="heartbeat", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._ear = asyncio.create_task(self._listen(), name="stops")
        self._thread.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._ear.cancel()
        await asyncio.gather(self._ear, return_exceptions=True)
        await asyncio.to_thread(self._thread.join)

    def hold(self, lease: Lease) -> None:
        """Begin to beat for a lease; call it right after `Queue.take`, on the event loop."""
        held = _Held(lease)
        self._held[lease.session.id, lease.fence] = held
        if lease.stopped_by:
            self._stop(held, lease.stopped_by)

    def release(self, lease: Lease) -> None:
        """Stop beating for a lease."""
        self._held.pop((lease.session.id, lease.fence), None)

    def _beat_on(self) -> None:
        """Beat until closed; in the thread. A store that does not answer is asked again."""
        with contextlib.closing(self._store.open_sync()) as client:
            while not self._closing.wait(self._interval):
                for held in tuple(self._held.values()):
                    try:
                        answer = run_sync(client, scripts.beat(held.lease, self._worker))
                    except StoreUnavailable:
                        break
                    self._loop.call_soon_threadsafe(self._hear, held, answer)

    def _hear(self, held: _Held, answer: str | None) -> None:
        """Take in what a beat brought; on the event loop."""
        key = (held.lease.session.id, held.lease.fence)
        if self._held.get(key) is not held:
            return
        if answer is None:
            del self._held[key]
            self._on_lost(held.lease)
        elif answer:
            self._stop(held, UserId(answer))

    def _stop(self, held: _Held, by: UserId) -> None:
        if not held.stopping:
            held.stopping = True
            self._loop.call_soon(self._on_stop, replace(held.lease, stopped_by=by))

    async def _listen(self) -> None:
        """Hear of stops as they are asked for; never the only way they are heard."""
        while True:
            with contextlib.suppress(StoreUnavailable):
                async for message in self._store.listen(STOPS):
                    self._heard(message)
            await asyncio.sleep(_PAUSE_SECONDS)

    def _heard(self, message: str) -> None:
        fence, by, session = message.split(" ", 2)
        if held := self._held.get((session, int(fence))):
            self._stop(held, UserId(by))
