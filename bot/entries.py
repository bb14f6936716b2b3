"""A reply's entries in the delivery ledger: one per part, written before and after each call.

The ledger checks the lease on every write, so nothing is shown by a worker that has lost it.
Neighbours: `storage.ledger` (where they are kept), `part` (which calls they guard).
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

from storage.ledger import Ledger, Part

LEAVING = "-"


def digest_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@dataclass(slots=True)
class Entry:
    """The ledger's view of one part.

    A sealed part's digest is `<end>:<hash of what it says>`; the end, an offset into the reply's
    text, stands only where another part follows. An open part with the digest `-` is being deleted.
    """

    ledger: Ledger
    record: Part
    is_written: bool = True

    @property
    def n(self) -> int:
        return self.record.n

    @property
    def ts(self) -> str:
        return self.record.ts

    @ts.setter
    def ts(self, ts: str) -> None:
        self.record = self.record.model_copy(update={"ts": ts})

    @property
    def end(self) -> int | None:
        """Where the sealed part ends in the reply's text, if another one follows."""
        end = self.record.digest.partition(":")[0]
        return int(end) if end.isdecimal() else None

    def says(self, content: str) -> bool:
        """Tell whether the part was sealed with exactly this content."""
        return self.record.digest.rpartition(":")[2] == digest_of(content)

    async def opening(self, via: Literal["stream", "post"]) -> None:
        self.record = Part(n=self.n, via=via, state="opening")
        await self._put()

    async def opened(self, ts: str = "") -> None:
        self.ts = ts or self.ts
        await self.check()

    async def check(self, digest: str = "") -> None:
        """Make sure the lease is ours, and that the part counts as open, before it changes."""
        self.record = self.record.model_copy(update={"state": "open", "digest": digest})
        await self._put()

    async def seal(self, digest: str) -> None:
        if (self.record.state, self.record.digest) == ("sealed", digest):
            return
        self.record = self.record.model_copy(update={"state": "sealed", "digest": digest})
        await self._put()

    async def clear(self) -> None:
        """Take note that the part is not in Slack any more."""
        self.record = Part(n=self.n, via="post", state="sealed")
        await self._put()

    async def _put(self) -> None:
        self.is_written = True
        await self.ledger.put(self.record)


def fresh(ledger: Ledger, n: int) -> Entry:
    """Make an entry that is not in the ledger yet."""
    return Entry(ledger, Part(n=n, via="post", state="opening"), is_written=False)
