"""What a worker holds while it runs a turn, and what it hands in at the end.

No store is touched here; `queue.py` gives leases out and takes them back, `heartbeat.py` keeps
them alive, and journal and ledger write only under one.
"""

import hashlib
from dataclasses import dataclass, field

from harness.models import Incoming, Message, ProjectId, SessionKey, TurnId, UserId


@dataclass(frozen=True, slots=True)
class Lease:
    """The exclusive right to run a session's turn, until it ends or another worker takes it.

    `fence` grows with each take of the session: whoever holds an older one writes nothing.
    `attempt` is 1 the first time this turn is taken. `stopped_by` is set if a person wants the
    turn stopped; two leases are equal whether or not it is.
    """

    session: SessionKey
    project: ProjectId
    incoming: Incoming
    turn: TurnId
    fence: int
    entry_id: str
    attempt: int
    stopped_by: UserId | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Finish:
    """What a finished turn adds to its session; `asides_read` counts from the oldest."""

    history: tuple[Message, ...] = ()
    asides_read: int = 0


def turn_of(incoming: Incoming) -> TurnId:
    """Name the turn an incoming causes; the same name on every attempt."""
    whole = f"{incoming.session.id} {incoming.id}"
    return TurnId("T-" + hashlib.sha256(whole.encode()).hexdigest()[:12])
