"""What a Slack event is to us: a turn, a stop, an aside, an edit, or nothing.

`Ingress` decides and writes to the queue before Slack gets its acknowledgement; it never calls a
model. Who a person is, is checked by the worker; only a stop is checked here, since it acts now.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

import structlog

from bot import reading, words
from bot.settings import ProjectSettings
from harness.models import (
    Aside,
    ChannelId,
    ChannelKind,
    Incoming,
    ProjectId,
    SessionKey,
    TeamId,
    UserId,
)
from storage.inbox import Inbox

log = structlog.get_logger()

ACCEPTED_SUBTYPES = frozenset({None, "file_share", "thread_broadcast"})
KINDS: dict[str, ChannelKind] = {
    "channel": "public",
    "group": "private",
    "im": "im",
    "mpim": "mpim",
}
Fate = Literal["turn", "stop", "aside", "nothing"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who we are in the workspace, from `auth.test`."""

    team: TeamId
    user: UserId
    bot: str
    name: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of an event that is part of a session of ours; `new` if it starts a turn."""

    session: SessionKey
    new: bool = False


@dataclass(frozen=True, slots=True)
class Gestures:
    """What the gateway does in Slack by itself, beside the queue; both best-effort."""

    seen: Callable[[SessionKey, str], None]
    nothing_to_stop: Callable[[SessionKey, UserId], None]


def is_from_a_person(event: dict[str, Any]) -> bool:
    """Whether a message event was written by a person: no bot, no system line, not hidden."""
    if event.get("hidden") or event.get("bot_id") or event.get("bot_profile"):
        return False
    if event.get("subtype") not in ACCEPTED_SUBTYPES:
        return False
    return bool(event.get("user")) and event.get("user") != "USLACKBOT" and bool(event.get("ts"))


def read_incoming(event: dict[str, Any], me: Identity, received_at: float) -> Incoming:
    """Read a `message` or `app_mention` event; its session is the thread it stands in."""
    channel = str(event["channel"])
    text = reading.message_text(event)
    kind = KINDS.get(str(event.get("channel_type")), "im" if channel[0] == "D" else "public")
    user_team = event.get("user_team") or event.get("team")
    return Incoming(
        id=str(event["ts"]),
        session=SessionKey(
            team=me.team,
            channel=ChannelId(channel),
            thread=str(event.get("thread_ts") or event["ts"]),
        ),
        project=ProjectId(channel),
        channel_kind=kind,
        user=UserId(str(event["user"])),
        user_team=TeamId(str(user_team)) if user_team else None,
        text=text,
        files=reading.files_of(event),
        mentioned=event.get("type") == "app_mention" or words.mentions(text, me.user),
        received_at=received_at,
    )


def fate_of(incoming: Incoming, me: Identity, rules: ProjectSettings) -> Fate:
    """Decide what a person's message is to us; whether its session exists is the queue's part."""
    private = incoming.channel_kind in {"im", "mpim"}
    in_thread = incoming.session.thread != incoming.id
    near = incoming.mentioned or private or in_thread
    if incoming.user == me.user or not near:
        return "nothing"
    if words.is_stop(incoming.text, me.user):
        return "stop"
    if words.is_addressed_to_other(incoming.text, me.user):
        return "aside" if in_thread else "nothing"
    for_us = incoming.mentioned or private or rules.follow != "mention"
    return "turn" if for_us else "aside"


class Ingress:
    """The one door for events: decides, and makes durable what counts."""

    def __init__(
        self,
        inbox: Inbox,
        me: Identity,
        rules: Callable[[str], ProjectSettings],
        may: Callable[[UserId], Awaitable[bool]],
        gestures: Gestures,
        now: Callable[[], float],
    ) -> None:
        self._inbox = inbox
        self.me = me
        self._rules = rules
        self._may = may
        self._gestures = gestures
        self._now = now

    async def message(
        self, event: dict[str, Any], event_id: str, *, live: bool = True
    ) -> Accepted | None:
        """Take a `message` or `app_mention` event; returns once it is durable or known as not ours.

        One that is not `live` was read later from the channel's history. Raises
        `StoreUnavailable`: then nothing may be acknowledged.
        """
        subtype = event.get("subtype")
        changed: dict[str, Any] = event.get("message") or {}
        # A deleted root that has replies is not deleted but changed, into a tombstone.
        if subtype == "message_deleted" or changed.get("subtype") == "tombstone":
            await self._deleted(event)
        elif subtype == "message_changed":
            await self._edited(event)
        elif is_from_a_person(event):
            incoming = read_incoming(event, self.me, self._now())
            return await self._accept(incoming, event_id, live=live)
        elif event.get("user") == self.me.user and event.get("thread_ts"):
            return Accepted(self._session_of(event, event))  # our own answer
        return None

    async def _accept(self, incoming: Incoming, event_id: str, *, live: bool) -> Accepted | None:
        fate = fate_of(incoming, self.me, self._rules(incoming.project))
        if fate == "turn":
            return await self._begin(incoming, event_id)
        if fate == "aside":
            return await self._overhear(incoming)
        if fate == "stop":
            private = incoming.channel_kind in {"im", "mpim"}
            tell = live and (incoming.mentioned or private)
            await self.stop(incoming.session, incoming.user, said=incoming.id, tell=tell)
        return None

    async def _begin(self, incoming: Incoming, event_id: str) -> Accepted | None:
        known_only = not (incoming.mentioned or incoming.channel_kind in {"im", "mpim"})
        # Ranked by when it was said, not by when it came: events are retried and overtaken.
        pushed = await self._inbox.push(
            incoming, event_id=event_id, only_known_session=known_only, rank=float(incoming.id)
        )
        log.debug("event", outcome=pushed.outcome, ahead=pushed.ahead, session=incoming.session.id)
        if pushed.outcome == "unknown_session":
            return None
        if pushed.outcome == "queued" and pushed.ahead > 0:
            self._gestures.seen(incoming.session, incoming.id)
        return Accepted(incoming.session, new=pushed.outcome == "queued")

    async def _overhear(self, incoming: Incoming) -> Accepted | None:
        aside = Aside(ts=incoming.id, user=incoming.user, text=incoming.text)
        # By its place and not by its event, since it may be read again from the history.
        key = f"aside:{incoming.session.channel}:{incoming.id}"
        known = await self._inbox.overhear(incoming.session, incoming.project, aside, event_id=key)
        return Accepted(incoming.session) if known else None

    async def stop(
        self, session: SessionKey, user: UserId, *, said: str = "", tell: bool = False
    ) -> None:
        """Stop what runs in a session, if the person may; `tell` them if nothing runs.

        `said` is the ts of the stop: what was asked for after it goes on.
        """
        if user == self.me.user or not await self._may(user):
            return
        project = ProjectId(session.channel)
        running = await self._inbox.request_stop(session, project, user, said=said)
        log.info("stop", session=session.id, by=user, running=running)
        if not running and tell:
            self._gestures.nothing_to_stop(session, user)

    async def _edited(self, event: dict[str, Any]) -> None:
        new: dict[str, Any] = event.get("message") or {}
        old: dict[str, Any] = event.get("previous_message") or {}
        text = reading.message_text(new)
        # Unfurls re-emit a message with the same words; only new words count.
        if not is_from_a_person(new) or text == reading.message_text(old):
            return
        session = self._session_of(event, new)
        await self._inbox.edit(session, ProjectId(session.channel), str(new["ts"]), text)

    async def _deleted(self, event: dict[str, Any]) -> None:
        old: dict[str, Any] = event.get("previous_message") or {}
        deleted = str(event.get("deleted_ts") or old.get("ts") or "")
        if not deleted or old.get("bot_id"):
            return
        session = self._session_of(event, {"ts": deleted, **old})
        project = ProjectId(session.channel)
        if await self._inbox.remove(session, project, deleted) == "running":
            who = UserId(str(old.get("user") or ""))
            await self._inbox.request_stop(session, project, who, said=deleted)

    def _session_of(self, event: dict[str, Any], message: dict[str, Any]) -> SessionKey:
        return SessionKey(
            team=self.me.team,
            channel=ChannelId(str(event["channel"])),
            thread=str(message.get("thread_ts") or message["ts"]),
        )
