"""The worker's side of the queue: one turn of a session at a time, in order, under a lease."""

import asyncio
import time

import pytest

from harness.errors import LeaseLost
from harness.models import Claimed, Message, ProjectId
from storage import keys
from storage.client import Store
from storage.lease import Finish, Lease
from storage.queue import Queue, QueueDepth
from storage.sessions import SessionStore
from tests.storage.steps import push, take, take_over_at_once, took_over
from tests.support import wait_until


async def test_turns_of_a_session_run_one_by_one_in_order(queue: Queue, other: Queue):
    """F138: while a turn runs the next waits, whoever asks; then it is the next in order."""
    await push(queue, 1, 2, 3)
    for n in (1, 2, 3):
        lease = await take(queue)
        assert (lease.incoming.id, lease.attempt) == (f"{n}.0", 1)
        assert await other.take(0) is None
        await queue.finish(lease, Finish())
    assert await queue.take(0) is None


async def test_sessions_run_side_by_side(queue: Queue):
    """F025: threads do not wait for each other, nor do channels."""
    for n in (1, 2, 3):
        await push(queue, n, thread=f"{n}.0")
    await push(queue, 1, channel="C2")
    taken = [await take(queue) for _ in range(4)]
    assert len({lease.session.id for lease in taken}) == 4


async def test_turn_keeps_its_name(queue: Queue):
    """Every attempt of a turn has one name, different from any other turn's."""
    await push(queue, 1, 2)
    first = await take(queue)
    await queue.give_back(first, 0)
    again = await take(queue)
    await queue.finish(again, Finish())
    next_one = await take(queue)
    assert first.turn == again.turn != next_one.turn
    assert (again.attempt, again.fence, next_one.attempt) == (2, first.fence + 1, 1)
    assert first.turn.startswith("T-")
    assert len(first.turn) == 14


async def test_take_waits_for_a_push(queue: Queue):
    """A blocked take returns as soon as something is pushed."""
    waiting = asyncio.create_task(queue.take(5))
    await asyncio.sleep(0.05)
    await push(queue, 1)
    lease = await asyncio.wait_for(waiting, 1)
    assert lease is not None


async def test_take_gives_up_after_its_time(queue: Queue):
    """An empty queue is left after the time asked for, not much later."""
    began = time.monotonic()
    assert await queue.take(0.2) is None
    assert 0.2 <= time.monotonic() - began < 1


async def test_cancelled_take_loses_nothing(queue: Queue):
    """A worker that stops waiting has taken nothing; the next one gets it."""
    waiting = asyncio.create_task(queue.take(5))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await push(queue, 1)
    assert (await queue.depth()).waiting == 1
    assert (await take(queue)).incoming.id == "1.0"


async def test_waiting_takers_share(queue: Queue, other: Queue):
    """Many takers of two workers get one turn each, none twice."""
    takers = [asyncio.create_task(each.take(5)) for each in (queue, other) for _ in range(5)]
    await asyncio.sleep(0.05)
    for n in range(10):
        await push(queue, 1, channel=f"C{n}")
    leases = [lease for lease in await asyncio.gather(*takers) if lease]
    assert len({lease.session.id for lease in leases}) == 10


async def test_busy_lane_does_not_starve_the_others(queue: Queue):
    """With twenty sessions ready in one project, another project's turn is among the first few."""
    for n in range(20):
        await push(queue, n, thread=f"{n}.0")
    await push(queue, 1, channel="C2")
    first = [(await take(queue)).project for _ in range(8)]
    assert ProjectId("C2") in first


async def test_lost_lease_ends_nothing(queue: Queue, other: Queue):
    """Whoever comes back late finishes, gives back and drops nothing."""
    await push(queue, 1, 2)
    late = await take(queue)
    now = await take_over_at_once(other)

    for ending in (
        queue.finish(late, Finish(history=(Message(role="user", content="late"),))),
        queue.give_back(late, 0),
        queue.drop(late),
    ):
        with pytest.raises(LeaseLost):
            await ending

    assert (now.incoming.id, now.attempt, now.fence) == ("1.0", 2, late.fence + 1)
    await other.finish(now, Finish())
    assert (await take(queue)).incoming.id == "2.0"


async def test_late_worker_is_refused_even_before_the_turn_is_taken_again(
    queue: Queue, other: Queue
):
    """From the moment of the take-over nothing of the late worker counts."""
    await push(queue, 1)
    late = await take(queue)
    await wait_until(lambda: took_over(other))
    with pytest.raises(LeaseLost):
        await queue.finish(late, Finish())


async def test_ending_twice_is_harmless(queue: Queue, store: Store):
    """An ending whose answer was lost may be sent again, even when the next turn runs."""
    await push(queue, 1, 2)
    lease = await take(queue)
    ending = Finish(history=(Message(role="user", content="x"),))
    await queue.finish(lease, ending)
    await queue.finish(lease, ending)
    second = await take(queue)
    await queue.finish(lease, ending)
    session = await SessionStore(store).load(lease.session, lease.project)
    assert (len(session.history), session.turns) == (1, 1)
    assert second.incoming.id == "2.0"


async def test_delayed_turn_comes_back_first(queue: Queue):
    """A turn given back is tried again after its delay, before what waits behind it."""
    await push(queue, 1, 2)
    await queue.give_back(await take(queue), 0.05)
    assert await queue.take(0) is None
    assert await queue.depth() == QueueDepth(0, 0, 1, 0)
    await wait_until(lambda: _moved(queue))
    assert (await queue.depth()).delayed == 0
    again = await take(queue)
    assert (again.incoming.id, again.attempt) == ("1.0", 2)


async def _moved(queue: Queue) -> bool:
    return await queue.move_due() == 1


async def test_nothing_is_moved_before_its_time(queue: Queue):
    """A wake-up in a minute is not due now."""
    await push(queue, 1)
    await queue.give_back(await take(queue), 60)
    assert await queue.move_due() == 0


async def test_dropped_turn_is_not_remembered(queue: Queue, store: Store):
    """A dropped turn leaves no history and no journal; the next one runs."""
    await push(queue, 1, 2)
    lease = await take(queue)
    await SessionStore(store).journal(lease).append(Claimed(call_id="c"))
    await queue.drop(lease)
    assert await store.run_command("KEYS", "*:journal:*") == []
    assert (await SessionStore(store).load(lease.session, lease.project)).history == ()
    assert (await take(queue)).incoming.id == "2.0"


async def test_beaten_leases_are_left_alone(queue: Queue, other: Queue, store: Store):
    """Only what nobody has beaten for a whole lease is taken over; who lost it is forgotten."""
    await push(queue, 1)
    lease = await take(queue)
    assert await queue.take_over() == 0
    assert (await take_over_at_once(other)).incoming.id == "1.0"
    assert await names_of_workers(store, lease) == ["w2"]


async def test_dead_workers_are_not_waited_for(queue: Queue, store: Store):
    """What a worker held that is known to be dead is queued at once."""
    neighbour = Queue(store, worker="w3", lease_seconds=10)
    await push(queue, 1)
    await take(queue)
    assert await neighbour.take_over(["nobody"]) == 0
    assert await neighbour.take_over(["w1"]) == 1
    assert (await take(neighbour)).attempt == 2


async def test_take_over_before_anyone_came(queue: Queue):
    """Work that no worker has ever looked at is not disturbed."""
    assert await queue.take_over(["w9"]) == 0
    await push(queue, 1)
    assert await queue.take_over(["w9"]) == 0
    assert (await take(queue)).attempt == 1


async def test_leaving_hands_back_and_is_forgotten(queue: Queue, other: Queue, store: Store):
    """A worker that signs off leaves neither work nor its name."""
    await push(queue, 1)
    lease = await take(queue)
    await queue.leave()
    taken = await take(other)
    assert taken.incoming == lease.incoming
    assert await names_of_workers(store, lease) == ["w2"]
    await other.drop(taken)
    await other.leave()
    assert await names_of_workers(store, lease) == []


async def names_of_workers(store: Store, lease: Lease) -> list[str]:
    """Return the workers that the lane of a lease knows."""
    key = keys.lane(lease.session.team, lease.project).ready
    return [each["name"] for each in await store.redis.xinfo_consumers(key, keys.GROUP)]


async def test_forged_tokens_start_nothing(queue: Queue, other: Queue, store: Store):
    """A token that should not be there never leads to two turns of a session at once."""
    await push(queue, 1, 2)
    lease = await take(queue)
    where = keys.lane(lease.session.team, lease.project)
    for session in (lease.session.id, "T1:C1:unknown"):
        await store.run_command("XADD", where.ready, "*", "session", session)
    assert await other.take(0) is None
    assert (await queue.depth()).waiting == 0

    await store.run_command("XADD", where.ready, "*", "session", lease.session.id)
    taken = ("GROUP", keys.GROUP, "w9", "COUNT", 1, "STREAMS", where.ready, ">")
    await store.run_command("XREADGROUP", *taken)
    assert await queue.take_over(["w9"]) == 0

    await store.run_command("ZADD", where.due, 1, lease.session.id)
    assert await other.move_due() == 0
    assert await other.take(0) is None
    await queue.finish(lease, Finish())
    assert (await take(other)).incoming.id == "2.0"


async def test_waiting_is_quiet_while_turns_run(queue: Queue, store: Store):
    """A worker that waits beside a running turn asks the store a few times, not all the time."""
    await push(queue, 1)
    await take(queue)
    await store.run_command("CONFIG", "RESETSTAT")
    assert await queue.take(0.3) is None
    stats = await store.run_command("INFO", "commandstats")
    assert stats.get("cmdstat_evalsha", {"calls": 0})["calls"] <= 8
    assert stats["cmdstat_xread"]["calls"] <= 2


async def test_depth_counts_every_lane(queue: Queue):
    """Ready, held and delayed sessions of all projects, and how long the oldest has waited."""
    for n in range(6):
        await push(queue, n, thread=f"{n}.0")
    for _ in range(3):
        await take(queue)
    await queue.give_back(await take(queue), 60)
    for n in range(6):
        await push(queue, 1, 2, channel=f"C{n + 2}")
    await wait_until(lambda: _oldest_waits(queue, 0.02))
    depth = await queue.depth()
    assert (depth.waiting, depth.running, depth.delayed) == (8, 3, 1)


async def _oldest_waits(queue: Queue, seconds: float) -> bool:
    return (await queue.depth()).oldest_seconds >= seconds


async def test_store_replaced_under_a_waiting_worker(queue: Queue, store: Store):
    """A worker that waited at a store which lost its data still finds what comes next."""
    await push(queue, 1)
    await queue.finish(await take(queue), Finish())
    assert await queue.take(0) is None
    await store.run_command("FLUSHALL")
    await push(queue, 2)
    assert (await take(queue)).incoming.id == "2.0"
