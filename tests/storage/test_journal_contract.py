"""What every journal must do: the same assertions on the fake and on the real one."""

from collections.abc import Awaitable, Callable

import pytest

from harness.errors import LeaseLost
from harness.models import (
    Answered,
    Claimed,
    JournalEntry,
    Message,
    Opened,
    Returned,
    ToolCall,
    Usage,
)
from harness.ports import Journal
from storage.client import Store
from storage.queue import Queue
from storage.sessions import SessionStore
from tests.fakes import MemoryTurn
from tests.support import an_incoming

Take = Callable[[], Awaitable[Journal]]

STEPS: tuple[JournalEntry, ...] = (
    Opened(message=Message(role="user", content="what is in a.txt? 漢字 \u2028")),
    Answered(
        message=Message(
            role="assistant",
            tool_calls=(ToolCall(id="c1", name="file_read", arguments='{"path": "a.txt"}'),),
        ),
        usage=Usage(input_tokens=7, output_tokens=3, model_calls=1),
    ),
    Claimed(call_id="c1"),
    Returned(message=Message(role="tool", content="hello", tool_call_id="c1")),
)


@pytest.fixture(params=["memory", "redis"])
async def take(request: pytest.FixtureRequest, store: Store) -> Take:
    """Take one turn, again and again; each time the one who held it before has lost it."""
    turn = MemoryTurn()
    queue = Queue(store, worker="w1", lease_seconds=10)
    await queue.push(an_incoming(), event_id="e1")

    async def in_memory() -> Journal:
        return turn.take()

    async def in_redis() -> Journal:
        await queue.take_over([queue.worker])
        lease = await queue.take(0)
        assert lease is not None
        return SessionStore(store).journal(lease)

    return in_memory if request.param == "memory" else in_redis


async def test_begins_empty(take: Take):
    """A turn that has not begun has no entries."""
    assert await (await take()).load() == []


async def test_gives_back_what_was_written(take: Take):
    """Every kind of entry comes back equal and in order, also to the next holder."""
    journal = await take()
    for step in STEPS:
        await journal.append(step)

    assert await journal.load() == list(STEPS)
    assert await (await take()).load() == list(STEPS)


async def test_next_holder_goes_on(take: Take):
    """A new holder appends after what is there, whether it loaded it or not."""
    first = await take()
    await first.append(STEPS[0])
    second = await take()
    await second.append(STEPS[1])
    assert await second.load() == list(STEPS[:2])


async def test_equal_entries_both_stand(take: Take):
    """The same entry written twice on purpose stands there twice."""
    journal = await take()
    await journal.append(STEPS[2])
    await journal.append(STEPS[2])
    assert await journal.load() == [STEPS[2], STEPS[2]]


async def test_late_holder_writes_nothing(take: Take):
    """Who has lost the turn is told so, and nothing of it is written."""
    late = await take()
    await late.append(STEPS[0])
    now = await take()

    with pytest.raises(LeaseLost):
        await late.append(STEPS[1])

    assert await now.load() == [STEPS[0]]
