"""What a turn has delivered, part by part, so that a retry continues instead of repeating.

Written before and after each call to Slack, under the lease; outlives the turn by a week, so that
a lost answer can still be recognised.
"""

from typing import Literal, cast

from pydantic import BaseModel

from harness.errors import LeaseLost
from harness.models import FROZEN
from storage import scripts
from storage.client import Store
from storage.keys import lane
from storage.lease import Lease


class Part(BaseModel):
    """One message of a reply: `opening` before Slack is asked for it, `open` while it streams.

    `ts` is Slack's id once known; `digest` tells what it said when it was sealed.
    """

    model_config = FROZEN
    v: Literal[1] = 1
    n: int
    via: Literal["stream", "post"]
    state: Literal["opening", "open", "sealed"]
    ts: str = ""
    digest: str = ""


class Ledger:
    """The parts of one turn, written under one lease."""

    def __init__(self, store: Store, lease: Lease) -> None:
        self._store = store
        self._lease = lease

    async def parts(self) -> tuple[Part, ...]:
        """Return all parts, in order."""
        key = lane(self._lease.session.team, self._lease.project).ledger(self._lease.turn)
        stored = await self._store.run_command("HVALS", key)
        parts = (Part.model_validate_json(each) for each in cast("list[str]", stored))
        return tuple(sorted(parts, key=lambda part: part.n))

    async def put(self, part: Part) -> None:
        """Write a part over its former self; raises `LeaseLost` if another worker has the turn."""
        if not await self._store.run(scripts.put_part(self._lease, part.n, part.model_dump_json())):
            raise LeaseLost
