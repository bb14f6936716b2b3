"""A model that is down, slow, cut off or answers nonsense: one clear sentence, nothing lost."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.acceptance.world import a_world
from tests.support import wait_until

pytestmark = pytest.mark.timeout(40)


def failing(status: int) -> str:
    """A model that fails until the SDK has given up once, then answers."""
    return f"""
- when: '.*'
  steps: [{{reply: "You said: {{text}}", fail: {{status: {status}}}, times: 3}}]
"""


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (500, r"The model is not answering \(server error \(500\)\)"),
        (429, r"The model is not answering \(rate limited \(429\)\)"),
    ],
)
async def test_a_failing_model_is_said_once_and_asked_again_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, reason: str
):
    """The sentence names the time of the next try; then the answer comes, in its place."""
    monkeypatch.setattr("bot.endings.BACK_OFF_SECONDS", (1.0,))
    async with a_world(tmp_path, failing(status)) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        (said,) = await world.answered("#api", root)
        assert re.match(reason + r"\. I keep your message and try again at \d\d:\d\d UTC\.", said)
        await wait_until(lambda: world.answers("#api", root) == ["You said: hi"], 15)
        await world.settled()
        assert len(world.thread("#api", root)) == 1


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "it refuses the key (401)"),
        (404, "it knows no model `rehearsed-1` (404)"),
    ],
)
async def test_a_refusal_names_what_an_admin_has_to_change(
    tmp_path: Path, status: int, reason: str
):
    """401 and 404 are not waited away: the sentence says that settings are wrong."""
    async with a_world(tmp_path, failing(status)) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        (said,) = await world.answered("#api", root)
        assert said.startswith(f"I can't use the model ({reason}). An admin can fix it")
        assert "sk-rehearsal" not in said


async def test_nobody_listening_is_a_sentence_too(tmp_path: Path):
    """A dead endpoint: the bot starts, and says what is wrong in the thread."""
    settings = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    async with a_world(tmp_path, **settings) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        (said,) = await world.answered("#api", root)
        assert said.startswith("The model is not answering (cannot connect).")


async def test_a_cut_stream_is_asked_again_and_shows_one_whole_answer(tmp_path: Path):
    """Half an answer is void: the model is asked once more, in the same message."""
    script = """
- when: '.*'
  steps: [{reply: "one two three four five six", cut: true, times: 1, pace: 60}]
"""
    async with a_world(tmp_path, script) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        whole = ["one two three four five six"]
        await wait_until(lambda: world.answers("#api", root) == whole)
        await world.settled()
        assert len(world.thread("#api", root)) == 1
        assert len(world.asked()) == 2


async def test_a_model_that_says_nothing_twice_ends_the_turn_with_a_sentence(tmp_path: Path):
    """Empty answers: one repeat, then plain words."""
    async with a_world(tmp_path, "- when: '.*'\n  steps: [{reply: ''}]") as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        (said,) = await world.answered("#api", root)
        assert said == "The model gave me no answer, twice. Ask me in other words."
        assert len(world.asked()) == 2


async def test_nonsense_calls_are_errors_for_the_model_not_for_people(tmp_path: Path):
    """Unknown tools and broken arguments: the model reads what is wrong and goes on."""
    script = """
- when: '.*'
  steps:
    - calls: [{tool: file_wriet, arguments: {}}, {tool: file_write, arguments: "{not json"}]
    - calls: [{tool: file_write, arguments: {path: "../out.txt", content: x}}]
    - reply: I could not write it.
"""
    async with a_world(tmp_path, script) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        assert await world.answered("#api", root) == ["I could not write it."]
        results = [m["content"] for m in world.asked()[2]["messages"] if m["role"] == "tool"]
        assert "not_found" in results[0]
        assert "file_write" in results[0]
        assert "invalid_args" in results[1]
        assert "permission" in results[2] or "invalid_args" in results[2]
        assert await asyncio.to_thread(lambda: list(tmp_path.rglob("out.txt"))) == []
