"""What a thread remembers: its history, and the journal of the turn that is running.

Both outlive a crash; history is written by `Queue.finish` alone, the journal only under the
lease of its turn.
"""

from typing import cast

from pydantic import TypeAdapter

from harness.errors import LeaseLost
from harness.models import JournalEntry, Message, ProjectId, Session, SessionKey
from storage import scripts
from storage.client import Store
from storage.keys import lane
from storage.lease import Lease

_ENTRY: TypeAdapter[JournalEntry] = TypeAdapter(JournalEntry)


class SessionStore:
    """Sessions by their key; kept for 90 days after the last turn."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def load(self, key: SessionKey, project: ProjectId) -> Session:
        """Return a session with all its messages; an unknown one is empty."""
        where = lane(key.team, project)
        stored = await self._store.run_command("LRANGE", where.history(key.id), 0, -1)
        turns = await self._store.run_command("HGET", where.state(key.id), "turns")
        history = tuple(Message.model_validate_json(each) for each in cast("list[str]", stored))
        return Session(key=key, history=history, turns=int(turns or 0))

    def journal(self, lease: Lease) -> "RedisJournal":
        """Return the journal of the turn that `lease` holds."""
        return RedisJournal(self._store, lease)


class RedisJournal:
    """A `harness.ports.Journal` of one turn, written under one lease."""

    def __init__(self, store: Store, lease: Lease) -> None:
        self._store = store
        self._lease = lease
        self._length: int | None = None

    async def load(self) -> list[JournalEntry]:
        key = lane(self._lease.session.team, self._lease.project).journal(self._lease.turn)
        stored = cast("list[str]", await self._store.run_command("LRANGE", key, 0, -1))
        self._length = len(stored)
        return [_ENTRY.validate_json(each) for each in stored]

    async def append(self, entry: JournalEntry) -> None:
        """Write the next entry; sent twice it still stands there once.

        Raises `LeaseLost`, or `ValueError` if someone else wrote to this journal since `load`.
        """
        if self._length is None:
            await self.load()
        index = self._length or 0
        written = await self._store.run(
            scripts.append_journal(self._lease, index, _ENTRY.dump_json(entry).decode())
        )
        if written == 0:
            raise LeaseLost
        if written < 0:
            raise ValueError(f"another entry stands at {index} of {self._lease.turn}")
        self._length = index + 1
