"""What was missed, read from a real playground: within bounds, in order, threads included."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import Slack
from bot.gateway.history import Bounds, History, Room
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

    async def texts(self, since: str, *followed: str) -> list[str]:
        found = await self.history.since(self.api, float(since), followed)
        return [message["text"] for message in found]


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
    """Roots and replies, oldest first, shaped like the events that would have told of them."""
    root = await archive.says("before")
    old = await archive.says("old root")
    reply = await archive.says("reply", root)
    await archive.says("after")
    await archive.says("late reply", old)
    found = await archive.history.since(archive.api, float(old))
    assert [message["text"] for message in found] == ["reply", "after", "late reply"]
    assert {message["channel"] for message in found} == {archive.api.id}
    assert (found[0]["ts"], found[0]["thread_ts"]) == (reply, root)
    assert (found[0]["type"], found[0]["channel_type"]) == ("message", "channel")


async def test_a_quiet_channel_costs_one_call(archive: Archive):
    """Threads in which nothing is new are not read."""
    root = await archive.says("root")
    last = await archive.says("reply", root)
    assert await archive.texts(last, root) == []
    assert archive.playground.journal.calls("conversations.replies") == []
    assert len(archive.playground.journal.calls("conversations.history")) == 1


async def test_it_reads_as_many_pages_as_needed_and_a_followed_thread_behind_them(
    archive: Archive,
):
    """The root of a followed thread is too old for the page: the thread is read all the same."""
    archive.bounds = Bounds(page=3)
    root = await archive.says("root")
    since = await archive.says("since")
    for number in range(5):
        await archive.says(f"{number}")
    await archive.says("reply", root)
    assert await archive.texts(since) == ["0", "1", "2", "3", "4"]
    assert await archive.texts(since, root) == ["0", "1", "2", "3", "4", "reply"]


async def test_bounds_keep_the_newest(archive: Archive):
    """A flood is cut, the newest messages and the threads that are ours stay."""
    archive.bounds = Bounds(messages=4, threads=1, page=2)
    roots = [await archive.says(f"{number}") for number in range(6)]
    assert await archive.texts("1.0") == ["2", "3", "4", "5"]
    for root in roots[3:]:
        await archive.says(f"below {root}", root)
    texts = await archive.texts(roots[-1], roots[4])
    assert texts == [f"below {roots[4]}"]


async def test_a_thread_that_is_gone_spoils_nothing(archive: Archive):
    """Its root was deleted: the rest of the channel is read."""
    since = await archive.says("since")
    await archive.says("after")
    archive.playground.faults.add(Fault("error", "conversations.replies", error="thread_not_found"))
    assert await archive.texts(since, "1.000100") == ["after"]
