"""assistant.threads.* and agents.sessions.*: what an agent shows beside its messages."""

import pytest

from bot.playground import Playground, SlackError
from tests.bot.playground.clients import Api, Json


@pytest.fixture
async def thread(playground: Playground, channel: str) -> Json:
    """Give a thread as these methods name it."""
    root = await playground.people.post("ann", "#api", "question")
    return {"channel_id": channel, "thread_ts": root}


async def test_a_status_goes_with_the_next_message(
    playground: Playground, api: Api, channel: str, thread: Json
) -> None:
    """It stands until the app posts in the thread."""
    await api("assistant.threads.setStatus", **thread, status="is reading")
    assert [s.text for s in playground.workspace.statuses.values()] == ["is reading"]

    await api("chat.postMessage", channel=channel, text="done", thread_ts=thread["thread_ts"])

    assert playground.workspace.statuses == {}


async def test_a_status_goes_after_two_minutes(
    playground: Playground, api: Api, thread: Json
) -> None:
    """Setting it again starts the time anew."""
    await api("assistant.threads.setStatus", **thread, status="is reading")
    playground.workspace.clock.advance(119)
    await api("assistant.threads.setStatus", **thread, status="is writing")
    playground.workspace.clock.advance(119)
    assert len(playground.workspace.statuses) == 1

    playground.workspace.clock.advance(1)

    assert playground.workspace.statuses == {}


async def test_an_empty_status_clears(playground: Playground, api: Api, thread: Json) -> None:
    """Clearing is setting nothing."""
    await api("assistant.threads.setStatus", **thread, status="is reading")

    await api("assistant.threads.setStatus", **thread, status="")

    assert playground.workspace.statuses == {}


async def test_a_status_belongs_to_a_thread(api: Api, channel: str, thread: Json) -> None:
    """An unknown ts is invalid_thread_ts; eleven loading messages are too many."""
    unknown = {"channel_id": channel, "thread_ts": "1.000001", "status": "x"}
    many = {**thread, "status": "x", "loading_messages": [f"m{n}" for n in range(11)]}

    assert await api.refused("assistant.threads.setStatus", **unknown) == "invalid_thread_ts"
    assert await api.refused("assistant.threads.setStatus", **many) == "invalid_arguments"


async def test_session_states_are_a_closed_set(api: Api, thread: Json) -> None:
    """Free text is refused; a known state comes back with the title of the session."""
    refused = await api.refused("agents.sessions.setStatus", **thread, status="is thinking")
    first = await api("agents.sessions.setStatus", **thread, status="processing", title="One")
    second = await api("agents.sessions.setStatus", **thread, status="active", title="Two")

    assert refused == "invalid_status"
    assert (first["status"], first["title"]) == ("processing", "One")
    assert (second["status"], second["title"]) == ("active", "One")


async def test_a_session_is_renamed(api: Api, thread: Json) -> None:
    """Only one that exists."""
    assert await api.refused("agents.sessions.rename", **thread, title="x") == "session_not_found"
    await api("agents.sessions.setStatus", **thread, status="active")

    assert (await api("agents.sessions.rename", **thread, title="New"))["title"] == "New"


async def test_without_the_event_there_is_no_stop_button(
    playground: Playground, api: Api, thread: Json
) -> None:
    """Slack warns, and a person has nothing to press."""
    playground.app.events.remove("agent_session_stopped")

    answer = await api("agents.sessions.setStatus", **thread, status="processing")

    assert answer["warning"] == "missing_agent_session_stopped_event_subscription"
    with pytest.raises(SlackError, match="session_not_processing"):
        await playground.people.stop("ann", "#api", thread["thread_ts"])


async def test_a_stream_ends_the_session_state(
    playground: Playground, api: Api, thread: Json
) -> None:
    """chat.stopStream sets session_status in the same call and clears the status."""
    ann = playground.workspace.user_named("ann")
    await api("agents.sessions.setStatus", **thread, status="processing")
    place = {"channel": thread["channel_id"]}
    started = await api(
        "chat.startStream",
        **place,
        thread_ts=thread["thread_ts"],
        recipient_user_id=ann.id,
        recipient_team_id=ann.team,
        markdown_text="hi",
    )
    await api("assistant.threads.setStatus", **thread, status="is writing")

    await api("chat.stopStream", **place, ts=started["ts"], session_status="active")

    assert [s.status for s in playground.workspace.sessions.values()] == ["active"]
    assert playground.workspace.statuses == {}
