"""What an event is to us, decided on raw Slack events, with a real queue behind."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.gateway.ingress import (
    Gestures,
    Identity,
    Ingress,
    fate_of,
    is_from_a_person,
    read_incoming,
)
from bot.settings import ProjectSettings
from harness.models import SessionKey, TeamId, UserId
from storage.client import Store
from storage.queue import Queue

ME = Identity(TeamId("T1"), UserId("U0BOT"), "B0", "deskmate")
BOT = "<@U0BOT>"


def event(ts: str = "1.0", **changes: object) -> dict[str, Any]:
    """A message event as Slack sends it; `app_mention` twins lack the channel type."""
    base = {
        "type": "message",
        "channel": "C1",
        "channel_type": "channel",
        "user": "U1",
        "text": "hi",
        "ts": ts,
    }
    return {**base, **changes}


@dataclass
class Seen:
    """What the gateway showed by itself."""

    eyes: list[str] = field(default_factory=list[str])
    nothing: list[str] = field(default_factory=list[str])

    def gestures(self) -> Gestures:
        return Gestures(
            lambda _, ts: self.eyes.append(ts), lambda _, user: self.nothing.append(user)
        )


@dataclass
class Door:
    """An ingress with its queue and what it showed."""

    ingress: Ingress
    queue: Queue
    seen: Seen

    async def hears(self, *events: dict[str, Any]) -> None:
        for number, each in enumerate(events):
            await self.ingress.message(each, f"Ev-{each['type']}-{each.get('ts')}-{number}")

    async def turns(self) -> list[str]:
        """Take and end all turns; returns their texts in order."""
        texts: list[str] = []
        while lease := await self.queue.take(0.05):
            texts.append(lease.incoming.text)
            await self.queue.drop(lease)
        return texts


@pytest.fixture
def door(store: Store) -> Door:
    queue = Queue(store, worker="w1", lease_seconds=10)
    seen = Seen()

    async def may(user: UserId) -> bool:
        return user != "U9"

    rules = {"C2": ProjectSettings(follow="mention")}
    ingress = Ingress(
        queue, ME, lambda p: rules.get(p, ProjectSettings()), may, seen.gestures(), lambda: 1.0
    )
    return Door(ingress, queue, seen)


@pytest.mark.parametrize(
    "changes",
    [
        {"bot_id": "B9"},
        {"subtype": "bot_message"},
        {"subtype": "channel_join"},
        {"hidden": True},
        {"user": "USLACKBOT"},
        {"user": None},
        {"subtype": "message_replied"},
    ],
)
def test_bots_system_lines_and_hidden_messages_are_not_from_a_person(changes: dict[str, Any]):
    """Only people start turns."""
    assert not is_from_a_person(event(**changes))
    assert is_from_a_person(event())
    assert is_from_a_person(event(subtype="file_share"))
    assert is_from_a_person(event(subtype="thread_broadcast"))


@pytest.mark.parametrize(
    ("changes", "fate"),
    [
        ({"text": f"{BOT} hi"}, "turn"),
        ({"text": "hi"}, "nothing"),
        ({"text": "hi", "type": "app_mention"}, "turn"),
        ({"text": "hi", "thread_ts": "0.5"}, "turn"),
        ({"text": "<@U2> hi", "thread_ts": "0.5"}, "aside"),
        ({"text": "<@U2> hi"}, "nothing"),
        ({"text": "hi", "channel": "D1", "channel_type": "im"}, "turn"),
        ({"text": "hi", "channel": "G1", "channel_type": "mpim"}, "turn"),
        ({"text": "<@U2> hi", "channel": "G1", "channel_type": "mpim"}, "nothing"),
        ({"text": "stop"}, "nothing"),
        ({"text": f"{BOT} stop"}, "stop"),
        ({"text": "stop", "thread_ts": "0.5"}, "stop"),
        ({"text": "stop", "channel": "D1", "channel_type": "im"}, "stop"),
        ({"text": f"{BOT} hi", "user": "U0BOT"}, "nothing"),
    ],
)
def test_the_fate_of_a_message(changes: dict[str, Any], fate: str):
    """Mention, thread, direct message, other people's lines, stop."""
    incoming = read_incoming(event(**changes), ME, 1.0)
    assert fate_of(incoming, ME, ProjectSettings()) == fate


def test_follow_mention_listens_only_when_mentioned():
    """With `follow = mention` a thread reply without a mention is an aside."""
    reply = read_incoming(event(thread_ts="0.5"), ME, 1.0)
    assert fate_of(reply, ME, ProjectSettings(follow="mention")) == "aside"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_the_twins_of_a_mention_are_one_turn_that_has_the_file(
    door: Door, order: tuple[int, int]
):
    """F001, F011, F219: whichever twin comes first, one turn, mentioned, with the file."""
    twins = (
        event(type="app_mention", text=f"{BOT} look", channel_type=None),
        event(subtype="file_share", text=f"{BOT} look", files=[{"id": "F1", "name": "a.csv"}]),
    )
    await door.hears(*(twins[i] for i in order))
    lease = await door.queue.take(0.05)
    assert lease is not None
    assert lease.incoming.mentioned
    assert [f.name for f in lease.incoming.files] == ["a.csv"]
    assert await door.queue.take(0.05) is None


async def test_a_redelivered_event_is_one_turn(door: Door):
    """F004, F009, F010: the same event again, at any time, changes nothing."""
    for _ in range(3):
        await door.ingress.message(event(text=f"{BOT} hi"), "Ev1")
    assert await door.turns() == [f"{BOT} hi"]
    await door.ingress.message(event(text=f"{BOT} hi"), "Ev1")
    assert await door.turns() == []


async def test_a_reply_in_a_thread_we_are_not_in_starts_nothing_and_hides_nothing(door: Door):
    """Mark seen on acceptance only: the same message may still come as a mention."""
    await door.hears(event("2.0", thread_ts="1.0", text="who knows"))
    assert await door.turns() == []
    await door.hears(event("2.0", thread_ts="1.0", text="who knows", type="app_mention"))
    assert await door.turns() == ["who knows"]


async def test_what_waits_behind_a_turn_is_marked_with_eyes(door: Door):
    """The first message is not marked, the second is."""
    await door.hears(event("1.0", text=f"{BOT} one"), event("2.0", thread_ts="1.0", text="two"))
    assert door.seen.eyes == ["2.0"]


async def test_an_unfurl_changes_nothing_and_an_edit_changes_what_waits(door: Door):
    """F005: `message_changed` with the same words is Slack's own doing."""
    said = event("1.0", text=f"{BOT} see https://x.org")
    await door.hears(said)
    changed = {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C1",
        "message": {**said, "attachments": [{"title": "X"}]},
        "previous_message": said,
    }
    await door.hears(changed)
    await door.hears({**changed, "message": {**said, "text": f"{BOT} see nothing"}})
    assert await door.turns() == [f"{BOT} see nothing"]


async def test_a_deleted_message_that_waits_is_dropped(door: Door):
    """F024: deleted before it began, it never begins."""
    said = event("1.0", text=f"{BOT} hi")
    await door.hears(said)
    gone = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": "C1",
        "deleted_ts": "1.0",
        "previous_message": said,
    }
    await door.hears(gone)
    assert await door.turns() == []


async def test_a_stop_reaches_the_running_turn_if_the_person_may(door: Door):
    """A stranger's stop does nothing; a stop where nothing runs is told if asked for."""
    await door.hears(event("1.0", text=f"{BOT} work"))
    lease = await door.queue.take(0.05)
    assert lease is not None
    session = SessionKey(team=ME.team, channel=lease.session.channel, thread="1.0")
    await door.ingress.stop(session, UserId("U9"), tell=True)
    assert door.seen.nothing == []
    await door.hears(event("2.0", text=f"{BOT} stop", thread_ts="1.0", user="U2"))
    await door.queue.give_back(lease, 0)
    again = await door.queue.take(0.05)
    assert again is not None
    assert again.stopped_by == "U2"
    await door.queue.drop(again)
    await door.hears(event("3.0", text=f"{BOT} stop", thread_ts="1.0", user="U2"))
    assert door.seen.nothing == ["U2"]


async def test_asides_of_a_known_thread_are_kept_others_are_not(door: Door):
    """What was said to someone else is told with the next turn."""
    await door.hears(event("1.0", text=f"{BOT} hi"))
    await door.turns()
    await door.hears(event("2.0", thread_ts="1.0", text="<@U2> psst"))
    await door.hears(event("3.0", thread_ts="9.0", text="<@U2> elsewhere"))
    session = SessionKey(
        team=ME.team, channel=read_incoming(event(), ME, 1).session.channel, thread="1.0"
    )
    kept = await door.queue.asides(session, read_incoming(event(), ME, 1).project)
    assert [aside.text for aside in kept] == ["<@U2> psst"]


async def test_what_belongs_to_a_session_is_told_to_whoever_listens(door: Door):
    """So that it is known until when each thread was heard; our own answers count as well."""
    mention = event("1.0", text=f"{BOT} hi")
    answer = event("1.5", thread_ts="1.0", user="U0BOT", bot_id="B0")
    accepted = [
        await door.ingress.message(each, f"Ev{number}")
        for number, each in enumerate(
            (
                mention,
                {**mention, "type": "app_mention"},
                answer,
                event("2.0", thread_ts="1.0", text="<@U2> psst"),
                event("3.0", thread_ts="9.0", text="not ours"),
                event("4.0", text="nor this"),
            )
        )
    ]
    known = [each and (each.session.thread, each.new) for each in accepted]
    assert known == [("1.0", True), ("1.0", False), ("1.0", False), ("1.0", False), None, None]
