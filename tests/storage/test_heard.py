"""The mark of a workspace: it only grows, and knows which threads were heard lately."""

from harness.models import ChannelId, TeamId
from storage.client import Store
from storage.heard import MOST_THREADS, HeardStore, Thread

C1 = ChannelId("C1")


async def test_the_mark_only_grows(store: Store):
    """Whoever comes late, or writes twice, moves nothing back; workspaces do not mix."""
    heard = HeardStore(store, TeamId("T1"))
    assert await heard.until() is None
    await heard.note(1700000002.0001, {})
    await heard.note(1700000001.0, {})
    assert await heard.until() == 1700000002.0001
    assert await HeardStore(store, TeamId("T2")).until() is None


async def test_threads_are_noted_without_moving_the_mark(store: Store):
    """While a gap is open the threads are still followed; the latest come first."""
    heard = HeardStore(store, TeamId("T1"))
    await heard.note(None, {(C1, "1.000100"): 5.0, (ChannelId("D2"), "2.0"): 7.0})
    await heard.note(None, {(C1, "1.000100"): 4.0})
    assert await heard.until() is None
    assert await heard.threads(0) == [
        Thread(ChannelId("D2"), "2.0", 7.0),
        Thread(C1, "1.000100", 5.0),
    ]
    assert await heard.threads(6.0) == [Thread(ChannelId("D2"), "2.0", 7.0)]


async def test_only_so_many_threads_are_kept(store: Store):
    """The oldest fall out."""
    heard = HeardStore(store, TeamId("T1"))
    await heard.note(None, {(C1, str(n)): float(n) for n in range(MOST_THREADS + 5)})
    threads = await heard.threads(0)
    assert len(threads) == MOST_THREADS
    assert threads[-1].ts == "5"
