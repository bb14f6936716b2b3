"""Turns that cannot be read, that fail, or that take their worker with them."""

import asyncio

import pytest

from harness.errors import LeaseLost
from harness.models import Claimed, TurnId
from storage import keys
from storage.client import Store
from storage.dead_letters import DeadLetters
from storage.lease import MOST_FALLS, Finish
from storage.queue import Queue
from storage.sessions import SessionStore
from tests.storage.steps import push, take, take_over_at_once
from tests.support import an_incoming


async def spoil(store: Store, item: str | None) -> None:
    """Overwrite the first message of the first thread as it is stored."""
    first = an_incoming()
    where = keys.lane(first.session.team, first.project)
    if item is None:
        await store.run_command("HDEL", where.items(first.session.id), first.id)
    else:
        await store.run_command("HSET", where.items(first.session.id), first.id, item)


@pytest.mark.parametrize("item", ['{"v": 2}', "not JSON", "", None])
async def test_an_unreadable_turn_stands_in_nobodys_way(
    queue: Queue, store: Store, item: str | None
):
    """What this version cannot read is put aside as it is stored; its session goes on."""
    await push(queue, 1, 2)
    await spoil(store, item)
    assert (await take(queue)).incoming.id == "2.0"
    (letter,) = await DeadLetters(store).all()
    assert (letter.message, letter.session) == ("1.0", "T1:C1:1.0")
    assert letter.incoming == (item or "")
    assert "cannot be read" in letter.why
    depth = await queue.depth()
    assert (depth.waiting, depth.running, depth.dead) == (0, 1, 1)


async def test_a_buried_turn_is_kept_with_its_reason(queue: Queue, store: Store):
    """An operator sees what, when and why; the session goes on; doing it twice is harmless."""
    await push(queue, 1, 2)
    lease = await take(queue)
    await queue.bury(lease, "It failed: KeyError.")
    await queue.bury(lease, "It failed: KeyError.")
    (letter,) = await DeadLetters(store).all()
    seconds, _ = await store.run_command("TIME")
    assert (letter.id, letter.why) == (lease.turn, "It failed: KeyError.")
    assert letter.incoming == lease.incoming.model_dump_json()
    assert letter.project == "T1:C1"
    assert 0 <= seconds - letter.buried_at + 1 < 10
    assert (await take(queue)).incoming.id == "2.0"


async def test_a_lost_lease_buries_nothing(queue: Queue, other: Queue, store: Store):
    """Whoever comes back late does not decide about a turn that another worker runs."""
    await push(queue, 1)
    late = await take(queue)
    await take_over_at_once(other)
    with pytest.raises(LeaseLost):
        await queue.bury(late, "late")
    assert await DeadLetters(store).all() == []


async def test_a_requeued_turn_goes_on_where_it_was(queue: Queue, store: Store):
    """It comes before what waits, as it was when it left, with its journal, counted anew."""
    first = an_incoming()
    await push(queue, 1, 2, 3)
    await queue.edit(first.session, first.project, first.id, "better")
    lease = await take(queue)
    await SessionStore(store).journal(lease).append(Claimed(call_id="c"))
    await queue.bury(lease, "so")
    await queue.finish(await take(queue), Finish())

    letters = DeadLetters(store)
    assert await letters.requeue(lease.turn)
    assert not await letters.requeue(lease.turn)
    assert not await letters.requeue(TurnId("T-none"))
    again = await take(queue)

    assert (again.turn, again.incoming, again.attempt) == (lease.turn, lease.incoming, 1)
    assert again.incoming.text == "better"
    assert await SessionStore(store).journal(again).load() == [Claimed(call_id="c")]
    await queue.finish(again, Finish())
    assert (await take(queue)).incoming.id == "3.0"
    assert await letters.all() == []


async def test_requeue_wakes_a_forgotten_session(queue: Queue, store: Store):
    """Long after its session was forgotten a letter still finds its place and its project."""
    await push(queue, 1)
    lease = await take(queue)
    await queue.bury(lease, "so")
    where = keys.lane(lease.session.team, lease.project)
    await store.run_command("DEL", where.state(lease.session.id))
    assert await DeadLetters(store).requeue(lease.turn)
    assert (await take(queue)).incoming == lease.incoming
    assert await store.run_command("HGET", where.state(lease.session.id), "project") == "T1:C1"


async def test_a_turn_that_kills_its_workers_is_given_up(queue: Queue, store: Store):
    """Each taker learns how many fell before it; one after the limit, the queue buries it."""
    await push(queue, 1, 2)
    falls: list[int] = []
    for _ in range(MOST_FALLS + 1):
        falls.append((await take(queue)).falls)
        assert await queue.take_over(["w1"]) == 1
    assert falls == list(range(MOST_FALLS + 1))
    (letter,) = await DeadLetters(store).all()
    assert (letter.message, letter.falls) == ("1.0", MOST_FALLS + 1)
    fresh = await take(queue)
    assert (fresh.incoming.id, fresh.falls) == ("2.0", 0)


async def test_waiting_for_better_times_is_no_fall(queue: Queue, store: Store):
    """A turn that is given back in good order in between, however often, is never given up."""
    await push(queue, 1)
    for _ in range(2 * MOST_FALLS):
        await take(queue)
        assert await queue.take_over(["w1"]) == 1
        lease = await take(queue)
        assert lease.falls == 1
        await queue.give_back(lease, 0)
    assert await DeadLetters(store).all() == []


async def test_dead_letters_are_bounded(queue: Queue, store: Store):
    """The oldest make room; all have an end."""
    await push(queue, 1)
    first = await take(queue)
    await queue.bury(first, "so")
    others = [push(queue, n, thread=f"{n}.0") for n in range(2, keys.MOST_DEAD + 2)]
    await asyncio.gather(*others)
    leases = await asyncio.gather(*(take(queue) for _ in others))
    await asyncio.gather(*(queue.bury(lease, "so") for lease in leases))
    letters = await DeadLetters(store).all()
    assert {letter.id for letter in letters} == {lease.turn for lease in leases}
    assert len(letters) == keys.MOST_DEAD
