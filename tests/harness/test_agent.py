"""A turn from its first event to its last, and on from wherever it broke off."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from harness.agent import Agent
from harness.budget import Limits
from harness.errors import LeaseLost, ModelUnavailable
from harness.events import Event, StepStarted, TextStarted, TextStreamed, ToolFinished, ToolStarted
from harness.journal import close_turn
from harness.models import Delta, JournalEntry, Message, ModelRequest, Project
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.support import agent, rehearse, run, work
from tests.support import wait_until

WRITES = """
- when: write
  steps:
    - reply: "I write it."
      calls: [{tool: file_write, arguments: {path: hello.py, content: "print(1)"}}]
    - reply: "Done."
"""
TALKS = "- {when: .*, steps: [{reply: one two three}]}"


async def record_of(project: Project, script: str, text: str) -> list[JournalEntry]:
    """Run a turn; give what its journal holds at the end."""
    turn = MemoryTurn()
    await run(agent(script), work(project, text), turn.take())
    return turn.entries


def text_of(events: Sequence[Event]) -> str:
    """Build the text of a turn from its events, as a surface does."""
    steps: dict[int, str] = {}
    step = 0
    for event in events:
        if isinstance(event, TextStarted):
            step = event.step
            steps[step] = ""
        elif isinstance(event, TextStreamed):
            steps[step] += event.text
    return "\n\n".join(text for text in steps.values() if text)


async def test_an_answer_streams_and_is_told_in_full(project: Project) -> None:
    """Text arrives in pieces and the last event holds all of it."""
    events, finished = await run(
        agent("- {when: hi, steps: [{reply: Hello there.}]}"),
        work(project, "hi"),
        MemoryTurn().take(),
    )
    assert events[:-1] == [
        StepStarted(1),
        TextStarted(1),
        TextStreamed("Hello "),
        TextStreamed("there."),
    ]
    assert (finished.outcome, finished.text, finished.note) == ("answered", "Hello there.", "")
    assert [message.role for message in finished.messages] == ["user", "assistant"]


async def test_a_tool_call_is_run_and_its_result_read(project: Project) -> None:
    """The file is there, the events say so, and the steps are counted."""
    events, finished = await run(agent(WRITES), work(project, "write"), MemoryTurn().take())
    started, ended = [event for event in events if isinstance(event, ToolStarted | ToolFinished)]
    assert isinstance(started, ToolStarted)
    assert started.label == "writing `hello.py`"
    assert isinstance(ended, ToolFinished)
    assert (started.call_id, ended.result.status) == (ended.call_id, "ok")
    assert (project.folder / "hello.py").read_text() == "print(1)"
    assert finished.text == text_of(events) == "I write it.\n\nDone."
    assert finished.usage.model_calls == finished.steps == 2


async def test_the_journal_tells_the_turn_in_order(project: Project) -> None:
    """A write is claimed before it happens and recorded after."""
    entries = await record_of(project, WRITES, "write")
    kinds = [entry.kind for entry in entries]
    assert kinds == ["opened", "answered", "claimed", "returned", "answered"]


async def test_a_turn_resumes_after_any_entry_of_its_journal(project: Project) -> None:
    """Whatever was recorded is not done again, and text and history come out the same."""
    script = """
    - when: look
      steps:
        - {reply: "I look.", calls: [{tool: file_list}, {tool: file_list, arguments: {depth: 1}}]}
        - {reply: "I look again.", calls: [{tool: file_list}]}
        - {reply: "Nothing there."}
    """
    turn = MemoryTurn()
    _, whole = await run(agent(script), work(project, "look"), turn.take())
    for recorded in range(len(turn.entries) + 1):
        resumed = MemoryTurn(turn.entries[:recorded])
        events, finished = await run(agent(script), work(project, "look"), resumed.take())
        assert finished == whole
        assert text_of(events) == whole.text
        assert resumed.entries == turn.entries


async def test_a_write_of_unknown_outcome_is_never_repeated(project: Project) -> None:
    """Claimed without a result: the model hears it, the tool is not called."""
    entries = await record_of(project, WRITES, "write")
    (project.folder / "hello.py").unlink()
    events, finished = await run(
        agent(WRITES), work(project, "write"), MemoryTurn(entries[:3]).take()
    )
    results = [event.result.error_type for event in events if isinstance(event, ToolFinished)]
    assert results == ["unknown_outcome"]
    assert not (project.folder / "hello.py").exists()
    assert finished.text == "I write it.\n\nDone."


async def test_a_call_id_used_again_in_a_later_step_is_another_call(project: Project) -> None:
    """Some endpoints number the calls of each step alike; no claim may leak from step to step."""
    script = """
    - when: write
      steps:
        - calls: [{id: a, tool: file_write, arguments: {path: one, content: "1"}}]
        - calls: [{id: a, tool: file_write, arguments: {path: two, content: "2"}}]
        - reply: Done.
    """
    await run(agent(script), work(project, "write"), MemoryTurn().take())
    assert sorted(path.name for path in project.folder.iterdir()) == ["one", "two"]


async def test_a_lost_lease_stops_the_turn_before_the_effect(project: Project) -> None:
    """The claim is refused, so the file is not written."""

    turn = MemoryTurn()
    async with aclosing(agent(WRITES).run(work(project, "write"), turn.take())) as events:
        while not isinstance(await anext(events), ToolStarted):
            pass
        turn.take()  # another worker is now at it
        with pytest.raises(LeaseLost):
            await anext(events)
    assert [entry.kind for entry in turn.entries] == ["opened", "answered"]
    assert not (project.folder / "hello.py").exists()


async def test_a_model_that_is_down_leaves_the_record_as_it_was(project: Project) -> None:
    """The error passes through, and a later attempt goes on from there."""
    script = """
    - when: hi
      steps: [{reply: Hello., fail: {status: 503, retry_after: 7}, times: 1}]
    """
    once_down, turn = agent(script), MemoryTurn()
    with pytest.raises(ModelUnavailable, match=r"^server error \(503\)$") as caught:
        await run(once_down, work(project, "hi"), turn.take())
    assert caught.value.retry_after == 7
    assert [entry.kind for entry in turn.entries] == ["opened"]
    _, finished = await run(once_down, work(project, "hi"), turn.take())
    assert finished.text == "Hello."


async def test_cancelling_ends_a_turn_that_waits_for_the_model(project: Project) -> None:
    """Stop works at once and CancelledError passes through."""
    turn = MemoryTurn()
    waiting = agent("- {when: hi, steps: [{reply: Hello., hang: 60}]}")
    task = asyncio.create_task(run(waiting, work(project, "hi"), turn.take()))
    await wait_until(lambda: bool(turn.entries))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 1)


async def test_closing_the_events_closes_the_models_stream(project: Project) -> None:
    """A surface that stops listening leaves nothing running behind."""
    closed: list[str] = []

    class Watched:
        async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            try:
                async for delta in rehearse(TALKS).complete(request):
                    yield delta
            finally:
                closed.append("model")

    async with aclosing(
        Agent(Watched(), Toolset(())).run(work(project, "hi"), MemoryTurn().take())
    ) as events:
        async for event in events:
            if isinstance(event, TextStreamed):
                break
    assert closed == ["model"]


async def test_a_stopped_turn_is_closed_from_its_journal(project: Project) -> None:
    """History keeps the request, what was said, and a result for every call."""
    entries = await record_of(project, WRITES, "write")
    opening = Message(role="user", content="write")
    finished = await close_turn(
        MemoryTurn(entries[:3]).take(), opening, "Stopped by @ann.", "I am ab"
    )
    assert finished.outcome == "stopped"
    assert finished.text == "I write it.\n\nI am ab"
    assert [message.role for message in finished.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert '"error_type":"unknown_outcome"' in finished.messages[2].content
    assert finished.messages[3].content == "I am ab\n\nStopped by @ann."


async def test_an_answer_recorded_just_before_the_stop_is_kept_once(project: Project) -> None:
    """The surface cannot know whether the answer it showed was recorded."""
    entries = await record_of(project, WRITES, "write")
    opening = Message(role="user", content="write")
    during_tool = await close_turn(MemoryTurn(entries[:3]).take(), opening, "Stop.", "I write it.")
    at_the_end = await close_turn(MemoryTurn(entries).take(), opening, "Stop.", "Done.")
    assert during_tool.text == "I write it."
    assert at_the_end.text == "I write it.\n\nDone."
    assert at_the_end.messages[-1].content == "Done."
    assert at_the_end.messages[-2].role == "tool"


async def test_a_turn_stopped_before_it_began_keeps_the_request(project: Project) -> None:
    """Nothing was recorded; the opening message is what history gets."""
    del project
    opening = Message(role="user", content="hi")
    finished = await close_turn(MemoryTurn().take(), opening, "Stopped.")
    assert finished.messages == (opening, Message(role="assistant", content="Stopped."))
    assert finished.text == ""


async def test_the_step_limit_ends_a_turn_cleanly(project: Project) -> None:
    """The note says which limit, history is whole, and the model was warned in the tail."""
    endless = rehearse("- {when: loop, steps: [{calls: [{tool: file_list}]}]}")
    looping = Agent(endless, Toolset(FILE_TOOLS), Limits(steps=3))
    _, finished = await run(looping, work(project, "loop"), MemoryTurn().take())
    assert (finished.outcome, finished.steps) == ("limit", 3)
    assert finished.note == (
        "I stopped after 3 steps, the limit for one turn. Say `go on` and I continue."
    )
    assert finished.messages[-1] == Message(role="assistant", content=finished.note)
    assert finished.messages[-2].role == "tool"


async def test_the_token_limit_counts_what_was_not_cached(project: Project) -> None:
    """Cached input is free of the limit."""
    script = """
    - when: loop
      steps:
        - calls: [{tool: file_list}]
          input_tokens: 1000
          cached_tokens: 900
          output_tokens: 50
    """
    looping = Agent(rehearse(script), Toolset(FILE_TOOLS), Limits(tokens=300))
    _, finished = await run(looping, work(project, "loop"), MemoryTurn().take())
    assert (finished.outcome, finished.steps) == ("limit", 2)
    assert "300 tokens" in finished.note


async def test_the_time_limit_keeps_what_was_said(project: Project) -> None:
    """An answer that takes too long is closed with its text so far."""
    dripping = Agent(
        rehearse("- {when: hi, steps: [{reply: one two three, pace: 60000}]}"),
        Toolset(()),
        Limits(seconds=0.05),
    )
    _, finished = await run(dripping, work(project, "hi"), MemoryTurn().take())
    assert (finished.outcome, finished.text) == ("limit", "one ")
    assert finished.messages[-1].content == f"one\n\n{finished.note}"


async def test_an_answer_at_the_models_length_limit_says_so(project: Project) -> None:
    """A cut answer is never passed off as whole, also after a resume."""
    script = "- {when: hi, steps: [{reply: Once upon a, finish: length}]}"
    journal = MemoryTurn().take()
    _, finished = await run(agent(script), work(project, "hi"), journal)
    _, again = await run(agent(script), work(project, "hi"), journal)
    assert finished == again
    assert (finished.outcome, finished.text) == ("limit", "Once upon a")
    assert "length limit" in finished.note
    assert [message.content for message in finished.messages[1:]] == ["Once upon a"]
