"""Turns that left the queue unanswered, kept for an operator: unreadable, failed, or deadly.

Bounded: the last 100 of each lane, for 90 days. `Queue` and its scripts bury; here they are read
and queued again.
"""

from collections.abc import Mapping
from typing import cast

from harness.models import TurnId
from storage import scripts
from storage.client import Store
from storage.keys import Lane, lanes
from storage.lease import DeadLetter, turn_name


class DeadLetters:
    """The dead letters of all lanes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def all(self) -> list[DeadLetter]:
        """Return them all, oldest first."""
        found = [letter for lane in lanes() for letter in await self._of(lane)]
        return sorted(found, key=lambda letter: letter.buried_at)

    async def requeue(self, turn: TurnId) -> bool:
        """Put a turn back into its session, before what waits there; False if it is not here.

        It goes on after the last step in its journal, and counts its falls anew.
        """
        for lane in lanes():
            for letter in await self._of(lane):
                if letter.id == turn:
                    return await self._store.run(scripts.requeue(lane, letter))
        return False

    async def _of(self, lane: Lane) -> list[DeadLetter]:
        entries = await self._store.run_command("XRANGE", lane.dead, "-", "+")
        return [_letter(*each) for each in cast("list[tuple[str, dict[str, str]]]", entries)]


def _letter(entry_id: str, kept: Mapping[str, str]) -> DeadLetter:
    return DeadLetter(
        id=turn_name(kept["session"], kept["id"]),
        session=kept["session"],
        project=kept["project"],
        message=kept["id"],
        why=kept["why"],
        falls=int(kept["falls"]),
        buried_at=int(entry_id.split("-", maxsplit=1)[0]) / 1000,
        incoming=kept.get("item", ""),
        entry_id=entry_id,
    )
