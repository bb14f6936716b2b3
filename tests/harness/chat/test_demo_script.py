"""The scenario that ships: each thing it promises in its help works with the real tools."""

from collections.abc import Sequence

import pytest

from harness.agent import Agent
from harness.chat.rehearsal import Rehearsal
from harness.chat.script import Rule, demo_script
from harness.events import ToolStarted
from harness.models import Project
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.support import run, work


def quick() -> Sequence[Rule]:
    """The demo's script without its pauses."""
    return [
        rule.model_copy(
            update={"steps": tuple(s.model_copy(update={"pace": 0.0}) for s in rule.steps)}
        )
        for rule in demo_script()
    ]


async def say(project: Project, text: str) -> tuple[str, list[str]]:
    """Give the answer to a text, and what the tools did for it."""
    agent = Agent(Rehearsal(quick()), Toolset(FILE_TOOLS))
    events, finished = await run(agent, work(project, text), MemoryTurn().take())
    return finished.text, [event.label for event in events if isinstance(event, ToolStarted)]


async def test_a_question_is_answered_with_code_and_a_table(project: Project) -> None:
    """The answer shows what Markdown can be in an answer."""
    text, tools = await say(project, "How do I write a health endpoint?")
    assert tools == []
    assert all(part in text for part in ("```python", "|---|", "**A health endpoint**", "1. "))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("write hello.py", "hello.py"),
        ("please create a file `src/app.py` for me", "src/app.py"),
        ("Can you help me write hello.py?", "hello.py"),
        ("写 hello.py", "hello.py"),
    ],
)
async def test_a_file_is_written(project: Project, text: str, path: str) -> None:
    """The file is in the folder, is Python, and the answer names it."""
    answer, tools = await say(project, text)
    assert tools == [f"writing `{path}`"]
    assert f"I wrote `{path}`" in answer
    compile((project.folder / path).read_text(), path, "exec")


async def test_a_file_that_is_no_program_gets_a_line_of_text(project: Project) -> None:
    """And what only looks like a file name is none."""
    assert (await say(project, "add notes/today.md"))[1] == ["writing `notes/today.md`"]
    assert "from its script" in (project.folder / "notes" / "today.md").read_text()
    assert (await say(project, "make it run on 3.11, e.g. today"))[1] == []


async def test_a_file_is_read_and_the_folder_listed(project: Project) -> None:
    """What was written can be shown."""
    await say(project, "write hello.py")
    assert "Hello from Deskmate" in (await say(project, "show me hello.py"))[0]
    assert "hello.py" in (await say(project, "list the files"))[0]
    assert "does not exist" in (await say(project, "read nothing.txt"))[0]


async def test_files_are_searched_and_edited(project: Project) -> None:
    """The other two tools, as the help names them."""
    await say(project, "write hello.py")
    answer, tools = await say(project, "search print")
    assert tools == ["searching for `print`"]
    assert 'hello.py:5:     print(\\"Hello from Deskmate\\")' in answer
    _, tools = await say(project, "change Hello to Bye in hello.py")
    assert tools == ["editing `hello.py`"]
    assert 'print("Bye from Deskmate")' in (project.folder / "hello.py").read_text()
    assert "does not occur" in (await say(project, "replace `zzz` with `y` in `hello.py`"))[0]


async def test_greetings_and_help(project: Project) -> None:
    """Short, in the first person, and it says what to try."""
    assert (await say(project, "hello"))[0].startswith("Hello. I am Deskmate")
    assert "write hello.py" in (await say(project, "what can you do?"))[0]


async def test_a_long_answer_streams_slowly(project: Project) -> None:
    """Long and slow enough to be watched, and stopped."""
    story = next(rule for rule in demo_script() if rule.when.search("tell me a long story"))
    assert story.steps[0].pace * len(story.steps[0].reply.split()) > 10_000
    assert "lighthouse" in (await say(project, "tell me a long story"))[0]
