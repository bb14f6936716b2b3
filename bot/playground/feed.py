"""What the web page hears: numbered changes, each for the people who may see it.

The page reads a snapshot once and follows this; `pages` puts it on the wire as server-sent events.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from bot.playground.errors import Json

KEEP = 1_000
Seen = frozenset[str] | None


@dataclass(slots=True, eq=False)
class Reader:
    """One open page, acting as one person."""

    user: str
    missed: bool = False
    queue: asyncio.Queue[tuple[int, Json] | None] = field(
        default_factory=asyncio.Queue[tuple[int, Json] | None]
    )


class Feed:
    """Pushes changes to the open pages and keeps the last ones for a page that reconnects."""

    def __init__(self) -> None:
        self.seq = 0
        self.readers: list[Reader] = []
        self._recent: deque[tuple[int, Json, Seen]] = deque(maxlen=KEEP)

    def push(self, change: Json, seen_by: Seen = None) -> None:
        """Tell `seen_by` (None: everybody) about a change."""
        self.seq += 1
        self._recent.append((self.seq, change, seen_by))
        for reader in self.readers:
            if seen_by is None or reader.user in seen_by:
                reader.queue.put_nowait((self.seq, change))

    def open(self, user: str, after: int | None) -> Reader:
        """Start reading as `user`, first what came after the change numbered `after`."""
        reader = Reader(user)
        if after is not None and after < self.seq:
            self._catch_up(reader, after)
        self.readers.append(reader)
        return reader

    def end(self) -> None:
        """Tell every open page that this is the end."""
        for reader in self.readers:
            reader.queue.put_nowait(None)

    def close(self, reader: Reader) -> None:
        self.readers.remove(reader)

    def _catch_up(self, reader: Reader, after: int) -> None:
        if not self._recent or self._recent[0][0] > after + 1:
            reader.missed = True
            return
        for seq, change, seen_by in self._recent:
            if seq > after and (seen_by is None or reader.user in seen_by):
                reader.queue.put_nowait((seq, change))
