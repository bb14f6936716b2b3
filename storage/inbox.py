"""What the gateway does with the queue: accept, overhear, change, take back, ask to stop.

Every call is one script, done before Slack is told that we have the event. Workers use
`queue.Queue`, which adds taking and ending turns.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from harness.models import Aside, Incoming, ProjectId, SessionKey, UserId
from storage import scripts
from storage.client import Store
from storage.keys import lane

MOST_ASIDES = 200

Outcome = Literal["queued", "merged", "duplicate", "unknown_session"]
Standing = Literal["waiting", "running", "none"]


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a push; `ahead` counts the turns of the session before this one."""

    outcome: Outcome
    ahead: int


class Inbox:
    """The gateway's side of the queue. Everything it accepts is on disk when it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def push(
        self,
        incoming: Incoming,
        *,
        event_id: str,
        only_known_session: bool = False,
        rank: float | None = None,
    ) -> Pushed:
        """Accept a turn once, however often its event or its message comes.

        A twin of a message that still waits adds its mention and its files ("merged"). With
        `only_known_session` a session that never had a turn is left alone ("unknown_session"):
        should an older message begin it within a minute, this one follows. `rank` in seconds since
        the epoch puts a late message before those that wait with a higher one; without it, order
        is by arrival.
        """
        call = scripts.push(
            lane(incoming.session.team, incoming.project),
            incoming,
            event=event_id,
            nonce=uuid.uuid4().hex,
            rank=rank,
            known=only_known_session,
        )
        outcome, ahead = await self._store.run(call)
        return Pushed(cast("Outcome", outcome), ahead)

    async def overhear(
        self, session: SessionKey, project: ProjectId, aside: Aside, *, event_id: str
    ) -> bool:
        """Keep what was said in a known session but not to us; the last 200 are kept."""
        where = lane(session.team, project)
        return await self._store.run(scripts.overhear(where, session, aside, event_id, MOST_ASIDES))

    async def edit(
        self, session: SessionKey, project: ProjectId, message_id: str, text: str
    ) -> Standing:
        """Change a message that still waits, or that was overheard; a begun turn stays as it is."""
        where = lane(session.team, project)
        standing = await self._store.run(scripts.edit(where, session.id, message_id, text))
        if standing == "none":
            await self._amend_aside(session, project, message_id, text)
        return cast("Standing", standing)

    async def remove(self, session: SessionKey, project: ProjectId, message_id: str) -> Standing:
        """Take back a message that still waits, or that was overheard; a begun turn goes on."""
        where = lane(session.team, project)
        standing = await self._store.run(scripts.remove(where, session.id, message_id))
        if standing == "none":
            await self._amend_aside(session, project, message_id, None)
        return cast("Standing", standing)

    async def request_stop(
        self, session: SessionKey, project: ProjectId, by: UserId, *, said: str = ""
    ) -> bool:
        """Ask the session's present turn to stop; False if there is none.

        Durable: a worker that takes the turn later, or after a crash, still sees it. `said` is
        the ts of the stop, which may come late: a turn asked for after it goes on.
        """
        where = lane(session.team, project)
        return await self._store.run(scripts.stop(where, session.id, by, said))

    async def unpark(self, session: SessionKey, project: ProjectId, message_id: str) -> bool:
        """Wake the turn of a message that was parked; False if it has ended or never began.

        Store what it is woken for first. A turn that is only about to be parked is woken too.
        """
        where = lane(session.team, project)
        return await self._store.run(scripts.unpark(where, session.id, message_id))

    async def asides(self, session: SessionKey, project: ProjectId) -> list[Aside]:
        """Return what was overheard since the last finished turn, oldest first."""
        found = await self._stored_asides(session, project)
        return [Aside.model_validate_json(each) for each in found]

    async def waiting(self, session: SessionKey, project: ProjectId) -> int:
        """Count the session's turns that have not begun."""
        where = lane(session.team, project)
        count = int(await self._store.run_command("ZCARD", where.inbox(session.id)))
        begun = await self._store.run_command("HEXISTS", where.state(session.id), "head")
        return max(count - int(begun), 0)

    async def _stored_asides(self, session: SessionKey, project: ProjectId) -> Sequence[str]:
        key = lane(session.team, project).asides(session.id)
        return cast("list[str]", await self._store.run_command("LRANGE", key, 0, -1))

    async def _amend_aside(
        self, session: SessionKey, project: ProjectId, ts: str, text: str | None
    ) -> None:
        for stored in await self._stored_asides(session, project):
            aside = Aside.model_validate_json(stored)
            if aside.ts == ts:
                new = "" if text is None else aside.model_copy(update={"text": text})
                fresh = new if isinstance(new, str) else new.model_dump_json()
                where = lane(session.team, project)
                await self._store.run(scripts.amend_aside(where, session.id, stored, fresh))
