"""What was missed, read from a real playground: within bounds, in order, threads included."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import Slack
from bot.gateway.history import Bounds, History, Missed, Room
from bot.playground import Fault, Playground, Rules


@dataclass
class Archive:
    """A workspace, and our reader of it."""

    playground: Playground
    bounds: Bounds | None = None

    @property
    def history(self) -> History:
        client = AsyncWebClient(self.playground.bot_token, self.playground.api_url)
        return History(Slack(client, bot_user=self.playground.app.user.id), self.bounds)

    @property
    def api(self) -> Room:
        return Room(self.playground.channel("api").id, "channel", "api")

    async def says(self, text: str, thread: str = "") -> str:
        return await self.playground.people.post("ann", "#api", text, thread_ts=thread)

    async def missed(self, since: str, **heard: str) -> Missed:
        """What was missed since a message; `heard` maps our threads to the last one heard."""
        known = {thread: float(last) for thread, last in heard.items()}
        return await self.history.since(self.api, float(since), known)

    async def texts(self, since: str, **heard: str) -> list[str]:
        return [message["text"] for message in (await self.missed(since, **heard)).events]

    @property
    def replies_read(self) -> list[str]:
        return [
            call["args"]["ts"] for call in self.playground.journal.calls("conversations.replies")
        ]


@pytest.fixture
async def archive() -> AsyncGenerator[Archive]:
    async with Playground(rules=Rules(rate_limits=False)) as playground:
        yield Archive(playground)


async def test_rooms_are_those_we_are_in_whatever_their_kind(archive: Archive):
    """Public, private and direct ones; not those we were never invited to."""
    await archive.playground.people.open_dm("ann", "deskmate")
    await archive.playground.people.open_dm("ann", "ben", "deskmate")
    rooms = await archive.history.rooms()
    assert {room.kind for room in rooms} == {"channel", "im", "mpim"}
    assert archive.api in rooms
    assert archive.playground.channel("secret").id not in {room.id for room in rooms}


async def test_what_was_said_after_a_moment_in_order_with_its_channel(archive: Archive):
    """Roots, and replies in our threads; oldest first, shaped like the events that tell of them."""
    root = await archive.says("before")
    old = await archive.says("old root")
    reply = await archive.says("reply", root)
    await archive.says("after")
    await archive.says("late reply", old)
    found = (await archive.missed(old, **{root: root, old: old})).events
    assert [message["text"] for message in found] == ["reply", "after", "late reply"]
    assert {message["channel"] for message in found} == {archive.api.id}
    assert (found[0]["ts"], found[0]["thread_ts"]) == (reply, root)
    assert (found[0]["type"], found[0]["channel_type"]) == ("message", "channel")


async def test_a_quiet_channel_costs_one_call(archive: Archive):
    """Threads in which nothing is new are not read, and not named."""
    root = await archive.says("root")
    last = await archive.says("reply", root)
    assert await archive.missed(last, **{root: last}) == Missed([])
    assert archive.replies_read == []
    assert len(archive.playground.journal.calls("conversations.history")) == 1


async def test_threads_that_are_ours_are_read_first_the_others_named(archive: Archive):
    """Ours: with something new, or beginning with our name. Named: those heard, and strangers'."""
    mention = f"<@{archive.playground.app.user.id}>"
    since = await archive.says("since")
    new, heard, strange, called = [
        await archive.says(text) for text in ("new", "heard", "strange", f"{mention} called")
    ]
    last = [await archive.says(f"below {root}", root) for root in (new, heard, strange, called)]
    missed = await archive.missed(since, **{new: new, heard: last[1]})
    assert sorted(archive.replies_read) == sorted([new, called])
    assert set(missed.threads) == {heard, strange}
    texts = [message["text"] for message in missed.events]
    assert texts[4:] == [f"below {new}", f"below {called}"]
    root, reply = await archive.history.thread(archive.api, strange, float(strange) - 1e-6)
    assert (root["text"], reply["text"]) == ("strange", f"below {strange}")
    assert reply["channel"] == archive.api.id


async def test_every_thread_of_a_direct_message_is_ours(archive: Archive):
    """No mention is needed there."""
    people = archive.playground.people
    channel = await people.open_dm("ann", "deskmate")
    root = await people.post("ann", channel, "one")
    await people.post("ann", channel, "two", thread_ts=root)
    missed = await archive.history.since(Room(channel, "im"), 1.0, {})
    assert [message["text"] for message in missed.events] == ["one", "two"]


async def test_it_reads_as_many_pages_as_needed_and_names_threads_behind_them(archive: Archive):
    """The root of a thread of ours is out of sight: it is named, since it may hold something."""
    archive.bounds = Bounds(page=3)
    root = await archive.says("root")
    since = await archive.says("since")
    for number in range(5):
        await archive.says(f"{number}")
    await archive.says("reply", root)
    missed = await archive.missed(since, **{root: root})
    assert [message["text"] for message in missed.events] == ["0", "1", "2", "3", "4"]
    assert missed.threads == (root,)


async def test_bounds_keep_the_newest(archive: Archive):
    """A flood is cut: the newest messages stay, and the threads that changed last."""
    archive.bounds = Bounds(messages=4, threads=1, page=2)
    roots = [await archive.says(f"{number}") for number in range(6)]
    assert await archive.texts("1.0") == ["2", "3", "4", "5"]
    for root in roots[3:]:
        await archive.says(f"below {root}", root)
    missed = await archive.missed(roots[-1], **{roots[4]: roots[4], roots[3]: roots[3]})
    assert [message["text"] for message in missed.events] == [f"below {roots[4]}"]
    assert missed.threads == (roots[3],)


async def test_a_thread_that_is_gone_spoils_nothing(archive: Archive):
    """Its root was deleted: there is nothing to read in it."""
    archive.playground.faults.add(Fault("error", "conversations.replies", error="thread_not_found"))
    assert await archive.history.thread(archive.api, "1.000100", 1.0) == []
