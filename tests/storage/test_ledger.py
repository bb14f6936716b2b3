"""What a turn has delivered."""

import pytest

from harness.errors import LeaseLost
from storage.client import Store
from storage.lease import Finish, Lease
from storage.ledger import Ledger, Part
from storage.queue import Queue
from tests.support import an_incoming


@pytest.fixture
async def lease(queue: Queue) -> Lease:
    await queue.push(an_incoming(), event_id="e1")
    lease = await queue.take(0)
    assert lease is not None
    return lease


async def test_parts_in_order_last_state_wins(store: Store, lease: Lease):
    """Parts come back by number, even past nine, each as it was last put."""
    ledger = Ledger(store, lease)
    assert await ledger.parts() == ()
    sealed = tuple(
        Part(n=n, via="post", state="sealed", ts=f"{n}.1", digest="d") for n in range(12)
    )
    for part in reversed(sealed):
        await ledger.put(Part(n=part.n, via="post", state="opening"))
        await ledger.put(part)
    assert await ledger.parts() == sealed


async def test_next_attempt_sees_what_was_delivered(store: Store, queue: Queue, lease: Lease):
    """After a crash the next worker finds the parts, and the late one adds none."""
    late = Ledger(store, lease)
    opened = Part(n=0, via="stream", state="open", ts="1.1")
    await late.put(opened)
    await queue.take_over([queue.worker])
    again = await queue.take(0)
    assert again is not None
    assert again.turn == lease.turn

    with pytest.raises(LeaseLost):
        await late.put(Part(n=1, via="post", state="opening"))

    assert await Ledger(store, again).parts() == (opened,)


async def test_ledger_outlives_its_turn_by_a_week(store: Store, queue: Queue, lease: Lease):
    """What was delivered stays known after the end, for seven days."""
    ledger = Ledger(store, lease)
    await ledger.put(Part(n=0, via="post", state="sealed", ts="1.1"))
    await queue.finish(lease, Finish())
    assert len(await ledger.parts()) == 1
    (key,) = await store.run_command("KEYS", "*:ledger:*")
    assert await store.run_command("TTL", key) == pytest.approx(7 * 24 * 3600, abs=5)
