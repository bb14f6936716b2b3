"""The data model: every key in the store is spelled here, and nowhere else.

All keys begin with `dm:`. Whatever belongs to one project carries one hash tag, its lane
(`{q0}` .. `{q7}`), so that a script touches one tag only and a cluster can come later without
moving data. `TABLE` says what each key is; the tests fail on a key that it does not know, and on
a key without TTL that it does not call kept.

    dm:{q3}:state:T1:C1:1700000000.000100
    |  |    |     +-- whose: a session (team:channel:thread), a turn, a message, a project
    |  |    +-- what
    |  +-- lane: crc32("team:project") mod 8
    +-- ours, in a store that others may use too
"""

import re
import zlib
from dataclasses import dataclass

from harness.models import ProjectId, SessionKey, TeamId, TurnId

LANES = 8
GROUP = "workers"
STOPS = "dm:stops"  # a channel, not a key: "FENCE WHO SESSION" for each stop asked for

_DAY = 24 * 3600
SEEN_SECONDS = _DAY
EARLY_SECONDS = 60
MOST_EARLY = 20
SESSION_SECONDS = 90 * _DAY
LEDGER_SECONDS = 7 * _DAY
HEARD_SECONDS = 90 * _DAY
DEAD_SECONDS = 90 * _DAY
MOST_DEAD = 100  # in each lane
PERIOD_SECONDS = 90 * _DAY


@dataclass(frozen=True, slots=True)
class Entry:
    """One kind of key. It must have a TTL unless `kept` says why not."""

    kind: str
    type: str
    meaning: str
    kept: str = ""

    def matches(self, key: str) -> bool:
        tag = rf"(\{{q[0-{LANES - 1}]\}}:)?"
        return re.fullmatch(f"dm:{tag}{self.kind}(:.+)?", key, re.DOTALL) is not None


TABLE = (
    Entry("ready", "stream", "tokens: sessions with a turn to run", kept="it is the queue"),
    Entry("due", "zset", "delayed sessions, by wake-up time in ms", kept="it is the queue"),
    Entry("parked", "zset", "sessions whose turn waits for a person", kept="it is the queue"),
    Entry("slots", "hash", "sessions that run, by project", kept="while they run"),
    Entry(
        "capped", "zset", "sessions that wait for a slot of their project", kept="it is the queue"
    ),
    Entry("dead", "stream", "turns that left the queue unanswered, for an operator"),
    Entry("inbox", "zset", "ids of a session's turns, in order", kept="until they have run"),
    Entry("items", "hash", "the turns of the inbox, by id", kept="until they have run"),
    Entry("state", "hash", "a session's place in the queue", kept="while it is not idle"),
    Entry("event", "string", "an accepted event of Slack, by its id"),
    Entry("seen", "string", "an accepted message, by channel and id"),
    Entry("early", "hash", "came before its session was known, by message id; JSON"),
    Entry("asides", "list", "said in a session but not to us, oldest first; JSON"),
    Entry("history", "list", "a session's messages, as the model reads them; JSON"),
    Entry("journal", "list", "the steps of an unfinished turn; JSON"),
    Entry("ledger", "hash", "the parts a turn has delivered, by number; JSON"),
    Entry("project", "string", "a project's record; JSON", kept="it has no end"),
    Entry("heard", "string", "until when a workspace was heard without a gap; Slack's seconds"),
    Entry("followed", "zset", "threads of a workspace, by when we last heard something in them"),
    Entry("period", "hash", "which period of a job was done last, and who is at the next"),
    Entry("notice", "string", "what was said, and is not to be said again for a while"),
)


def find_entry(key: str) -> Entry | None:
    """Return what `TABLE` says of a key."""
    return next((entry for entry in TABLE if entry.matches(key)), None)


@dataclass(frozen=True, slots=True)
class _LaneWide:
    """The keys that a lane has once."""

    number: int

    @property
    def ready(self) -> str:
        return self.key("ready")

    @property
    def due(self) -> str:
        return self.key("due")

    @property
    def parked(self) -> str:
        return self.key("parked")

    @property
    def slots(self) -> str:
        return self.key("slots")

    @property
    def capped(self) -> str:
        return self.key("capped")

    @property
    def dead(self) -> str:
        return self.key("dead")

    def key(self, kind: str, *parts: str) -> str:
        return ":".join((f"dm:{{q{self.number}}}", kind, *parts))


@dataclass(frozen=True, slots=True)
class Lane(_LaneWide):
    """All keys of one lane: those it has once, and those of the sessions and turns in it."""

    def state(self, session: str = "") -> str:
        """Without a session: the prefix that a script completes."""
        return self.key("state", session)

    def inbox(self, session: str = "") -> str:
        return self.key("inbox", session)

    def items(self, session: str = "") -> str:
        return self.key("items", session)

    def early(self, session: str) -> str:
        return self.key("early", session)

    def asides(self, session: str) -> str:
        return self.key("asides", session)

    def history(self, session: str) -> str:
        return self.key("history", session)

    def journal(self, turn: TurnId) -> str:
        return self.key("journal", turn)

    def ledger(self, turn: TurnId) -> str:
        return self.key("ledger", turn)

    def seen(self, session: SessionKey, message: str) -> str:
        return self.key("seen", session.team, session.channel, message)


def lanes() -> list[Lane]:
    """Return all lanes, in order."""
    return [Lane(number) for number in range(LANES)]


def lane(team: TeamId, project: ProjectId) -> Lane:
    """Return the lane, 0 to 7, in which all keys of a project live."""
    return Lane(zlib.crc32(f"{team}:{project}".encode()) % LANES)


def event(where: Lane, event_id: str) -> str:
    return where.key("event", event_id)


def project(team: TeamId, project_id: ProjectId) -> str:
    return lane(team, project_id).key("project", team, project_id)


def heard(team: TeamId) -> str:
    return _of_workspace(team, "heard")


def followed(team: TeamId) -> str:
    return _of_workspace(team, "followed")


def period(job: str) -> str:
    return f"dm:period:{job}"


def notice(*parts: str) -> str:
    return ":".join(("dm:notice", *parts))


def _of_workspace(team: TeamId, kind: str) -> str:
    """Spell what a workspace has once; it lives in the lane of no project."""
    return lane(team, ProjectId("")).key(kind, team)
