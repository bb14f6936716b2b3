"""At most so many turns of a project at once; the others wait, and hold nobody else up."""

from collections.abc import Awaitable, Callable

import pytest

from harness.models import UserId
from storage.client import Store
from storage.lease import Finish, Lease
from storage.queue import Queue
from tests.storage.steps import push, take
from tests.support import an_incoming, wait_until

SLOTS = 3


@pytest.fixture
def queue(store: Store) -> Queue:
    return Queue(store, worker="w1", lease_seconds=10, project_slots=SLOTS)


@pytest.fixture
async def full(queue: Queue) -> list[Lease]:
    """Six threads of one project have something to do, three run: the other three wait."""
    for n in range(1, 7):
        await push(queue, n, thread=f"{n}.0")
    leases = [await take(queue) for _ in range(SLOTS)]
    assert await queue.take(0) is None
    return leases


async def test_the_rest_wait_and_are_counted(queue: Queue, full: list[Lease]):
    """They are neither ready nor lost: nobody has to ask why no worker takes them."""
    depth = await queue.depth()
    assert (depth.waiting, depth.running, depth.capped) == (0, len(full), 3)


async def test_other_projects_go_on(queue: Queue, full: list[Lease]):
    """A full project holds up none of its neighbours, not even in its own lane."""
    for n in range(20):
        await push(queue, 1, channel=f"D{n}")
    taken = [await take(queue) for _ in range(20)]
    assert {lease.project for lease in taken}.isdisjoint(lease.project for lease in full)


async def delay(queue: Queue, lease: Lease) -> None:
    await queue.give_back(lease, 60)


async def finish(queue: Queue, lease: Lease) -> None:
    await queue.finish(lease, Finish())


async def bury(queue: Queue, lease: Lease) -> None:
    await queue.bury(lease, "so")


@pytest.mark.parametrize("end", [finish, Queue.drop, bury, delay, Queue.park])
async def test_each_ending_frees_one_slot(
    queue: Queue, full: list[Lease], end: Callable[[Queue, Lease], Awaitable[None]]
):
    """Who has waited longest is next, then nobody until another turn ends."""
    await end(queue, full[1])
    assert (await take(queue)).session.thread == "4.0"
    assert await queue.take(0) is None
    assert (await queue.depth()).capped == 2


async def test_who_waits_is_not_overtaken(queue: Queue, full: list[Lease]):
    """A thread that comes later waits behind those that wait already."""
    await push(queue, 9, thread="9.0")
    await queue.finish(full[0], Finish())
    assert [(await take(queue)).session.thread, await queue.take(0)] == ["4.0", None]


async def test_sessions_of_a_project_take_turns(queue: Queue, full: list[Lease]):
    """A thread with much to do does not keep its slot from the others."""
    await push(queue, 11, 12, thread="1.0")
    lease = next(each for each in full if each.session.thread == "1.0")
    await queue.finish(lease, Finish())
    assert (await take(queue)).session.thread == "4.0"
    assert await queue.take(0) is None


async def test_a_slot_survives_its_worker(full: list[Lease], store: Store):
    """What a dead worker ran is taken up again before what waits; never more than the slots."""
    neighbour = Queue(store, worker="w2", lease_seconds=10, project_slots=SLOTS)
    assert await neighbour.take_over(["w1"]) == SLOTS
    again = [await take(neighbour) for _ in range(SLOTS)]
    assert {each.turn for each in again} == {each.turn for each in full}
    assert await neighbour.take(0) is None


async def test_a_slot_survives_an_expired_lease(queue: Queue, full: list[Lease], store: Store):
    """The same where nobody knows that the worker is dead; ends then free each slot once."""
    patient = Queue(store, worker="w2", lease_seconds=0.001, project_slots=SLOTS)

    async def all_are_taken_over() -> bool:
        return await patient.take_over() == len(full)

    await wait_until(all_are_taken_over)
    for _ in range(6):
        await queue.finish(await take(queue), Finish())
    assert await queue.take(0) is None
    depth = await queue.depth()
    assert (depth.waiting, depth.running, depth.capped) == (0, 0, 0)


async def test_handing_back_keeps_the_slot(queue: Queue, full: list[Lease]):
    """A worker that ends in good order leaves its turns first in line."""
    await queue.give_back(full[0], 0)
    assert (await take(queue)).turn == full[0].turn


async def test_stopping_needs_no_slot(queue: Queue, full: list[Lease]):
    """Who stops a turn that waits for a slot hears so at once."""
    waiting = an_incoming(5, thread="5.0")
    assert await queue.request_stop(waiting.session, waiting.project, UserId("U2"))
    stopped = await take(queue)
    assert (stopped.incoming, stopped.stopped_by) == (waiting, "U2")
    await queue.finish(stopped, Finish())
    assert await queue.take(0) is None
    assert (await queue.depth()).capped == 2
    await queue.drop(full[0])
    assert (await take(queue)).session.thread == "4.0"


async def test_taking_back_a_message_that_waits_for_a_slot(queue: Queue, full: list[Lease]):
    """It is gone, wherever it stands: in line, or already next."""
    for n in (4, 5):
        gone = an_incoming(n, thread=f"{n}.0")
        assert await queue.remove(gone.session, gone.project, gone.id) == "waiting"
        if n == 4:
            await queue.finish(full[0], Finish())  # now the slot is kept for 5.0
    assert (await take(queue)).session.thread == "6.0"
    assert (await queue.depth()).capped == 0


async def test_without_a_limit_all_run(full: list[Lease], store: Store):
    """No number, no limit; and no trace of one is left when all have ended."""
    free = Queue(store, worker="w2", lease_seconds=10)
    await push(free, 7, thread="7.0")
    lease = await take(free)
    for each in (lease, *full):
        await free.finish(each, Finish())
    for _ in range(3):
        await free.finish(await take(free), Finish())
    assert await store.run_command("KEYS", "*:slots") == []
    assert await store.run_command("KEYS", "*:capped") == []


async def test_a_slot_stays_in_its_project(queue: Queue, full: list[Lease]):
    """A project in the same lane whose name begins like another's gets none of its slots."""
    for n in range(1, 5):
        await push(queue, n, thread=f"{n}.0", channel="C11")
    for _ in range(SLOTS):
        assert (await take(queue)).project == "C11"
    for lease in full:
        await queue.drop(lease)
    rest = [await take(queue) for _ in range(SLOTS)]
    assert {lease.project for lease in rest} == {"C1"}
    for lease in rest:
        await queue.drop(lease)
    assert await queue.take(0) is None
    assert (await queue.depth()).capped == 1
