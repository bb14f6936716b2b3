"""The gateway's side of the queue: each thing once, in order, changed while it waits."""

import asyncio
import time

import pytest

from harness.models import Aside, FileRef, Incoming, UserId
from storage import keys, scripts
from storage.client import Store
from storage.inbox import Pushed
from storage.lease import Finish, Lease
from storage.queue import Queue
from tests.storage.steps import take
from tests.support import an_incoming


def an_aside(n: int) -> Aside:
    return Aside(ts=f"{n}.5", user=UserId("U2"), text=f"aside {n}")


async def overhear(queue: Queue, n: int) -> bool:
    first = an_incoming()
    return await queue.overhear(first.session, first.project, an_aside(n), event_id=f"a{n}")


async def test_push_tells_how_many_are_ahead(queue: Queue):
    """The third message of a thread has two turns ahead of it, begun or not."""
    assert await queue.push(an_incoming(1), event_id="e1") == Pushed("queued", 0)
    assert await queue.push(an_incoming(2), event_id="e2") == Pushed("queued", 1)
    await take(queue)
    assert await queue.push(an_incoming(3), event_id="e3") == Pushed("queued", 2)


async def test_same_event_is_one_turn(queue: Queue):
    """F004: Slack's retries of an event are accepted once, also after the turn has ended."""
    await queue.push(an_incoming(), event_id="e1")
    assert (await queue.push(an_incoming(), event_id="e1")).outcome == "duplicate"
    await queue.finish(await take(queue), Finish())
    assert (await queue.push(an_incoming(), event_id="e1")).outcome == "duplicate"
    assert await queue.take(0) is None


async def test_push_sent_again_gets_the_same_answer(store: Store, queue: Queue):
    """A push whose answer was lost is not called a duplicate of itself."""
    await queue.push(an_incoming(1), event_id="e1")
    second = an_incoming(2)
    where = keys.lane(second.session.team, second.project)
    call = scripts.push(where, second, event="e2", nonce="n1", rank=None, known=False)
    assert [await store.run(call), await store.run(call)] == [("queued", 1), ("queued", 1)]


async def test_same_message_is_one_turn(queue: Queue):
    """F001: two events of one message are one turn, also after it has begun or ended."""
    await queue.push(an_incoming(), event_id="e1")
    lease = await take(queue)
    assert (await queue.push(an_incoming(), event_id="e2")).outcome == "duplicate"
    await queue.finish(lease, Finish())
    assert (await queue.push(an_incoming(), event_id="e3")).outcome == "duplicate"
    assert await queue.take(0) is None


@pytest.mark.parametrize("mention_first", [True, False])
async def test_twins_merge(queue: Queue, *, mention_first: bool):
    """F001, F219: mention and files are kept, whichever twin of a message comes first."""
    file = FileRef(id="F1", name="plan.txt")
    twins = [an_incoming(mentioned=True), an_incoming(files=(file,))]
    if not mention_first:
        twins.reverse()

    outcomes = [
        (await queue.push(twin, event_id=f"e{number}")).outcome for number, twin in enumerate(twins)
    ]
    incoming = (await take(queue)).incoming

    assert outcomes == ["queued", "merged"]
    assert incoming == an_incoming(mentioned=True, files=(file,))


async def test_same_id_in_another_channel_is_another_turn(queue: Queue):
    """Two channels may have messages with one ts."""
    assert (await queue.push(an_incoming(), event_id="e1")).outcome == "queued"
    assert (await queue.push(an_incoming(channel="C2"), event_id="e2")).outcome == "queued"


async def test_unknown_session_is_left_alone(queue: Queue, store: Store):
    """A reply in a thread we are not part of leaves no trace, so that a mention in it counts."""
    pushed = await queue.push(an_incoming(), event_id="e1", only_known_session=True)
    assert pushed == Pushed("unknown_session", 0)
    assert all(":early:" in key for key in await store.run_command("KEYS", "*"))

    assert (await queue.push(an_incoming(), event_id="e1")).outcome == "queued"
    known = await queue.push(an_incoming(2), event_id="e2", only_known_session=True)
    assert known == Pushed("queued", 1)


async def test_racing_pushes_are_one_turn(queue: Queue):
    """F138: twenty deliveries of one event at once are accepted once."""
    pushes = (queue.push(an_incoming(), event_id="e1") for _ in range(20))
    outcomes = [pushed.outcome for pushed in await asyncio.gather(*pushes)]
    assert outcomes.count("queued") == 1
    assert outcomes.count("duplicate") == 19


async def test_rank_puts_a_late_message_in_its_place(queue: Queue):
    """A message that Slack delivers late runs before later ones, but never before a begun turn."""
    first = an_incoming(2)
    await queue.push(first, event_id="e2", rank=2)
    await take(queue)
    await queue.push(an_incoming(4), event_id="e4", rank=4)
    pushed = await queue.push(an_incoming(1), event_id="e1", rank=1)
    assert pushed == Pushed("queued", 1)
    assert await ids_in_order(queue, first) == ["2.0", "1.0", "4.0"]


async def ids_in_order(queue: Queue, begun: Incoming) -> list[str]:
    """Finish all turns of a session, beginning with the one that runs."""
    ids: list[str] = []
    await queue.take_over([queue.worker])
    while lease := await queue.take(0):
        assert lease.session == begun.session
        ids.append(lease.incoming.id)
        await queue.finish(lease, Finish())
    return ids


async def test_a_clock_that_steps_back_changes_no_order(queue: Queue, store: Store):
    """Arrival is arrival, even if the server's clock was an hour ahead a moment ago."""
    first = an_incoming(1)
    await queue.push(first, event_id="e1")
    where = keys.lane(first.session.team, first.project)
    ahead = f"{time.time() + 3600:.6f}"
    await store.run_command("ZADD", where.inbox(first.session.id), ahead, first.id)
    await store.run_command("HSET", where.state(first.session.id), "last", ahead)
    for n in (2, 3):
        await queue.push(an_incoming(n), event_id=f"e{n}")
    assert await ids_in_order(queue, first) == ["1.0", "2.0", "3.0"]


async def test_edit_changes_a_waiting_turn(queue: Queue):
    """An edit before the turn begins changes what will be asked."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    assert await queue.edit(first.session, first.project, first.id, "better") == "waiting"
    lease = await take(queue)
    assert lease.incoming == first.model_copy(update={"text": "better"})
    assert await queue.edit(first.session, first.project, first.id, "late") == "running"
    await queue.finish(lease, Finish())


async def test_edit_of_nothing(queue: Queue):
    """Edits of unknown and of answered messages start nothing."""
    first = an_incoming()
    assert await queue.edit(first.session, first.project, first.id, "x") == "none"
    await queue.push(first, event_id="e1")
    await queue.finish(await take(queue), Finish())
    assert await queue.edit(first.session, first.project, first.id, "x") == "none"
    assert await queue.take(0) is None


async def test_remove_drops_a_waiting_turn(queue: Queue, store: Store):
    """A message deleted before its turn begins has no turn, and its session is unknown again."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    assert await queue.remove(first.session, first.project, first.id) == "waiting"
    assert (await queue.depth()).waiting == 0
    assert await queue.take(0) is None
    assert await store.run_command("KEYS", "*:state:*") == []
    assert await queue.remove(first.session, first.project, first.id) == "none"


async def test_remove_keeps_the_others(queue: Queue):
    """Deleting one of three waiting messages leaves the other two, in order."""
    for n in (1, 2, 3):
        await queue.push(an_incoming(n), event_id=f"e{n}")
    lease = await take(queue)
    second = an_incoming(2)
    assert await queue.remove(second.session, second.project, second.id) == "waiting"
    assert await queue.remove(second.session, second.project, lease.incoming.id) == "running"
    assert await ids_in_order(queue, second) == ["1.0", "3.0"]


async def test_a_begun_turn_is_running_even_while_delayed(queue: Queue):
    """What a worker has begun is not changed behind its back: stop it instead."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    await queue.give_back(await take(queue), 60)
    assert await queue.edit(first.session, first.project, first.id, "x") == "running"
    assert await queue.remove(first.session, first.project, first.id) == "running"


async def test_overhear_needs_a_session(queue: Queue):
    """What is said in a thread we are not part of is not kept."""
    assert await overhear(queue, 1) is False
    await queue.push(an_incoming(), event_id="e1")
    assert await overhear(queue, 1) is True
    assert await overhear(queue, 1) is True
    assert await queue.asides(an_incoming().session, an_incoming().project) == [an_aside(1)]


async def test_a_message_for_us_is_no_aside(queue: Queue):
    """The twin of a message that has a turn is not told a second time."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    twin = Aside(ts=first.id, user=first.user, text=first.text)
    assert await queue.overhear(first.session, first.project, twin, event_id="e2")
    assert await queue.asides(first.session, first.project) == []


async def test_finish_forgets_the_asides_it_read(queue: Queue):
    """Asides that came after the turn read them are told with the next turn."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    await overhear(queue, 1)
    lease = await take(queue)
    read = await queue.asides(first.session, first.project)
    await overhear(queue, 2)
    await queue.finish(lease, Finish(asides_read=len(read)))
    assert await queue.asides(first.session, first.project) == [an_aside(2)]


async def test_asides_are_bounded(queue: Queue):
    """The last 200 are kept; those that fall off during a turn are not counted twice."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    for n in range(205):
        await overhear(queue, n)
    lease = await take(queue)
    read = await queue.asides(first.session, first.project)
    assert (len(read), read[0]) == (200, an_aside(5))
    for n in range(205, 210):
        await overhear(queue, n)
    await queue.finish(lease, Finish(asides_read=len(read)))
    left = await queue.asides(first.session, first.project)
    assert left == [an_aside(n) for n in range(205, 210)]


async def test_edits_and_deletes_reach_asides(queue: Queue):
    """What was overheard and then changed or deleted is told as it stands."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    await overhear(queue, 1)
    await overhear(queue, 2)
    assert await queue.edit(first.session, first.project, "1.5", "new") == "none"
    assert await queue.remove(first.session, first.project, "2.5") == "none"
    changed = an_aside(1).model_copy(update={"text": "new"})
    assert await queue.asides(first.session, first.project) == [changed]


async def test_a_delete_during_a_turn_costs_no_other_aside(queue: Queue):
    """An aside that was read and then deleted does not take an unread one with it."""
    first = an_incoming()
    await queue.push(first, event_id="e1")
    await overhear(queue, 1)
    await overhear(queue, 2)
    lease = await take(queue)
    read = await queue.asides(first.session, first.project)
    await queue.remove(first.session, first.project, "1.5")
    await overhear(queue, 3)
    await queue.finish(lease, Finish(asides_read=len(read)))
    assert await queue.asides(first.session, first.project) == [an_aside(3)]


async def test_waiting_counts_what_has_not_begun(queue: Queue):
    """The running turn does not wait."""
    first = an_incoming()
    assert await queue.waiting(first.session, first.project) == 0
    for n in (1, 2, 3):
        await queue.push(an_incoming(n), event_id=f"e{n}")
    assert await queue.waiting(first.session, first.project) == 3
    await take(queue)
    assert await queue.waiting(first.session, first.project) == 2


async def test_text_comes_back_as_it_was(queue: Queue):
    """No character is lost or changed on the way through the queue."""
    odd = an_incoming(text='"\\ \u2028 \U0001f600 漢字\n\t{}[]', received_at=1796041283.327123)
    await queue.push(odd, event_id="e1")
    assert (await take(queue)).incoming == odd


async def test_a_reply_that_overtakes_the_first_message_follows_it(queue: Queue):
    """Two sockets bring events in any order: nothing of a thread is lost, and order is of ts."""
    reply, root = an_incoming(3), an_incoming(2)
    early = await queue.push(reply, event_id="Ev3", only_known_session=True, rank=3.0)
    assert early.outcome == "unknown_session"
    await queue.push(root, event_id="Ev2", rank=2.0)
    texts = [lease.incoming.text for lease in await take_all(queue)]
    assert texts == ["message 2", "message 3"]
    again = await queue.push(reply, event_id="Ev3", only_known_session=True, rank=3.0)
    assert again.outcome == "duplicate"


async def test_what_was_said_before_the_first_mention_starts_nothing(queue: Queue):
    """A mention in mid-thread does not answer the talk before it."""
    before = an_incoming(1, thread="0.5")
    await queue.push(before, event_id="Ev1", only_known_session=True, rank=1.0)
    await queue.push(an_incoming(2, thread="0.5"), event_id="Ev2", rank=2.0)
    texts = [lease.incoming.text for lease in await take_all(queue)]
    assert texts == ["message 2"]


async def take_all(queue: Queue) -> list[Lease]:
    """Take and drop turn after turn until none is left."""
    leases: list[Lease] = []
    while lease := await queue.take(0.05):
        leases.append(lease)
        await queue.drop(lease)
    return leases


async def test_what_was_said_before_a_session_began_never_becomes_part_of_it(queue: Queue):
    """Read again later, from the history: a reply and an aside before the mention stay context."""
    known_only = {"only_known_session": True}
    await queue.push(an_incoming(2), event_id="e2")
    assert (await queue.push(an_incoming(1), event_id="e1", **known_only)) == Pushed(
        "unknown_session", 0
    )
    assert not await overhear(queue, 1)
    assert (await queue.push(an_incoming(3), event_id="e3", **known_only)).outcome == "queued"
    assert await overhear(queue, 2)


async def test_an_earlier_mention_moves_the_beginning_of_a_session(queue: Queue):
    """Two mentions come in the wrong order: what was said between them is for us."""
    known_only = {"only_known_session": True}
    await queue.push(an_incoming(3), event_id="e3")
    await queue.push(an_incoming(2), event_id="e2", **known_only)
    await queue.push(an_incoming(1), event_id="e1", rank=1)
    taken = await take(queue)
    assert taken.incoming.id == "1.0"
    await queue.drop(taken)
    assert (await take(queue)).incoming.id == "2.0"
