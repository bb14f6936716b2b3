"""Replies as people see them: posted or streamed, whole and once, with a clean end."""

import asyncio
import html
import time
from dataclasses import replace
from typing import cast

import pytest

from bot.playground import Fault, Rules, streams
from bot.reply import Pace
from harness.events import StepStarted, TextStarted, TextStreamed, ToolStarted
from storage.client import Store
from tests.bot.scene import QUICK, Scene, said, set_scene
from tests.bot.test_outbound import is_live
from tests.support import wait_until

PARAGRAPH = "Some words that make a paragraph of a longer answer."
LONG = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(30))


async def test_a_short_answer_is_one_post(scene: Scene):
    """Hi costs a status and one message, with all that a message must carry (F056)."""
    await scene.answer("Hello **Ann**.", pace=Pace())
    assert sorted(scene.methods()) == ["assistant.threads.setStatus", "chat.postMessage"]
    args = scene.calls("chat.postMessage")[0]["args"]
    assert args == {
        "channel": scene.target.channel,
        "thread_ts": scene.target.thread_ts,
        "text": "Hello Ann.",
        "blocks": [{"type": "markdown", "text": "Hello **Ann**."}],
        "metadata": {
            "event_type": "deskmate_part",
            "event_payload": {"turn": scene.target.turn_id, "part": 1},
        },
        "unfurl_links": False,
        "unfurl_media": False,
    }


async def test_a_longer_answer_streams(scene: Scene):
    """It grows in one message, for the person who asked, and arrives whole and once."""
    await scene.answer(LONG, size=300)
    assert scene.texts() == [LONG]
    start = scene.calls("chat.startStream")[0]["args"]
    assert start["thread_ts"] == scene.target.thread_ts
    assert start["recipient_user_id"] == scene.target.user
    assert start["recipient_team_id"] == scene.target.user_team
    assert len(scene.calls("chat.appendStream")) >= 3
    assert len(scene.calls("chat.startStream", "chat.stopStream")) == 2
    assert not scene.calls("chat.postMessage", "chat.update")
    assert scene.part_numbers() == [1]


async def test_a_direct_message_names_no_recipient(store: Store):
    """In a DM Slack knows who it is for."""
    async with set_scene(store, channel="@deskmate") as scene:
        await scene.answer(LONG, size=500)
        assert scene.texts() == [LONG]
        assert "recipient_user_id" not in scene.calls("chat.startStream")[0]["args"]


async def test_an_expired_stream_is_finished_by_editing_it(store: Store):
    """Should Slack end the stream first, the same message gets the rest (F047)."""
    async with set_scene(store, Rules(stream_seconds=3.0, rate_limits=False)) as scene:
        async with scene.reply() as reply:
            await scene.stream(reply, LONG[:700], 350)
            scene.playground.workspace.clock.advance(4)
            await reply.show(TextStreamed(LONG[700:]))
            await reply.finish(said(LONG))
        assert scene.texts() == [LONG]
        assert len(scene.messages()) == 1


async def test_without_streams_a_message_is_edited(scene: Scene):
    """Where Slack has no streams, post and edits do; it is asked once per process."""
    scene.fault(Fault("error", "chat.startStream", error="unknown_method", count=0))
    await scene.answer(LONG, size=400)
    assert scene.texts() == [LONG]
    assert len(scene.calls("chat.postMessage")) == 1
    assert scene.calls("chat.update")
    assert not scene.slack.streams
    assert len(scene.calls("chat.startStream")) == 1


@pytest.mark.parametrize("error", ["channel_type_not_supported", "missing_recipient_team_id"])
async def test_where_a_stream_is_refused_a_message_is_edited(scene: Scene, error: str):
    """Other refusals count for this reply only."""
    scene.fault(Fault("error", "chat.startStream", error=error))
    await scene.answer(LONG, size=700)
    assert scene.texts() == [LONG]
    assert scene.slack.streams


async def test_a_person_stops_the_stream(scene: Scene):
    """Slack's Stop is a command: it is passed on, and the word about it stands below (F048)."""
    stops: list[str] = []
    async with scene.reply(on_stop=lambda: stops.append("stop")) as reply:
        await scene.stream(reply, LONG[:600], 300)
        workspace, app = scene.playground.workspace, scene.playground.app
        place = workspace.channels[scene.target.channel]
        streams.stop_by_user(workspace, place, app, scene.target.thread_ts)
        await reply.show(TextStreamed(LONG[600:1200]))
        await wait_until(lambda: bool(stops))
        assert len(scene.texts()[0]) <= 600
        await reply.finish(said(LONG[:600], outcome="stopped", note="Stopped."))
    assert scene.texts() == [f"{LONG[:600].rstrip()}\n\nStopped."]
    assert stops == ["stop"]


async def test_a_text_that_begins_again_changes_the_same_message(scene: Scene):
    """What was shown of a cut answer is replaced where it stands, never posted again."""
    async with scene.reply() as reply:
        await scene.stream(reply, "A first try that broke ", 12)
        await reply.show(TextStarted(1))
        await reply.show(TextStreamed("The second try, all of it, is somewhat longer than that. "))
        await scene.flushed(reply)
        await reply.finish(said("The second try, all of it, is somewhat longer than that."))
    assert scene.texts() == ["The second try, all of it, is somewhat longer than that."]


async def test_the_final_text_rules(scene: Scene):
    """What the turn says it said is what stands there in the end, with its note."""
    async with scene.reply() as reply:
        await scene.stream(reply, "Half of ", 8)
        await reply.finish(said("Something else.", outcome="limit", note="I stop here."))
    assert scene.texts() == ["Something else.\n\nI stop here."]


async def test_the_status_says_what_happens(scene: Scene):
    """Thinking, then the tool, in the person's language; cleared at the end (F053)."""
    async with scene.reply() as reply:
        await reply.show(StepStarted(1))
        await wait_until(lambda: scene.status() == "is thinking…")
        await reply.show(ToolStarted("c1", "file_read", "reading `<!channel>.py`"))
        await wait_until(lambda: scene.status().startswith("is reading"))
        assert "<!" not in scene.status()
    await wait_until(lambda: scene.status() == "")


async def test_the_status_is_cleared_after_a_stream(scene: Scene):
    """A status that came after the last words does not stay."""
    async with scene.reply() as reply:
        await scene.stream(reply, LONG, 600)
        await reply.show(ToolStarted("c1", "file_read", "reading `a.py`"))
        await wait_until(lambda: "reading" in scene.status())
        await reply.finish(said(LONG))
    await wait_until(lambda: scene.status() == "")


async def test_a_longer_turn_shows_slacks_stop(scene: Scene):
    """After a second the session is processing, at the end active: words of Slack's set (F052)."""
    async with scene.reply(Pace(session=0.05)) as reply:
        await reply.show(StepStarted(1))
        await wait_until(lambda: len(scene.calls("agents.sessions.setStatus")) == 1)
        await reply.finish(said("Done."))
    await wait_until(lambda: len(scene.calls("agents.sessions.setStatus")) == 2)
    sent = [call["args"]["status"] for call in scene.calls("agents.sessions.setStatus")]
    assert sent == ["processing", "active"]


async def test_the_last_word_does_not_wait(scene: Scene):
    """From the end of the turn to the last call there is no pause of ours."""
    async with scene.reply(Pace(first=0.05, every=5.0)) as reply:
        await scene.stream(reply, LONG[:900] + "\n")
        await scene.flushed(reply)
        began = time.monotonic()
        await reply.finish(said(LONG))
        assert time.monotonic() - began < 0.2
    assert scene.texts() == [LONG]


async def test_a_sentence_of_ours_joins_the_reply(scene: Scene):
    """It stands below what was said so far, in the same message."""
    async with scene.reply() as reply:
        await scene.stream(reply, "So far ", 7)
        await reply.say("The model is not answering.")
    assert scene.texts() == ["So far\n\nThe model is not answering."]


async def test_the_next_attempt_turns_the_notice_into_the_answer(scene: Scene):
    """The retry edits the message of the first attempt; there is no second one."""
    async with scene.reply() as reply:
        await reply.say("The model is not answering. I try again at 14:05.")
    await scene.answer(LONG, size=500)
    assert scene.texts() == [LONG]


NASTY = (
    "<!channel> @here <!subteam^S1|@devs> <@U0STRANGE> &lt;!everyone&gt; @ch\u200bannel "
    "<!here|x> @everyone\n\n- **@channel** [@here](https://x.example)\n\n"
)


@pytest.mark.parametrize("size", [1, 5, 0])
@pytest.mark.parametrize("streams_on", [True, False])
async def test_no_broadcast_leaves_by_any_call(scene: Scene, size: int, *, streams_on: bool):
    """Streams, posts, edits, plain texts and statuses, in any chunking."""
    scene.slack.streams = streams_on
    async with scene.reply() as reply:
        await reply.show(ToolStarted("c1", "file_read", f"reading {NASTY[:40]}"))
        await scene.stream(reply, NASTY, size)
        await reply.say(f"I could not read {NASTY[:30]}")
        await reply.finish(said(NASTY, outcome="limit", note=f"I stop. {NASTY[:11]}"))
    sent = [text for call in scene.calls() for text in _strings(call["args"])]
    assert [text for text in sent if is_live(text) or is_live(html.unescape(text))] == []
    assert "@\u2060channel" in "".join(scene.texts())


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [t for each in cast("dict[str, object]", value).values() for t in _strings(each)]
    if isinstance(value, list):
        return [text for each in cast("list[object]", value) for text in _strings(each)]
    return [value] if isinstance(value, str) else []


async def test_every_message_names_its_thread(scene: Scene):
    """Parts, streams and statuses all go where the question is (F012)."""
    await scene.answer("\n\n".join([PARAGRAPH] * 450), size=4000)
    for call in scene.calls("chat.postMessage", "chat.startStream", "assistant.threads.setStatus"):
        assert call["args"]["thread_ts"] == scene.target.thread_ts
    assert not [c for c in scene.calls() if {"link_names", "parse"} & set(c["args"])]


async def test_replies_side_by_side_do_not_mix(scene: Scene):
    """Threads share one client; each gets its own text."""
    others = [await scene.in_another_thread(n) for n in range(2, 8)]
    async with asyncio.TaskGroup() as group:
        for n, other in enumerate(others):
            group.create_task(other.answer(f"To {n}: {LONG}", size=300))
    assert [other.texts() for other in others] == [[f"To {n}: {LONG}"] for n in range(6)]


async def test_nothing_to_say_posts_nothing(scene: Scene):
    """A turn without words leaves no empty message."""
    await scene.answer("")
    assert scene.messages() == []


async def test_a_deleted_question_gets_no_orphan(scene: Scene):
    """Slack would put the answer into the channel: it is taken back at once (F024)."""
    await scene.playground.people.delete("ann", scene.target.channel, scene.target.thread_ts)
    await scene.answer("Too late.")
    await scene.answer(LONG, size=500)
    place = scene.playground.workspace.channels[scene.target.channel]
    assert [m for m in place.messages.values() if m.app_id] == []


async def test_a_message_that_takes_no_replies_is_answered_in_the_channel(scene: Scene):
    """The answer comes with a word why it stands there (F021)."""
    place = scene.playground.workspace.channels[scene.target.channel]
    place.messages[scene.target.thread_ts].subtype = "channel_join"
    await scene.answer(LONG, size=500)
    ours = [m for m in place.messages.values() if m.app_id]
    assert [m.text[:12] for m in ours] == ["I can't answ"]
    assert ours[0].blocks[0]["text"].endswith(LONG)


async def test_a_part_that_somebody_deleted_does_not_come_back(scene: Scene):
    """What a person removed stays removed; the turn ends without an error."""
    async with scene.reply() as reply:
        await scene.stream(reply, LONG[:600], 300)
        ts = scene.messages()[0].ts
        await scene.playground.people.delete("ann", scene.target.channel, ts)
        await reply.show(TextStreamed(LONG[600:]))
        await reply.finish(said(LONG))
    assert scene.messages() == []


async def test_blocks_that_are_refused_arrive_as_plain_sections(scene: Scene):
    """Nothing is lost because Slack does not like the Markdown; mentions stay inert."""
    scene.fault(Fault("error", "chat.postMessage", error="invalid_blocks"))
    text = LONG + "\n\n<!channel> `<!here>`"
    await scene.answer(text)
    assert [m.blocks[0]["type"] for m in scene.messages()] == ["section"]
    assert scene.texts() == [text.replace("<!channel>", "@\u2060channel")]
    assert scene.messages()[0].blocks[0]["text"]["type"] == "plain_text"


async def test_closing_early_ends_the_stream(scene: Scene):
    """A worker that hands the turn back leaves no message that seems to be typing."""
    async with scene.reply() as reply:
        await scene.stream(reply, LONG[:600], 300)
    assert not scene.messages()[0].is_streaming
    await scene.answer(LONG, size=500)
    assert scene.texts() == [LONG]


async def test_no_more_than_twenty_streams_a_minute(scene: Scene):
    """Past the workspace's budget replies are posted and edited."""
    for _ in range(20):
        scene.slack.pacing.take("chat.startStream")
    await scene.answer(LONG, size=500)
    assert scene.texts() == [LONG]
    assert not scene.calls("chat.startStream")


async def test_our_words_follow_the_person(scene: Scene):
    """A Chinese person's status and note are Chinese."""
    scene.target = replace(scene.target, lang="zh-CN")
    async with scene.reply(QUICK) as reply:
        await reply.show(StepStarted(1))
        await wait_until(lambda: scene.status() == "正在思考…")
        await reply.finish(said("", outcome="no_answer", note="The model gave me no answer."))
    assert scene.texts() == ["模型两次都没有给出回答。请换个说法再问我。"]
