"""What Slack keeps of the time we were not there: our channels, their last messages, their threads.

Reads within bounds, and at a pace that leaves most of Slack's limits to the turns that run
meanwhile. Decides nothing: what a message is to us is the part of `ingress`, when to read is the
part of `backfill`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from bot.delivery import Slack, SlackRefused
from bot.pacing import Pacing

log = structlog.get_logger()

Json = dict[str, Any]

PAGE = 200
MOST_ROOMS = 500
MOST_MESSAGES = 1000
MOST_THREADS = 25
KINDS = "public_channel,private_channel,mpim,im"
RATES: dict[str, tuple[float, float]] = {
    "users.conversations": (20, 5),
    "conversations.history": (40, 20),
    "conversations.replies": (25, 15),
}


@dataclass(frozen=True, slots=True)
class Room:
    """A channel we are in; `kind` as Slack's events name it: channel, group, im, mpim."""

    id: str
    kind: str


class History:
    """Reads the channels of one workspace that we are a member of."""

    def __init__(self, slack: Slack, pacing: Pacing | None = None) -> None:
        self._slack = slack
        self._pacing = pacing or Pacing(RATES)

    async def rooms(self) -> list[Room]:
        """Return the channels we are in, at most 500. Raises `SlackFailed`."""
        found: list[Room] = []
        asked: Json = {"types": KINDS, "exclude_archived": "true", "limit": PAGE}
        while True:
            answer = await self._ask("users.conversations", asked)
            found += [_room(channel) for channel in _listed(answer, "channels")]
            cursor = _next_cursor(answer)
            if len(found) >= MOST_ROOMS and cursor:
                log.warning("too many channels to look into", looked_into=MOST_ROOMS)
            if not cursor or len(found) >= MOST_ROOMS:
                return found[:MOST_ROOMS]
            asked["cursor"] = cursor

    async def since(self, room: Room, since: float, followed: Sequence[str] = ()) -> list[Json]:
        """Return what was said after `since`, oldest first, as the events that tell of it.

        Threads are read if something new stands in them, or if they are `followed` and their
        root is too old to say. Raises `SlackFailed`.
        """
        roots = await self._newest(room, since)
        found = {str(message["ts"]): message for message in roots if _ts(message) > since}
        for thread in _worth_reading(room, roots, since, followed):
            for message in await self._replies(room, thread, since):
                found[str(message["ts"])] = message
        as_event = {"type": "message", "channel": room.id, "channel_type": room.kind}
        return [{**message, **as_event} for message in sorted(found.values(), key=_ts)]

    async def _newest(self, room: Room, since: float) -> list[Json]:
        """Read from the newest message down to `since`; a whole page at least, for its threads."""
        found: list[Json] = []
        asked: Json = {"channel": room.id, "limit": PAGE}
        while True:
            answer = await self._ask("conversations.history", asked)
            page = _messages(answer)
            found += page
            asked["cursor"] = _next_cursor(answer)
            if not asked["cursor"] or not page or _ts(page[-1]) <= since:
                return found
            if len(found) >= MOST_MESSAGES:
                log.warning("too many messages missed", channel=room.id, read=len(found))
                return found

    async def _replies(self, room: Room, thread: str, since: float) -> list[Json]:
        found: list[Json] = []
        asked: Json = {"channel": room.id, "ts": thread, "oldest": f"{since:.6f}", "limit": PAGE}
        while len(found) < MOST_MESSAGES:
            try:
                answer = await self._ask("conversations.replies", asked)
            except SlackRefused as err:
                # Its root may be gone; the other threads are still there.
                log.info("thread not read", channel=room.id, thread=thread, error=str(err))
                break
            found += _messages(answer)
            asked["cursor"] = _next_cursor(answer)
            if not asked["cursor"]:
                break
        return [message for message in found if _ts(message) > since]

    async def _ask(self, method: str, arguments: Json) -> Json:
        await asyncio.sleep(self._pacing.delay(method))
        self._pacing.take(method)
        return await self._slack.call(method, arguments, repeatable=True)


def _worth_reading(
    room: Room, roots: Iterable[Json], since: float, followed: Sequence[str]
) -> list[str]:
    """Name the threads that may hold something new, those that we follow first."""
    latest = {str(root["ts"]): float(root.get("latest_reply") or 0) for root in roots}
    unknown = [thread for thread in followed if thread not in latest]
    new = sorted((ts for ts, last in latest.items() if last > since), key=latest.__getitem__)
    ours = [thread for thread in reversed(new) if thread in followed]
    others = [thread for thread in reversed(new) if thread not in followed]
    wanted = [*ours, *unknown, *others]
    if len(wanted) > MOST_THREADS:
        log.warning(
            "too many threads to look into", channel=room.id, left_out=len(wanted) - MOST_THREADS
        )
    return wanted[:MOST_THREADS]


def _room(channel: Json) -> Room:
    flags = (("is_im", "im"), ("is_mpim", "mpim"), ("is_private", "group"))
    kind = next((name for flag, name in flags if channel.get(flag)), "channel")
    return Room(str(channel["id"]), kind)


def _messages(answer: Json) -> list[Json]:
    return [message for message in _listed(answer, "messages") if message.get("ts")]


def _listed(answer: Json, name: str) -> list[Json]:
    return answer.get(name) or []


def _next_cursor(answer: Json) -> str:
    more: Json = answer.get("response_metadata") or {}
    return str(more.get("next_cursor") or "")


def _ts(message: Json) -> float:
    return float(message["ts"])
