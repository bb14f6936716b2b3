"""Long answers in several messages: where they end, and that together they are the text."""

from bot.markdown import LIMIT
from bot.playground import Fault
from bot.reply import Pace
from harness.events import TextStarted, TextStreamed, ToolFinished, ToolStarted
from harness.models import ToolResult
from tests.bot.scene import Scene, said
from tests.support import wait_until

PARAGRAPH = "Some words that make a paragraph of a longer answer."
LONG = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(30))


async def test_a_very_long_answer_is_split(scene: Scene):
    """Each message keeps Slack's limit and has its number, the last line is there (F038, F039)."""
    text = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(500))
    await scene.answer(text)
    texts = scene.texts()
    assert "".join(texts) == text
    assert len(texts) == 3
    assert all(len(part) <= LIMIT for part in texts)
    assert scene.part_numbers() == [1, 2, 3]
    assert all(len(call["args"]["text"]) <= 3000 for call in scene.calls("chat.postMessage"))


async def test_a_stream_that_grows_too_long_goes_on_in_the_next(scene: Scene):
    """The next message begins while the text is still written, at a border of it."""
    text = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(400))
    await scene.answer(text, size=2000)
    texts = scene.texts()
    assert "".join(part.rstrip() + "\n\n" for part in texts).rstrip() == text
    assert len(texts) == 3
    assert len(scene.calls("chat.startStream")) == 3
    assert all(len(part) <= LIMIT for part in texts)


async def test_a_stream_is_rotated_before_slack_ends_it(scene: Scene):
    """After its time a stream ends at a border, with its fence closed and opened again (F047)."""
    pace = Pace(first=0.01, every=0.02, rotate=0.3, grace=0.1)
    async with scene.reply(pace) as reply:
        await scene.stream(reply, "Look:\n\n```python\nfirst = 1\n")
        await wait_until(lambda: len(scene.calls("chat.stopStream")) == 1)
        await reply.show(TextStreamed("second = 2\n```\n\nDone.\n"))
        await scene.flushed(reply)
        await reply.finish(said("Look:\n\n```python\nfirst = 1\nsecond = 2\n```\n\nDone."))
    assert scene.texts() == [
        "Look:\n\n```python\nfirst = 1\n```",
        "```python\nsecond = 2\n```\n\nDone.",
    ]


async def test_a_shorter_second_text_takes_messages_back(scene: Scene):
    """Parts that have no text any more are removed."""
    async with scene.reply() as reply:
        await scene.stream(reply, "\n\n".join([PARAGRAPH] * 300) + "\n")
        await scene.flushed(reply)
        assert len(scene.messages()) == 2
        await reply.show(TextStarted(1))
        await reply.finish(said("Short."))
    assert scene.texts() == ["Short."]


async def test_a_part_that_must_stay_says_where_its_text_went(scene: Scene):
    """Where Slack forbids deleting, no stale text is left."""
    scene.fault(Fault("error", "chat.delete", error="cant_delete_message"))
    async with scene.reply() as reply:
        await scene.stream(reply, "\n\n".join([PARAGRAPH] * 300) + "\n")
        await scene.flushed(reply)
        await reply.show(TextStarted(1))
        await reply.finish(said("Short."))
    assert scene.texts() == ["Short.", "This part now stands in the message above."]


async def test_steps_are_paragraphs_and_fences_do_not_leak(scene: Scene):
    """Each step's text stands by itself, even if it left a fence open."""
    async with scene.reply() as reply:
        await scene.stream(reply, "One:\n```\ncode")
        await reply.show(ToolStarted("c1", "file_read", "reading `a.py`"))
        await reply.show(ToolFinished("c1", "file_read", ToolResult(status="ok")))
        await scene.stream(reply, "Two.", step=2)
        await reply.finish(said("One:\n```\ncode\n\nTwo."))
    assert scene.texts() == ["One:\n```\ncode\n```\n\nTwo."]


async def test_an_answer_with_a_table_ends_as_a_block(scene: Scene):
    """Streams may show raw pipes; the finished message is given the block that does not (F030)."""
    text = f"{PARAGRAPH}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{PARAGRAPH}"
    await scene.answer(text, size=40)
    assert scene.texts() == [text]
    assert scene.methods().count("chat.update") == 1


async def test_two_tables_are_two_messages(scene: Scene):
    """One native table per message, also while it streams (F031)."""
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    text = f"First {PARAGRAPH}\n\n{table}\nSecond:\n\n{table}\nEnd."
    await scene.answer(text, size=9)
    texts = scene.texts()
    assert [part.count("|---|") for part in texts] == [1, 1]
    assert texts[1].startswith("| a | b |")


async def test_what_can_no_longer_be_edited_goes_on_below(scene: Scene):
    """Where edits are closed, the rest comes in the next message, nothing twice."""
    scene.fault(Fault("error", "chat.startStream", error="unknown_method", count=0))
    scene.fault(Fault("error", "chat.update", error="edit_window_closed", count=0))
    await scene.answer(LONG, size=400)
    assert "".join("".join(scene.texts()).split()) == "".join(LONG.split())
    assert len(scene.messages()) > 1
