"""What a worker holds while it runs a turn, and what it hands in at the end.

No store is touched here; `queue.py` gives leases out and takes them back, `heartbeat.py` keeps
them alive, and journal and ledger write only under one.
"""

import hashlib
from dataclasses import dataclass, field

from harness.models import Incoming, Message, ProjectId, SessionKey, TurnId, UserId

MOST_FALLS = 5
FELL = f"Its workers were lost while it ran, {MOST_FALLS} times or more."
UNREADABLE = "It cannot be read: another version of Deskmate may have stored it."


@dataclass(frozen=True, slots=True)
class Lease:
    """The exclusive right to run a session's turn, until it ends or another worker takes it.

    `fence` grows with each take of the session: whoever holds an older one writes nothing.
    `attempt` is 1 the first time this turn is taken. `falls` counts the workers that were lost
    over it: from `MOST_FALLS` on it should be buried, after one more the queue does that itself.
    `stopped_by` is set if a person wants the turn stopped; two leases are equal whether or not
    it is.
    """

    session: SessionKey
    project: ProjectId
    incoming: Incoming
    turn: TurnId
    fence: int
    entry_id: str
    attempt: int
    falls: int = 0
    stopped_by: UserId | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Finish:
    """What a finished turn adds to its session; `asides_read` counts from the oldest."""

    history: tuple[Message, ...] = ()
    asides_read: int = 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A turn that was taken although this version of us cannot read it."""

    session: str
    fence: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A turn that left the queue unanswered: why and when (seconds), and what it was, as stored.

    `session` and `message` name its place, `id` the turn, as logs and the notice in the thread do.
    """

    id: TurnId
    session: str
    project: str
    message: str
    why: str
    falls: int
    buried_at: float
    incoming: str
    entry_id: str


def turn_of(incoming: Incoming) -> TurnId:
    """Name the turn an incoming causes; the same name on every attempt."""
    return turn_name(incoming.session.id, incoming.id)


def turn_name(session: str, message: str) -> TurnId:
    """Name the turn of a message, by the id of its session and its own."""
    return TurnId("T-" + hashlib.sha256(f"{session} {message}".encode()).hexdigest()[:12])
