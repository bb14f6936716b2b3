"""The record of the wire: every call, delivery, acknowledgement, fault and act, in order.

Entries are plain dicts `{seq, at, t, kind, ...}`: `at` on the workspace's clock, `t` on the wall's
monotonic clock. Tokens never enter. Bounded in memory, complete in the optional JSON lines file.
"""

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from bot.playground.clock import Clock
from bot.playground.errors import Json


class Journal:
    """The last `keep` entries; iterate, index, or ask for calls of one method."""

    def __init__(self, clock: Clock, file: Path | None, keep: int) -> None:
        self._clock = clock
        self._entries: deque[Json] = deque(maxlen=keep)
        self._seq = 0
        self._file = file.open("a", encoding="utf-8") if file else None
        self.watchers: list[Callable[[Json], None]] = []

    def add(self, kind: str, **fields: object) -> Json:
        self._seq += 1
        entry: Json = {
            "seq": self._seq,
            "at": round(self._clock.now(), 6),
            "t": time.monotonic(),
            "kind": kind,
            **fields,
        }
        self._entries.append(entry)
        if self._file:
            self._file.write(json.dumps(entry, ensure_ascii=False, default=str) + "\n")
            self._file.flush()
        for watch in self.watchers:
            watch(entry)
        return entry

    def since(self, seq: int) -> list[Json]:
        """Give the entries after `seq` that are still kept."""
        newer: list[Json] = []
        for entry in reversed(self._entries):
            if entry["seq"] <= seq:
                break
            newer.append(entry)
        return newer[::-1]

    def of(self, kind: str, **fields: object) -> list[Json]:
        """Give the entries of one kind whose fields have these values."""
        return [
            entry
            for entry in self._entries
            if entry["kind"] == kind and all(entry.get(key) == fields[key] for key in fields)
        ]

    def calls(self, method: str | None = None) -> list[Json]:
        """Give the Web API calls, of one method or of all."""
        return self.of("call", method=method) if method else self.of("call")

    @property
    def last_seq(self) -> int:
        return self._seq

    def clear(self) -> None:
        self._entries.clear()

    def close(self) -> None:
        if self._file:
            self._file.close()

    def __iter__(self) -> Iterator[Json]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Json:
        return self._entries[index]
