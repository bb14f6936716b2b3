"""What a thread remembers, and the journal of a running turn in the store."""

import pytest

from harness.errors import LeaseLost
from harness.models import Claimed, Message, Session, ToolCall
from storage import keys, scripts
from storage.client import Store
from storage.lease import Finish, Lease
from storage.queue import Queue
from storage.sessions import SessionStore
from tests.support import an_incoming

HISTORY = (
    Message(role="user", content="ann: read it"),
    Message(role="assistant", tool_calls=(ToolCall(id="c", name="file_read", arguments="{}"),)),
    Message(role="tool", content='{"status":"ok"}', tool_call_id="c"),
    Message(role="assistant", content="done 漢字"),
)


@pytest.fixture
async def lease(queue: Queue) -> Lease:
    """A lease of the first of two turns."""
    await queue.push(an_incoming(1), event_id="e1")
    await queue.push(an_incoming(2), event_id="e2")
    lease = await queue.take(0)
    assert lease is not None
    return lease


async def test_unknown_session_is_empty(store: Store):
    """A thread without a finished turn has no history."""
    first = an_incoming()
    session = await SessionStore(store).load(first.session, first.project)
    assert session == Session(key=first.session)


async def test_history_grows_turn_by_turn(store: Store, queue: Queue, lease: Lease):
    """Finished turns append to the history, message by message as they were sent."""
    await queue.finish(lease, Finish(history=HISTORY[:3]))
    second = await queue.take(0)
    assert second is not None
    await queue.finish(second, Finish(history=HISTORY[3:]))

    session = await SessionStore(store).load(lease.session, lease.project)
    assert session == Session(key=lease.session, history=HISTORY, turns=2)


async def test_sessions_last_ninety_days(store: Store, queue: Queue, lease: Lease):
    """State and history of an idle session expire 90 days after its last turn."""
    await queue.finish(lease, Finish(history=HISTORY))
    second = await queue.take(0)
    assert second is not None
    await queue.drop(second)

    where = keys.lane(lease.session.team, lease.project)
    for key in (where.state(lease.session.id), where.history(lease.session.id)):
        assert await store.run_command("TTL", key) == pytest.approx(90 * 24 * 3600, abs=5)


async def test_busy_sessions_never_expire(store: Store, queue: Queue, lease: Lease):
    """A session that was idle and is busy again has no TTL: what waits in it is not lost."""
    await queue.finish(lease, Finish())
    second = await queue.take(0)
    assert second is not None
    await queue.finish(second, Finish())
    await queue.push(an_incoming(3), event_id="e3")
    where = keys.lane(lease.session.team, lease.project)
    assert await store.run_command("TTL", where.state(lease.session.id)) == -1


async def test_journal_ends_with_its_turn(store: Store, queue: Queue, lease: Lease):
    """A finished turn leaves no journal behind."""
    await SessionStore(store).journal(lease).append(Claimed(call_id="c"))
    await queue.finish(lease, Finish())
    assert await store.run_command("KEYS", "*:journal:*") == []


async def test_journal_refuses_after_the_end(store: Store, queue: Queue, lease: Lease):
    """Once its turn has ended, a journal takes nothing."""
    journal = SessionStore(store).journal(lease)
    await queue.finish(lease, Finish())
    with pytest.raises(LeaseLost):
        await journal.append(Claimed(call_id="c"))


async def test_entry_sent_twice_stands_once(store: Store, lease: Lease):
    """An append whose answer was lost may be sent again."""
    call = scripts.append_journal(lease, 0, '{"kind":"claimed","call_id":"c"}')
    assert [await store.run(call), await store.run(call)] == [1, 1]
    assert await SessionStore(store).journal(lease).load() == [Claimed(call_id="c")]


async def test_two_writers_of_one_journal_are_a_bug(store: Store, lease: Lease):
    """Who does not know the last entries is refused, loudly, and overwrites nothing."""
    mine, yours = SessionStore(store).journal(lease), SessionStore(store).journal(lease)
    await mine.load()
    await yours.append(Claimed(call_id="yours"))
    with pytest.raises(ValueError, match="another entry stands at 0"):
        await mine.append(Claimed(call_id="mine"))
    assert await mine.load() == [Claimed(call_id="yours")]
