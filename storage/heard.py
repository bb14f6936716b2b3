"""Until when a workspace was heard, and in which threads: where to look after an outage.

One mark for a workspace, however many gateways listen: whoever listens moves it, and only over
time in which nothing can have been missed. Times are seconds of Slack's clock (a message's ts).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from harness.models import ChannelId, TeamId
from storage import keys, scripts
from storage.client import Store

MOST_THREADS = 1000


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that has a session; `last` is when something was last heard in it."""

    channel: ChannelId
    ts: str
    last: float


class HeardStore:
    """What one workspace's gateways share."""

    def __init__(self, store: Store, team: TeamId) -> None:
        self._store = store
        self._team = team

    async def until(self) -> float | None:
        """Return until when nothing was missed; None if nobody has listened yet."""
        stored = await self._store.run_command("GET", keys.heard(self._team))
        return float(stored) if stored else None

    async def threads(self, since: float) -> list[Thread]:
        """Return the threads in which something was heard since, the latest first."""
        key = keys.followed(self._team)
        stored = await self._store.run_command(
            "ZRANGE", key, "+inf", f"{since:.6f}", "BYSCORE", "REV", "WITHSCORES"
        )
        return [_thread(*each) for each in cast("list[tuple[str, str]]", stored)]

    async def note(
        self, until: float | None, threads: Mapping[tuple[ChannelId, str], float]
    ) -> None:
        """Move the mark, never back, and say when threads were heard; None leaves the mark."""
        named = {f"{channel}:{ts}": when for (channel, ts), when in threads.items()}
        await self._store.run(scripts.hear(self._team, until, named, MOST_THREADS))


def _thread(name: str, last: str) -> Thread:
    channel, _, ts = name.partition(":")
    return Thread(ChannelId(channel), ts, float(last))
