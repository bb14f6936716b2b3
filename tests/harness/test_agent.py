"""A turn from its first event to its last, and on from wherever it broke off."""

from harness.events import (
    StepStarted,
    TextStarted,
    TextStreamed,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from harness.models import (
    Project,
)
from tests.harness.support import ListJournal, agent, run, work

WRITES = """
- when: write
  steps:
    - reply: "I write it."
      calls: [{tool: file_write, arguments: {path: hello.py, content: "print(1)"}}]
    - reply: "Done: {result}"
"""


async def test_an_answer_streams_and_is_told_in_full(project: Project) -> None:
    """Text arrives in pieces and the last event holds all of it."""
    events, finished = await run(
        agent("- {when: hi, steps: [{reply: Hello there.}]}"), work(project, "hi"), ListJournal()
    )
    assert events[:-1] == [
        StepStarted(1),
        TextStarted(1),
        TextStreamed("Hello "),
        TextStreamed("there."),
    ]
    assert finished == TurnFinished(
        outcome="answered",
        text="Hello there.",
        messages=finished.messages,
        usage=finished.usage,
        steps=1,
    )
    assert [message.role for message in finished.messages] == ["user", "assistant"]


async def test_a_tool_call_is_run_and_its_result_read(project: Project) -> None:
    """The file is there, the events say so, and the next step saw the result."""
    events, finished = await run(agent(WRITES), work(project, "write"), ListJournal())
    tools = [event for event in events if isinstance(event, ToolStarted | ToolFinished)]
    assert isinstance(tools[0], ToolStarted)
    assert tools[0].label == "writing `hello.py`"
    assert isinstance(tools[1], ToolFinished)
    assert tools[1].result.status == "ok"
    assert (project.folder / "hello.py").read_text() == "print(1)"
    assert finished.text.startswith("I write it.\n\nDone: ")
    assert '"created": true' in finished.text
    assert finished.usage.model_calls == finished.steps == 2
