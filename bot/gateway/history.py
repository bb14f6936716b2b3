"""What Slack keeps of the time we were not there: our channels, their last messages, their threads.

Reads within bounds, and at a pace that leaves most of Slack's limits to the turns that run
meanwhile. Decides nothing: what a message is to us is the part of `ingress`, when to read is the
part of `backfill`.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from bot import words
from bot.delivery import Slack, SlackRefused
from bot.pacing import Pacing
from bot.reading import message_text

log = structlog.get_logger()

Json = dict[str, Any]

KINDS = "public_channel,private_channel,mpim,im"
RATES: dict[str, tuple[float, float]] = {
    "users.conversations": (20, 5),
    "conversations.history": (40, 20),
    "conversations.replies": (25, 15),
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is read: of a channel the newest messages, and the threads that changed last."""

    rooms: int = 500
    messages: int = 1000
    threads: int = 25
    page: int = 200


@dataclass(frozen=True, slots=True)
class Room:
    """A channel we are in; `kind` as Slack's events name it: channel, group, im, mpim."""

    id: str
    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Missed:
    """What was said in a channel, oldest first, as the events that tell of it.

    `threads` may hold more, and are worth a look once all channels have been read.
    """

    events: list[Json]
    threads: tuple[str, ...] = ()


class History:
    """Reads the channels of one workspace that we are a member of."""

    def __init__(self, slack: Slack, bounds: Bounds | None = None) -> None:
        self._slack = slack
        self._me = slack.bot_user
        self._bounds = bounds or Bounds()
        self._pacing = Pacing(RATES)

    async def rooms(self) -> list[Room]:
        """Return the channels we are in. Raises `SlackFailed`."""
        most = self._bounds.rooms
        found: list[Room] = []
        asked: Json = {"types": KINDS, "exclude_archived": "true", "limit": self._bounds.page}
        while True:
            answer = await self._ask("users.conversations", asked)
            found += [_room(channel) for channel in _listed(answer, "channels")]
            cursor = _next_cursor(answer)
            if not cursor:
                return found[:most]
            if len(found) >= most:
                log.warning("too many channels to look into", looked_into=most)
                return found[:most]
            asked["cursor"] = cursor

    async def since(self, room: Room, since: float, heard: Mapping[str, float]) -> Missed:
        """Return what was said after `since`; `heard` says until when our threads were heard.

        A thread of ours is read here if something stands in it that was not heard. All others
        that may hold something for us are only named. Raises `SlackFailed`.
        """
        roots = await self._newest(room, since)
        missed = [root for root in roots if _ts(root) > since]
        latest = {str(root["ts"]): float(root.get("latest_reply") or 0) for root in roots}
        alive = sorted(latest, key=latest.__getitem__, reverse=True)
        alive = [ts for ts in alive if latest[ts] > since]
        ours = heard.keys() | {str(root["ts"]) for root in roots if self._is_for_us(room, root)}
        surely = [ts for ts in alive if ts in ours and latest[ts] > heard.get(ts, 0)]
        out_of_sight = [ts for ts in heard if ts not in latest]
        maybe = [ts for ts in (*out_of_sight, *alive) if ts not in surely]
        for thread in self._bounded(room, surely):
            missed += await self._replies(room, thread, since)
        return Missed(_as_events(room, missed), tuple(self._bounded(room, maybe)))

    async def thread(self, room: Room, thread: str, since: float) -> list[Json]:
        """Return what was said in a thread after `since`, oldest first. Raises `SlackFailed`."""
        return _as_events(room, await self._replies(room, thread, since))

    def _is_for_us(self, room: Room, root: Json) -> bool:
        """Whether a root begins a thread of ours: said directly, or with our name in it."""
        return room.kind in {"im", "mpim"} or words.mentions(message_text(root), self._me)

    def _bounded(self, room: Room, threads: list[str]) -> list[str]:
        left_out = len(threads) - self._bounds.threads
        if left_out > 0:
            log.warning("too many threads to look into", channel=room.id, left_out=left_out)
        return threads[: self._bounds.threads]

    async def _newest(self, room: Room, since: float) -> list[Json]:
        """Read from the newest message down to `since`; a whole page at least, for its threads."""
        found: list[Json] = []
        asked: Json = {"channel": room.id, "limit": self._bounds.page}
        while True:
            answer = await self._ask("conversations.history", asked)
            page = _messages(answer)
            found += page
            asked["cursor"] = _next_cursor(answer)
            if not asked["cursor"] or not page or _ts(page[-1]) <= since:
                return found
            if len(found) >= self._bounds.messages:
                log.warning("too many messages missed", channel=room.id, read=len(found))
                return found

    async def _replies(self, room: Room, thread: str, since: float) -> list[Json]:
        found: list[Json] = []
        asked: Json = {
            "channel": room.id,
            "ts": thread,
            "oldest": f"{since:.6f}",
            "limit": self._bounds.page,
        }
        while len(found) < self._bounds.messages:
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


def _as_events(room: Room, messages: Iterable[Json]) -> list[Json]:
    """Put messages in order, each once, shaped like events; some stand in thread and channel."""
    known = {str(message["ts"]): message for message in messages}
    where = {"type": "message", "channel": room.id, "channel_type": room.kind}
    return [{**message, **where} for message in sorted(known.values(), key=_ts)]


def _room(channel: Json) -> Room:
    flags = (("is_im", "im"), ("is_mpim", "mpim"), ("is_private", "group"))
    kind = next((name for flag, name in flags if channel.get(flag)), "channel")
    return Room(str(channel["id"]), kind, str(channel.get("name") or ""))


def _messages(answer: Json) -> list[Json]:
    return [message for message in _listed(answer, "messages") if message.get("ts")]


def _listed(answer: Json, name: str) -> list[Json]:
    return answer.get(name) or []


def _next_cursor(answer: Json) -> str:
    more: Json = answer.get("response_metadata") or {}
    return str(more.get("next_cursor") or "")


def _ts(message: Json) -> float:
    return float(message["ts"])
