"""Finding a part again whose answer got lost: by its mark, or as our newest unmarked message.

Reads the thread, changes nothing. Neighbours: `outlet` (who sends parts and marks them).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Read = Callable[[str, Json], Awaitable[Json]]

MARK = "deskmate_part"
_PAGES = 5
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Target:
    """Where a reply goes and whom it is for.

    `thread_ts` is the root of the thread, `asked_ts` the message that is answered (nothing of the
    reply is older), `lang` the language of our own words.
    """

    channel: str
    thread_ts: str
    user: str
    user_team: str
    is_dm: bool
    turn_id: str
    asked_ts: str = ""
    lang: str = "en"


def mark(target: Target, n: int) -> Json:
    """Make the metadata that tells which part of which turn a message is."""
    return {"event_type": MARK, "event_payload": {"turn": target.turn_id, "part": n}}


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks through one target's thread; `read` calls a method of Slack, `me` is our user id."""

    read: Read
    me: str

    async def find(self, target: Target, n: int, *, streamed: bool, known: Collection[str]) -> str:
        """Find the ts of a part that may have arrived; empty if it has not.

        A stream carries no mark before its end: it is the newest of our messages that has none
        and is not `known`.
        """
        wanted = mark(target, n)["event_payload"]
        since = float(target.asked_ts or target.thread_ts or 0)
        unmarked = ""
        async for message in self._messages(target):
            ts = str(message["ts"])
            metadata: Json = message.get("metadata") or {}
            if metadata.get("event_type") == MARK:
                if metadata.get("event_payload") == wanted:
                    return ts
            elif message.get("user") == self.me and ts not in known and float(ts) > since:
                unmarked = ts
        return unmarked if streamed else ""

    async def _messages(self, target: Target) -> AsyncIterator[Json]:
        asked: Json = {"channel": target.channel, "ts": target.thread_ts or None, "limit": _PAGE}
        asked |= {"include_all_metadata": True, "oldest": target.asked_ts or None}
        method = "conversations.replies" if target.thread_ts else "conversations.history"
        for _ in range(_PAGES):
            answer = await self.read(method, asked)
            for message in answer.get("messages", []):
                yield message
            more: Json = answer.get("response_metadata") or {}
            if not more.get("next_cursor"):
                return
            asked["cursor"] = more["next_cursor"]
