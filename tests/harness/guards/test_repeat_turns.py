"""The repeat rule at work in turns: what runs, what the model reads, what a person hears."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from harness.agent import Agent
from harness.errors import ToolError
from harness.events import ToolFinished, TurnFinished
from harness.models import (
    Delta,
    Effect,
    JournalEntry,
    ModelRequest,
    Project,
    ToolCall,
    ToolCallDelta,
)
from harness.tools import Scope, Tool, Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.support import agent, run, work
from tests.harness.test_prefix import NOWHERE

LOOPS = """
- when: missing
  steps: [{calls: [{tool: file_read, arguments: {path: none.txt}}]}]
- when: broken
  steps: [{calls: [{tool: file_read, arguments: "{"}]}]
- when: same
  steps: [{calls: [{tool: file_list}]}]
- when: many
  steps: [{calls: [{tool: zzz}, {tool: zzz}, {tool: zzz}, {tool: zzz}]}]
"""


@pytest.mark.parametrize(
    ("text", "results", "steps"),
    [
        ("missing", ["not_found", "repeat_blocked", "repeat_blocked"], 3),
        ("broken", ["invalid_args", "invalid_args", "repeat_blocked", "repeat_blocked"], 4),
        ("same", [None, None, None, "repeat_blocked", "repeat_blocked"], 5),
        ("many", ["not_found", *["repeat_blocked"] * 4], 2),
    ],
)
async def test_a_loop_ends_after_a_few_calls(
    project: Project, text: str, results: list[str | None], steps: int
) -> None:
    """Every loop that a weak model falls into costs five steps at most."""
    events, finished = await run(agent(LOOPS), work(project, text), MemoryTurn().take())
    given = [event.result.error_type for event in events if isinstance(event, ToolFinished)]
    assert given == results
    assert (finished.outcome, finished.steps) == ("needs_human", steps)


async def test_a_person_hears_what_was_tried(project: Project) -> None:
    """One sentence what is wrong, one what comes next; history ends with it."""
    _, finished = await run(agent(LOOPS), work(project, "missing"), MemoryTurn().take())
    assert finished.note == (
        "I am stuck: the same calls get me no further. "
        "Tried: reading `none.txt`: `none.txt` does not exist (3 times). "
        "Tell me what to do differently, and I go on."
    )
    assert finished.messages[-1].content == finished.note


async def test_a_stuck_turn_stays_stuck_after_a_crash(project: Project) -> None:
    """The state is in the record: whoever takes the turn over stops too, and calls no model."""
    turn = MemoryTurn()
    _, finished = await run(agent(LOOPS), work(project, "missing"), turn.take())
    again_events, again = await run(agent("[]"), work(project, "missing"), turn.take())
    assert again == finished
    assert not any(isinstance(event, ToolFinished) for event in again_events)


async def test_a_new_turn_starts_afresh(project: Project) -> None:
    """Refusals do not carry into the next turn."""
    _, first = await run(agent(LOOPS), work(project, "missing"), MemoryTurn().take())
    events, _ = await run(
        agent(LOOPS), work(project, "missing", first.messages), MemoryTurn().take()
    )
    results = [event.result.error_type for event in events if isinstance(event, ToolFinished)]
    assert results[0] == "not_found"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"path": "a", "start": 1}', ' {"lines":400,"path":"a"}'),
        ("{", " { "),
    ],
)
def test_the_same_call_has_one_name_however_it_is_written(one: str, other: str) -> None:
    """Order, blanks and defaults make no difference; what is no JSON is compared as it is."""
    tools = Toolset(FILE_TOOLS)
    names = {
        tools.fingerprint(ToolCall(id=raw, name="file_read", arguments=raw)) for raw in (one, other)
    }
    assert len(names) == 1
    assert tools.fingerprint(ToolCall(id="a", name="file_list", arguments=one)) not in names


def test_an_argument_that_is_volatile_makes_no_other_call() -> None:
    """Asking for more lines of a search that failed is the same search."""
    tools = Toolset(FILE_TOOLS)
    raws = (
        '{"pattern": "("}',
        '{"pattern": "(", "limit": 9}',
        '{"pattern": "("',
        '{"pattern":"x"}',
    )
    names = [tools.fingerprint(ToolCall(id=raw, name="file_search", arguments=raw)) for raw in raws]
    assert names[0] == names[1]
    assert len(set(names)) == 3


class Probe(BaseModel):
    """What a probe shall do: fail, or answer with this."""

    key: int
    outcome: int


async def probe(arguments: Probe, _: Scope) -> object:
    if arguments.outcome == 0:
        raise ToolError("timeout", f"{arguments.key} is slow.", retryable=True)
    if arguments.outcome == 1:
        raise ToolError("not_found", f"{arguments.key} is gone.")
    return arguments.key if arguments.outcome == 2 else "same"


EFFECTS: dict[str, Effect] = {"look": "read", "change": "write"}
PROBES = Toolset(
    Tool(
        name=name,
        description="Probes.",
        args=Probe,
        effect=effect,
        run=probe,
        label=lambda arguments: f"probing {arguments.key}",
    )
    for name, effect in EFFECTS.items()
)
CALLS = st.tuples(st.sampled_from(["look", "change"]), st.integers(0, 1), st.integers(0, 3))
STEPS = st.lists(st.lists(CALLS, min_size=1, max_size=2), max_size=12)


class Scripted:
    """Asks for the calls of each step, by how many answers there are; then it is done."""

    def __init__(self, steps: list[list[tuple[str, int, int]]]) -> None:
        self._steps = steps

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        number = sum(message.role == "assistant" for message in request.messages)
        if number < len(self._steps):
            for index, (tool, key, outcome) in enumerate(self._steps[number]):
                raw = json.dumps({"key": key, "outcome": outcome})
                yield Delta(tool_call=ToolCallDelta(index, f"{number}-{index}", tool, raw))
        else:
            yield Delta(text="Done.")
        yield Delta(finish="stop")


async def finished(
    steps: list[list[tuple[str, int, int]]], entries: list[JournalEntry]
) -> tuple[TurnFinished, list[JournalEntry]]:
    turn = MemoryTurn(entries)
    _, last = await run(Agent(Scripted(steps), PROBES), work(NOWHERE, "go"), turn.take())
    return last, turn.entries


@settings(max_examples=40, deadline=None)
@given(STEPS, st.data())
def test_the_rule_is_the_same_before_and_after_a_restart(
    steps: list[list[tuple[str, int, int]]], data: st.DataObject
) -> None:
    """Wherever a turn breaks off between two calls, it ends as it would have ended."""
    whole, entries = asyncio.run(finished(steps, []))
    # A claim without a result is another story: its outcome is unknown.
    borders = [n for n, entry in enumerate(entries, 1) if entry.kind != "claimed"]
    cut = data.draw(st.sampled_from(borders))
    assert asyncio.run(finished(steps, entries[:cut])) == (whole, entries)
