"""The edges of the core: what it asks of whoever runs it. Each has two real implementations."""

from collections.abc import AsyncIterator
from typing import Protocol

from harness.models import Delta, JournalEntry, ModelRequest


class ChatModel(Protocol):
    """A model behind one call: `openai`, `rehearsal`.

    Yields fragments; the last one carries `finish`. Raises `ModelUnavailable` and nothing else.
    Closing the iterator early cancels the request.
    """

    def complete(self, request: ModelRequest) -> AsyncIterator[Delta]: ...


class Journal(Protocol):
    """The record of one turn, append-only, bound to one lease.

    `append` raises `LeaseLost` when another worker holds the turn: nothing was written then.
    """

    async def load(self) -> list[JournalEntry]: ...

    async def append(self, entry: JournalEntry) -> None: ...
