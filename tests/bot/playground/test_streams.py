"""chat.startStream, appendStream, stopStream: one life, many ways to end it."""

from typing import Any

import pytest

from bot.playground import Playground
from tests.bot.playground.clients import Api, Json, listening
from tests.support import wait_until


@pytest.fixture
async def root(playground: Playground) -> str:
    return await playground.people.post("ann", "#api", "question")


@pytest.fixture
def to_ann(playground: Playground, channel: str, root: str) -> Json:
    """Give the arguments of a stream for ann."""
    ann = playground.workspace.user_named("ann")
    return {
        "channel": channel,
        "thread_ts": root,
        "recipient_user_id": ann.id,
        "recipient_team_id": ann.team,
    }


def text(value: str) -> Json:
    return {"chunks": [{"type": "markdown_text", "text": value}]}


async def test_a_stream_grows_and_stops(
    playground: Playground, api: Api, channel: str, to_ann: Json
) -> None:
    """The pieces make one message in the thread; closing blocks come at the bottom."""
    ts = (await api("chat.startStream", **to_ann, markdown_text="Hel"))["ts"]
    await api("chat.appendStream", channel=channel, ts=ts, **text("lo **you**"))
    assert playground.channel("api").messages[ts].is_streaming
    context = {"type": "context", "elements": [{"type": "mrkdwn", "text": "4 steps"}]}

    stopped = await api("chat.stopStream", channel=channel, ts=ts, blocks=[context], **text("."))

    assert stopped["message"]["text"] == "Hello **you**."
    assert [block["type"] for block in stopped["message"]["blocks"]] == ["markdown", "context"]
    assert not playground.channel("api").messages[ts].is_streaming


async def test_slack_sdks_own_stream_class(playground: Playground, api: Api, to_ann: Json) -> None:
    """AsyncChatStream buffers, starts, appends and stops without knowing it is not Slack."""
    client: Any = api.client
    stream = await client.chat_stream(**to_ann, buffer_size=8)
    for word in ["one", "two", "three", "four", "five"]:
        await stream.append(markdown_text=word + " ")

    stopped = await stream.stop()

    assert stopped["message"]["text"] == "one two three four five "
    assert len(playground.journal.calls("chat.startStream")) == 1


async def test_start_and_stop_are_events(
    playground: Playground, api: Api, channel: str, to_ann: Json
) -> None:
    """Apps hear a message at the start and message_changed at the end, nothing in between."""
    async with listening(playground) as heard:
        ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]
        await api("chat.appendStream", channel=channel, ts=ts, **text("b"))
        await api("chat.stopStream", channel=channel, ts=ts)
        await wait_until(lambda: len(heard) == 2)

    assert [body["event"].get("subtype") for body in heard] == [None, "message_changed"]


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("recipient_user_id", "missing_recipient_user_id"),
        ("recipient_team_id", "missing_recipient_team_id"),
    ],
)
async def test_a_channel_stream_names_its_reader(
    api: Api, to_ann: Json, missing: str, error: str
) -> None:
    """Outside a DM both recipients are required."""
    del to_ann[missing]

    assert await api.refused("chat.startStream", **to_ann) == error


async def test_a_stranger_is_read_to_by_their_own_team(playground: Playground, api: Api) -> None:
    """recipient_team_id is the team of the reader, not of the app."""
    sam = playground.workspace.user_named("sam")
    place = playground.channel("partners").id
    ts = await playground.people.post("sam", "#partners", "hello")
    to_sam = {"channel": place, "thread_ts": ts, "recipient_user_id": sam.id}

    wrong = await api.refused(
        "chat.startStream", **to_sam, recipient_team_id=playground.workspace.team.id
    )

    assert wrong == "user_not_found"
    assert (await api("chat.startStream", **to_sam, recipient_team_id=sam.team))["ts"]


async def test_a_dm_stream_needs_no_recipient(playground: Playground, api: Api) -> None:
    """In a DM the reader is known."""
    direct = await playground.people.open_dm("ann", "Deskmate")
    ts = await playground.people.post("ann", direct, "hello")

    assert (await api("chat.startStream", channel=direct, thread_ts=ts, markdown_text="hi"))["ts"]


async def test_nothing_goes_into_a_stopped_stream(api: Api, channel: str, to_ann: Json) -> None:
    """Append and stop after stop are message_not_in_streaming_state."""
    ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]
    await api("chat.stopStream", channel=channel, ts=ts)

    for method in ("chat.appendStream", "chat.stopStream"):
        refused = await api.refused(method, channel=channel, ts=ts, **text("b"))
        assert refused == "message_not_in_streaming_state"


async def test_the_wall_ends_a_stream_whatever_is_appended(
    playground: Playground, api: Api, channel: str, to_ann: Json
) -> None:
    """Five minutes from the start it is over; the text so far stays and can be edited."""
    ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]
    playground.workspace.clock.advance(299)
    await api("chat.appendStream", channel=channel, ts=ts, **text("b"))
    playground.workspace.clock.advance(1)

    refused = await api.refused("chat.appendStream", channel=channel, ts=ts, **text("c"))
    updated = await api("chat.update", channel=channel, ts=ts, text="abc")

    assert refused == "message_not_in_streaming_state"
    assert updated["text"] == "abc"


async def test_a_live_stream_cannot_be_edited(api: Api, channel: str, to_ann: Json) -> None:
    """chat.update on it is streaming_state_conflict."""
    ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]

    refused = await api.refused("chat.update", channel=channel, ts=ts, text="b")

    assert refused == "streaming_state_conflict"


async def test_a_person_stops_a_stream(
    playground: Playground, api: Api, channel: str, root: str, to_ann: Json
) -> None:
    """Stop shows while processing, ends the stream and tells the app which."""
    processing = {"channel_id": channel, "thread_ts": root, "status": "processing"}
    await api("agents.sessions.setStatus", **processing)
    ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]
    async with listening(playground) as heard:
        await playground.people.stop("ann", "#api", root)
        await wait_until(lambda: any(b["event"]["type"] == "agent_session_stopped" for b in heard))

    stopped = next(b["event"] for b in heard if b["event"]["type"] == "agent_session_stopped")
    assert stopped["streaming_message_ts"] == [ts]
    assert (stopped["channel"], stopped["thread_ts"]) == (channel, root)
    assert await api.refused("chat.appendStream", channel=channel, ts=ts, **text("b")) == (
        "stopped_by_user"
    )


@pytest.mark.parametrize(
    ("chunks", "error"),
    [
        ([], "no_text"),
        ([{"type": "nonsense"}], "invalid_chunks"),
        ([{"type": "task_update", "id": "1", "status": "completed"}], "invalid_chunks"),
        ([{"type": "markdown_text", "text": "x" * 12_001}], "msg_too_long"),
        ([{"type": "markdown_text", "text": "x" * 7_000}] * 2, "msg_blocks_too_long"),
        ([{"type": "blocks", "blocks": [{"type": "divider"}] * 51}], "msg_blocks_too_many"),
    ],
)
async def test_chunks_slack_does_not_take(
    api: Api, channel: str, to_ann: Json, chunks: list[Json], error: str
) -> None:
    """Unknown kinds, wrong states, too long pieces and too long messages."""
    ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]

    assert await api.refused("chat.appendStream", channel=channel, ts=ts, chunks=chunks) == error


async def test_a_stream_has_one_owner(
    playground: Playground, api: Api, channel: str, to_ann: Json
) -> None:
    """Another app can neither append nor stop."""
    ts = (await api("chat.startStream", **to_ann, markdown_text="a"))["ts"]
    robo = playground.workspace.app_of(playground.workspace.user_named("robo").id)
    assert robo

    refused = await Api(playground, robo.bot_token).refused(
        "chat.appendStream", channel=channel, ts=ts, **text("b")
    )

    assert refused == "message_not_owned_by_app"


async def test_tasks_are_replaced_and_their_details_grow(
    api: Api, channel: str, to_ann: Json
) -> None:
    """task_update: title and status replace, details append."""
    task = {"type": "task_update", "id": "t1", "title": "Read", "status": "in_progress"}
    ts = (await api("chat.startStream", **to_ann, chunks=[task | {"details": "a"}]))["ts"]
    done = [task | {"status": "complete", "details": "b"}]

    stopped = await api("chat.stopStream", channel=channel, ts=ts, chunks=done)

    card = stopped["message"]["blocks"][0]
    assert (card["status"], card["details"]) == ("complete", "ab")


async def test_a_stream_without_a_root(playground: Playground, api: Api, to_ann: Json) -> None:
    """The message it answers must be there."""
    await playground.people.delete("ann", "#api", to_ann["thread_ts"])

    assert await api.refused("chat.startStream", **to_ann) == "message_not_found"
