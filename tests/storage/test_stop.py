"""Stopping a turn: running, waiting, delayed, or in the hands of a worker that dies."""

from harness.models import UserId
from storage import scripts
from storage.client import Store
from storage.lease import Finish
from storage.queue import Queue, QueueDepth
from tests.storage.steps import push, take, take_over_at_once
from tests.support import an_incoming


async def test_stop_of_nothing(queue: Queue):
    """There is nothing to stop in an unknown or an idle session."""
    first = an_incoming()
    assert not await queue.request_stop(first.session, first.project, UserId("U2"))
    await push(queue, 1)
    await queue.finish(await take(queue), Finish())
    assert not await queue.request_stop(first.session, first.project, UserId("U2"))


async def test_stop_before_the_turn_begins(queue: Queue):
    """Whoever takes a turn that was stopped while it waited learns it with the lease."""
    first = an_incoming()
    await push(queue, 1, 2)
    assert await queue.request_stop(first.session, first.project, UserId("U2"))
    lease = await take(queue)
    assert lease.stopped_by == "U2"
    await queue.finish(lease, Finish())
    assert (await take(queue)).stopped_by is None


async def test_stop_wakes_a_delayed_turn(queue: Queue):
    """A stop does not wait for the end of a delay."""
    first = an_incoming()
    await push(queue, 1)
    await queue.give_back(await take(queue), 60)
    assert await queue.request_stop(first.session, first.project, UserId("U2"))
    assert (await take(queue)).stopped_by == "U2"
    assert await queue.depth() == QueueDepth(0, 1, 0, 0)


async def test_stop_of_a_turn_that_was_taken_back(queue: Queue, store: Store):
    """Who stops a waiting turn and then deletes it has not stopped the next one."""
    first = an_incoming()
    await push(queue, 1, 2)
    await queue.request_stop(first.session, first.project, UserId("U2"))
    assert await queue.remove(first.session, first.project, first.id) == "waiting"
    lease = await take(queue)
    assert (lease.incoming.id, lease.stopped_by) == ("2.0", None)
    assert await store.run(scripts.beat(lease, "w1")) == ""


async def test_stop_survives_the_worker(queue: Queue, other: Queue):
    """A turn that was to stop when its worker died stops in the next one's hands."""
    first = an_incoming()
    await push(queue, 1)
    await take(queue)
    await queue.request_stop(first.session, first.project, UserId("U2"))
    assert (await take_over_at_once(other)).stopped_by == "U2"


async def test_late_stop_spares_what_was_asked_after_it(queue: Queue):
    """A stop that Slack delivers late ends the turn it was said to, not the one after it."""
    first = an_incoming()
    await push(queue, 1, 2)
    assert await queue.request_stop(first.session, first.project, UserId("U2"), said="1.5")
    await queue.finish(await take(queue), Finish())
    assert not await queue.request_stop(first.session, first.project, UserId("U2"), said="1.5")
    assert (await take(queue)).stopped_by is None
