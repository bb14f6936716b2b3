"""In-memory twins of the store's ports, for tests and evals that need no store.

`tests/storage/test_journal_contract.py` runs the same assertions on them and on the real ones.
"""

from collections.abc import Sequence

from harness.errors import LeaseLost
from harness.models import JournalEntry


class MemoryTurn:
    """A turn's entries, and the fence of whoever holds it now."""

    def __init__(self, entries: Sequence[JournalEntry] = ()) -> None:
        self.entries = list(entries)
        self.fence = 0

    def take(self) -> "MemoryJournal":
        """Take the turn from whoever holds it."""
        self.fence += 1
        return MemoryJournal(self, self.fence)


class MemoryJournal:
    """A `harness.ports.Journal` in memory; written only by the last who took the turn."""

    def __init__(self, turn: MemoryTurn, fence: int) -> None:
        self._turn = turn
        self._fence = fence

    async def load(self) -> list[JournalEntry]:
        return list(self._turn.entries)

    async def append(self, entry: JournalEntry) -> None:
        if self._fence != self._turn.fence:
            raise LeaseLost
        self._turn.entries.append(entry)
