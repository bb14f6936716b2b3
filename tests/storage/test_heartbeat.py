"""Leases are kept alive from a thread; losses and stops are told once."""

import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest

from harness.models import UserId
from storage.client import Store
from storage.heartbeat import Heartbeat
from storage.keys import STOPS
from storage.lease import Lease
from storage.queue import Queue
from tests.support import an_incoming, wait_until

LEASE_SECONDS = 0.25


@dataclass
class Told:
    """What a heartbeat said."""

    lost: list[Lease] = field(default_factory=list[Lease])
    stopped: list[Lease] = field(default_factory=list[Lease])


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
async def queue(store: Store) -> Queue:
    return Queue(store, worker="w1", lease_seconds=LEASE_SECONDS)


@pytest.fixture
async def heartbeat(store: Store, told: Told) -> AsyncGenerator[Heartbeat]:
    async with Heartbeat(
        store,
        worker="w1",
        lease_seconds=LEASE_SECONDS,
        on_lost=told.lost.append,
        on_stop=told.stopped.append,
    ) as running:
        yield running


async def take(queue: Queue) -> Lease:
    await queue.push(an_incoming(), event_id="e1")
    lease = await queue.take(1)
    assert lease is not None
    return lease


async def is_taken_over(queue: Queue) -> bool:
    return await queue.take_over() == 1


async def request_stop(queue: Queue) -> bool:
    first = an_incoming()
    return await queue.request_stop(first.session, first.project, UserId("U2"))


async def test_held_lease_outlasts_a_busy_loop(queue: Queue, heartbeat: Heartbeat):
    """A tool that blocks the event loop for three leases does not cost its lease."""
    heartbeat.hold(await take(queue))
    time.sleep(3 * LEASE_SECONDS)  # noqa: ASYNC251 - the event loop is blocked on purpose
    assert await queue.take_over() == 0


async def test_released_lease_runs_out(queue: Queue, heartbeat: Heartbeat):
    """What is no longer held is taken over after a lease."""
    lease = await take(queue)
    heartbeat.hold(lease)
    heartbeat.release(lease)
    await wait_until(lambda: is_taken_over(queue))


async def test_loss_is_told_once(queue: Queue, store: Store, heartbeat: Heartbeat, told: Told):
    """When another worker has the turn, its former holder hears of it within a beat."""
    lease = await take(queue)
    heartbeat.hold(lease)
    assert await queue.take_over(["w1"]) == 1
    await wait_until(lambda: bool(told.lost), timeout_seconds=2)
    await some_beats(store, queue, heartbeat)
    assert told.lost == [lease]


async def some_beats(store: Store, queue: Queue, heartbeat: Heartbeat) -> None:
    """Hold one more lease and wait until it has been beaten three times."""
    await queue.push(an_incoming(9, thread="9.0", channel="C9"), event_id="e9")
    leases = [lease for lease in (await queue.take(0), await queue.take(0)) if lease]
    heartbeat.hold(leases[-1])
    await store.run_command("CONFIG", "RESETSTAT")
    await wait_until(lambda: _scripts_ran(store, 3))


async def _scripts_ran(store: Store, times: int) -> bool:
    stats = await store.run_command("INFO", "commandstats")
    return stats.get("cmdstat_evalsha", {"calls": 0})["calls"] >= times


async def test_stop_is_heard_at_once(queue: Queue, store: Store, told: Told):
    """A stop reaches the worker over pub/sub, long before its next beat, with who asked."""
    async with Heartbeat(
        store, worker="w1", lease_seconds=60, on_lost=told.lost.append, on_stop=told.stopped.append
    ) as slow:
        lease = await take(queue)
        slow.hold(lease)
        await wait_until(lambda: is_heard(store))
        assert await request_stop(queue)
        await wait_until(lambda: bool(told.stopped), timeout_seconds=1)
    assert [each.stopped_by for each in told.stopped] == ["U2"]
    assert told.stopped == [lease]


async def is_heard(store: Store) -> bool:
    return await store.run_command("PUBSUB", "NUMSUB", STOPS) == [STOPS, 1]


async def test_stop_is_seen_by_the_next_beat(
    queue: Queue, store: Store, heartbeat: Heartbeat, told: Told
):
    """A stop whose message was lost is seen anyway, and told once however often it is asked."""
    lease = await take(queue)
    await request_stop(queue)  # before the heartbeat holds it: nobody listens for it
    heartbeat.hold(lease)
    await wait_until(lambda: bool(told.stopped), timeout_seconds=2)
    await request_stop(queue)
    await some_beats(store, queue, heartbeat)
    assert told.stopped == [lease]


async def test_stop_that_came_with_the_lease(queue: Queue, store: Store, told: Told):
    """A turn that was stopped while it waited is stopped as soon as it is held, without a beat."""
    await queue.push(an_incoming(), event_id="e1")
    await request_stop(queue)
    async with Heartbeat(
        store, worker="w1", lease_seconds=60, on_lost=told.lost.append, on_stop=told.stopped.append
    ) as slow:
        slow.hold(await take(queue))
        await wait_until(lambda: bool(told.stopped), timeout_seconds=1)
    assert told.stopped[0].stopped_by == "U2"


async def test_beats_again_after_the_store_was_away(
    queue: Queue, store: Store, heartbeat: Heartbeat, told: Told
):
    """A lost connection is no lost lease."""
    heartbeat.hold(await take(queue))
    for _ in range(3):
        await store.run_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        time.sleep(LEASE_SECONDS / 2)  # noqa: ASYNC251 - only the thread may run meanwhile
    assert await queue.take_over() == 0
    assert told.lost == []
