"""Typed Lua: one file in `lua/` is one typed function here; nobody else runs a script.

A function only builds a `Call`; `Store.run` (or, in the heartbeat's thread, `run_sync`) sends it.
Each file opens with its data model; `lua/session.lua` is put in front of every one of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from harness.models import Aside, FileRef, Incoming, SessionKey, TeamId, UserId
from storage import keys
from storage.call import Call
from storage.keys import Lane, lane
from storage.lease import (
    FELL,
    MOST_FALLS,
    DeadLetter,
    Finish,
    Lease,
    Unreadable,
    turn_of,
)


def push(
    where: Lane, incoming: Incoming, *, event: str, nonce: str, rank: float | None, known: bool
) -> Call[tuple[str, int]]:
    """Accept a turn; answers the outcome and how many turns are ahead of it."""
    session = incoming.session
    files = "[" + ",".join(file.model_dump_json() for file in incoming.files) + "]"
    return Call(
        "push",
        (
            *_session(where, session.id)[:4],
            keys.event(where, event),
            where.seen(session, incoming.id),
            where.early(session.id),
        ),
        (
            session.id,
            incoming.id,
            incoming.model_dump_json(),
            nonce,
            "" if rank is None else f"{rank:.6f}",
            int(known),
            int(incoming.mentioned),
            files if incoming.files else "",
            keys.SEEN_SECONDS,
            keys.EARLY_SECONDS,
            keys.MOST_EARLY,
            f"{session.team}:{incoming.project}",
        ),
        lambda answer: (str(answer[0]), int(answer[1])),
    )


def overhear(where: Lane, session: SessionKey, aside: Aside, event: str, bound: int) -> Call[bool]:
    """Keep an aside; answers False if the session is unknown."""
    return Call(
        "overhear",
        (
            where.state(session.id),
            where.asides(session.id),
            keys.event(where, event),
            where.seen(session, aside.ts),
        ),
        (aside.model_dump_json(), bound, keys.SESSION_SECONDS, keys.SEEN_SECONDS),
        bool,
    )


def amend_aside(where: Lane, session: str, old: str, new: str) -> Call[bool]:
    """Change an aside, or take it back where `new` is empty; answers False if it is gone."""
    return Call("amend_aside", (where.state(session), where.asides(session)), (old, new), bool)


def edit(where: Lane, session: str, turn: str, text: str) -> Call[str]:
    """Change the text of a turn that has not begun; answers waiting, running or none."""
    touched = (where.state(session), where.inbox(session), where.items(session))
    return Call("edit", touched, (turn, text), str)


def remove(where: Lane, session: str, turn: str) -> Call[str]:
    """Take back a turn that has not begun; answers waiting, running or none."""
    args = (turn, keys.GROUP, session, keys.SESSION_SECONDS)
    return Call("remove", _session(where, session), args, str)


def stop(where: Lane, session: str, by: str, said: str) -> Call[bool]:
    """Ask the head of a session to stop; answers False if there is nothing to stop."""
    waiting = (where.due, where.parked, where.capped)
    touched = (where.ready, where.state(session), where.inbox(session), *waiting)
    return Call("stop", touched, (session, by, keys.STOPS, said), bool)


def take(
    where: Lane, worker: str, slots: int | None
) -> Call[tuple[Lease | Unreadable | None, str]]:
    """Take the next turn of a lane.

    Answers what was taken, and the entry after which nothing is ready there; "" if more is.
    """
    args = (keys.GROUP, worker, *_prefixes(where), "" if slots is None else slots)
    touched = (where.ready, where.slots, where.capped)
    return Call("take", touched, args, _read_taken)


def beat(lease: Lease, worker: str) -> Call[str | None]:
    """Renew a lease; answers who wants it stopped, "" for nobody, None if it is lost."""
    where = _lane(lease)
    return Call(
        "beat",
        (where.ready, where.state(lease.session.id)),
        (keys.GROUP, worker, lease.fence),
        lambda answer: str(answer[1]) if answer[0] else None,
    )


def finish(lease: Lease, finish: Finish) -> Call[bool]:
    """End an answered turn; answers False if the lease is lost."""
    where, session = _lane(lease), lease.session.id
    return Call(
        "finish",
        (
            *_session(where, session),
            where.journal(lease.turn),
            where.history(session),
            where.asides(session),
        ),
        (
            *_ending(lease),
            keys.SESSION_SECONDS,
            finish.asides_read,
            *(message.model_dump_json(exclude_defaults=True) for message in finish.history),
        ),
        bool,
    )


def drop(lease: Lease) -> Call[bool]:
    """End a turn that is not answered; answers False if the lease is lost."""
    where = _lane(lease)
    touched = (*_session(where, lease.session.id), where.journal(lease.turn))
    return Call("drop", touched, (*_ending(lease), keys.SESSION_SECONDS), bool)


def bury(where: Lane, session: str, fence: int, why: str) -> Call[bool]:
    """End a turn that cannot be answered and keep it aside; answers False if the lease is lost."""
    ending = (keys.GROUP, fence, session, keys.SESSION_SECONDS, why)
    touched = (*_session(where, session), where.dead)
    return Call("bury", touched, (*ending, keys.MOST_DEAD, keys.DEAD_SECONDS), bool)


def requeue(where: Lane, letter: DeadLetter) -> Call[bool]:
    """Queue a dead letter again; answers False if it is gone."""
    touched = (*_session(where, letter.session)[:4], where.dead)
    return Call("requeue", touched, (letter.entry_id, letter.session, letter.message), bool)


def give_back(lease: Lease, delay_ms: int) -> Call[bool]:
    """End a lease, not its turn; answers False if the lease is lost."""
    where = _lane(lease)
    touched = (*_session(where, lease.session.id), where.due)
    return Call("give_back", touched, (*_ending(lease), delay_ms), bool)


def park(lease: Lease) -> Call[bool]:
    """End a lease, not its turn, until it is woken; answers False if the lease is lost."""
    where = _lane(lease)
    touched = (*_session(where, lease.session.id), where.parked)
    return Call("park", touched, _ending(lease), bool)


def unpark(where: Lane, session: str, turn: str) -> Call[bool]:
    """Wake a parked turn; answers False if it is not at the head of its session."""
    touched = (where.ready, where.state(session), where.parked)
    return Call("unpark", touched, (session, turn), bool)


def move_due(where: Lane, limit: int) -> Call[int]:
    """Queue sessions whose delay is over; answers how many."""
    return Call("move_due", (where.ready, where.due), (where.state(), limit), int)


def take_over(where: Lane, lease_ms: int, dead: Sequence[str]) -> Call[int]:
    """Queue again what nobody beats; answers how many sessions."""
    touched = (where.ready, where.slots, where.capped, where.dead)
    limits = (MOST_FALLS, FELL, keys.MOST_DEAD, keys.DEAD_SECONDS)
    begun = (keys.GROUP, lease_ms, *_prefixes(where), keys.SESSION_SECONDS)
    return Call("take_over", touched, (*begun, *limits, *dead), int)


def depth(where: Lane) -> Call[tuple[int, ...]]:
    """Count a lane.

    Answers ready, held, delayed, ms that the oldest ready one waits, parked, capped, dead.
    """
    touched = (where.ready, where.due, where.parked, where.capped, where.dead)
    return Call("depth", touched, (keys.GROUP,), lambda answer: tuple(int(n) for n in answer))


def append_journal(lease: Lease, index: int, entry: str) -> Call[int]:
    """Write a step once; answers 1, 0 if the lease is lost, -1 if another stands there."""
    where = _lane(lease)
    touched = (where.state(lease.session.id), where.journal(lease.turn))
    return Call("append_journal", touched, (lease.fence, index, entry, keys.SESSION_SECONDS), int)


def put_part(lease: Lease, number: int, part: str) -> Call[bool]:
    """Write a part of the ledger; answers False if the lease is lost."""
    where = _lane(lease)
    touched = (where.state(lease.session.id), where.ledger(lease.turn))
    return Call("put_part", touched, (lease.fence, number, part, keys.LEDGER_SECONDS), bool)


def hear(team: TeamId, until: float | None, threads: Mapping[str, float], bound: int) -> Call[bool]:
    """Note until when a workspace was heard, and when its threads were."""
    pairs = (each for thread, when in threads.items() for each in (thread, f"{when:.6f}"))
    written = "" if until is None else f"{until:.6f}"
    touched = (keys.heard(team), keys.followed(team))
    return Call("hear", touched, (written, keys.HEARD_SECONDS, bound, *pairs), bool)


def claim_period(
    job: str, newest: int, which: str, *, lease_ms: int, nonce: str
) -> Call[tuple[int, int, str] | None]:
    """Claim a period of a job; answers number, fence and cursor, or None if nothing is due."""
    return Call(
        "claim_period",
        (keys.period(job),),
        (newest, which, lease_ms, nonce, keys.PERIOD_SECONDS),
        lambda answer: (int(answer[0]), int(answer[1]), str(answer[2])) if answer else None,
    )


def move_cursor(job: str, fence: int, cursor: str, lease_ms: int) -> Call[bool]:
    """Note how far a period has come; answers False if the claim is lost."""
    return Call("move_cursor", (keys.period(job),), (fence, cursor, lease_ms), bool)


def end_period(job: str, fence: int) -> Call[bool]:
    """Complete a period; answers False if the claim is lost."""
    return Call("end_period", (keys.period(job),), (fence,), bool)


def _lane(lease: Lease) -> Lane:
    return lane(lease.session.team, lease.project)


def _session(where: Lane, session: str) -> tuple[str, ...]:
    """Spell the six keys with which a session moves, in the order of `place` in session.lua."""
    own = (where.state(session), where.inbox(session), where.items(session))
    return (where.ready, *own, where.slots, where.capped)


def _prefixes(where: Lane) -> tuple[str, str, str]:
    return (where.state(), where.inbox(), where.items())


def _ending(lease: Lease) -> tuple[str, int, str]:
    return (keys.GROUP, lease.fence, lease.session.id)


def _read_taken(answer: Sequence[Any]) -> tuple[Lease | Unreadable | None, str]:
    emptied_at, *taken = answer
    return (_read_lease(taken) if taken else None), str(emptied_at)


def _read_lease(taken: Sequence[Any]) -> Lease | Unreadable:
    session, entry, fence, tries, falls, stopped_by, *stored = taken
    try:
        incoming = _read_incoming(*stored)
    except ValidationError:
        return Unreadable(str(session), int(fence))
    return Lease(
        session=incoming.session,
        project=incoming.project,
        incoming=incoming,
        turn=turn_of(incoming),
        fence=int(fence),
        entry_id=str(entry),
        attempt=int(tries),
        falls=int(falls),
        stopped_by=UserId(stopped_by) if stopped_by else None,
    )


def _read_incoming(
    item: str | None, text: str | None, files: str | None, mentioned: str | None
) -> Incoming:
    """Read a turn and what changed while it waited; raises `ValidationError`."""
    incoming = Incoming.model_validate_json(item or "")
    changed: dict[str, Any] = {}
    if text is not None:
        changed["text"] = text
    if files and not incoming.files:
        changed["files"] = TypeAdapter(tuple[FileRef, ...]).validate_json(files)
    if mentioned:
        changed["mentioned"] = True
    return incoming.model_copy(update=changed)
