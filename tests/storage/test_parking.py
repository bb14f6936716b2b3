"""A turn that waits for a person, for days, and holds nothing meanwhile."""

import pytest

from harness.errors import LeaseLost
from harness.models import UserId
from storage import keys
from storage.client import Store
from storage.lease import Finish, Lease
from storage.queue import Queue, QueueDepth
from tests.storage.steps import push, take, take_over_at_once
from tests.support import an_incoming


async def unpark(queue: Queue, n: int = 1) -> bool:
    parked = an_incoming(n)
    return await queue.unpark(parked.session, parked.project, parked.id)


async def park(queue: Queue) -> Lease:
    lease = await take(queue)
    await queue.park(lease)
    return lease


async def test_a_parked_turn_holds_nothing_and_stays_first(queue: Queue, store: Store):
    """No token, no wake-up, no lease; what comes after it waits and is counted."""
    await push(queue, 1, 2)
    lease = await park(queue)
    await push(queue, 3)
    assert await queue.take(0) is None
    assert await queue.move_due() == 0
    assert await queue.take_over(["w1"]) == 0
    assert await queue.depth() == QueueDepth(0, 0, 0, 0, parked=1)
    assert await queue.waiting(lease.session, lease.project) == 2
    assert await store.run_command("XLEN", keys.lane(lease.session.team, lease.project).ready) == 0


async def test_a_woken_turn_goes_on_before_what_waits(queue: Queue):
    """Waking is for the turn that was parked, once, under a new fence."""
    await push(queue, 1, 2)
    lease = await park(queue)
    assert not await unpark(queue, 2)
    assert await unpark(queue)
    assert await unpark(queue)
    again = await take(queue)
    assert (again.turn, again.fence) == (lease.turn, lease.fence + 1)
    assert await queue.take(0) is None
    await queue.finish(again, Finish())
    assert not await unpark(queue)
    assert (await take(queue)).incoming.id == "2.0"
    assert (await queue.depth()).parked == 0


async def test_who_is_quicker_than_the_parking_is_heard(queue: Queue):
    """A click between the question and the parking wakes the turn all the same, once."""
    await push(queue, 1)
    lease = await take(queue)
    assert await unpark(queue)
    await queue.park(lease)
    again = await take(queue)
    assert again.turn == lease.turn
    await queue.park(again)
    assert await queue.take(0) is None


async def test_who_takes_a_turn_over_sees_what_woke_it(queue: Queue, other: Queue):
    """A wake-up that the lost worker had not seen is not kept for a later parking."""
    await push(queue, 1)
    await take(queue)
    await unpark(queue)
    again = await take_over_at_once(other)
    await other.park(again)
    assert await other.take(0) is None


async def test_stop_ends_a_parked_turn(queue: Queue):
    """A stop wakes it, and whoever takes it learns that it is to stop."""
    await push(queue, 1, 2)
    lease = await park(queue)
    assert await queue.request_stop(lease.session, lease.project, UserId("U2"))
    stopped = await take(queue)
    assert (stopped.turn, stopped.stopped_by) == (lease.turn, "U2")
    assert (await queue.depth()).parked == 0
    await queue.finish(stopped, Finish())
    assert (await take(queue)).stopped_by is None


async def test_a_stop_before_the_parking_is_not_slept_over(queue: Queue):
    """A turn that was to stop while its worker parked it is taken again at once."""
    await push(queue, 1)
    lease = await take(queue)
    await queue.request_stop(lease.session, lease.project, UserId("U2"))
    await queue.park(lease)
    assert (await take(queue)).stopped_by == "U2"


async def test_deleting_the_message_of_a_parked_turn(queue: Queue):
    """It has begun, so it is stopped, as the gateway does; it does not wait for its answer."""
    await push(queue, 1)
    lease = await park(queue)
    standing = await queue.remove(lease.session, lease.project, lease.incoming.id)
    assert standing == "running"
    said = lease.incoming.id
    assert await queue.request_stop(lease.session, lease.project, UserId("U1"), said=said)
    assert (await take(queue)).stopped_by == "U1"


async def test_parking_twice_is_harmless_and_late_parking_refused(queue: Queue, other: Queue):
    """An answer that was lost changes nothing; a lost lease parks nothing."""
    await push(queue, 1)
    lease = await park(queue)
    await queue.park(lease)
    await unpark(queue)
    late = await take(queue)
    await take_over_at_once(other)
    with pytest.raises(LeaseLost):
        await queue.park(late)
    assert (await queue.depth()).running == 1
