"""What the store and the queue look like to the doctor."""

from dataclasses import replace

import pytest

from bot.doctor.storehouse import check_queue, check_report, fsync_policy
from storage.client import Store, StoreReport
from storage.dead_letters import DeadLetters
from storage.queue import Queue, QueueDepth
from tests.support import an_incoming

GOOD = StoreReport("valkey", "9.1.2", aof=True, eviction="noeviction", used_bytes=2**21)


def levels(report: StoreReport, fsync: str = "always") -> list[str]:
    return [each.level for each in check_report(report, "unix:///x", fsync)]


@pytest.mark.parametrize(
    ("report", "fsync", "expected"),
    [
        (GOOD, "always", ["ok", "ok", "ok"]),
        (GOOD, "", ["ok", "ok", "ok"]),
        (GOOD, "everysec", ["ok", "warn", "ok"]),
        (replace(GOOD, aof=False), "everysec", ["ok", "fail", "ok"]),
        (replace(GOOD, eviction="allkeys-lru"), "always", ["ok", "ok", "fail"]),
    ],
)
def test_a_store_that_may_lose_something_is_told_of(
    report: StoreReport, fsync: str, expected: list[str]
):
    """No append-only file, late writes, eviction."""
    assert levels(report, fsync) == expected


async def test_the_embedded_store_passes(store: Store):
    """Asked for real."""
    assert await fsync_policy(store) == "always"
    assert levels(await store.check(), await fsync_policy(store)) == ["ok", "ok", "ok"]


def test_a_queue_that_nobody_empties_fails():
    """It waits for longer than a minute: there is no worker."""
    (found,) = check_queue(QueueDepth(3, 0, 0, 61.0), [])
    assert (found.level, "--role worker" in found.advice) == ("fail", True)
    (found,) = check_queue(QueueDepth(3, 1, 2, 5.0), [])
    assert (found.level, found.text) == (
        "ok",
        "It moves: 1 running, 3 waiting, 2 to be tried again",
    )


async def test_dead_letters_are_named_with_their_thread_and_reason(store: Store):
    """What could not be answered is not forgotten."""
    queue = Queue(store, worker="w1", lease_seconds=10)
    await queue.push(an_incoming(), event_id="e1")
    lease = await queue.take(0)
    assert lease is not None
    await queue.bury(lease, "it broke")
    movement, letters = check_queue(await queue.depth(), await DeadLetters(store).all())
    assert movement.level == "ok"
    assert letters.level == "warn"
    assert f"{lease.turn} in {lease.session.id}: it broke" in letters.text
