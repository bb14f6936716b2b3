"""Whatever a model does, each request extends the one before: its front can be cached."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.agent import Agent
from harness.events import Event, TextStarted, TextStreamed, TurnFinished
from harness.models import (
    Delta,
    Message,
    ModelRequest,
    Project,
    ProjectId,
    ToolCallDelta,
)
from harness.tools import Toolset
from tests.fakes import MemoryTurn
from tests.harness.chat.test_repair import faults
from tests.harness.support import KEY, work

TEXTS = st.text(st.sampled_from("ab \n"), max_size=6)
CALLS = st.lists(
    st.builds(
        ToolCallDelta,
        index=st.integers(0, 2),
        id=st.sampled_from(["", "a", "b"]),
        name=st.just("none"),
        arguments=st.sampled_from(["", "{}", '{"x": 1}', '{"x"', "[]"]),
    ),
    max_size=3,
)
FINISHES = st.sampled_from(["", "stop", "tool_calls", "length"])
ANSWERS = st.tuples(TEXTS, CALLS, FINISHES)
LAST = ("Done.", list[ToolCallDelta](), "stop")
NOWHERE = Project(
    team=KEY.team,
    id=ProjectId("C1"),
    kind="public",
    name="api",
    folder=Path("nowhere"),
    model="m",
)


class Erratic:
    """Gives the answers it was made with, then a last word; keeps what it was asked."""

    def __init__(self, answers: list[tuple[str, list[ToolCallDelta], str]]) -> None:
        # A good word after each: whatever is cut or empty is repeated with success.
        self._answers = [answer for wild in answers for answer in (wild, LAST)]
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        self.requests.append(request)
        text, calls, finish = self._answers.pop(0) if self._answers else LAST
        yield Delta(text=text)
        for call in calls:
            yield Delta(tool_call=call)
        if finish:
            yield Delta(finish=finish)


async def two_turns(model: Erratic) -> list[Event]:
    agent = Agent(model, Toolset(()))
    first = [event async for event in agent.run(work(NOWHERE, "one"), MemoryTurn().take())]
    history = _last(first).messages
    second = work(NOWHERE, "two", history)
    return first + [event async for event in agent.run(second, MemoryTurn().take())]


def _last(events: list[Event]) -> TurnFinished:
    assert isinstance(events[-1], TurnFinished)
    return events[-1]


@settings(max_examples=60, deadline=None)
@given(st.lists(ANSWERS, max_size=5))
def test_each_request_extends_the_one_before(
    answers: list[tuple[str, list[ToolCallDelta], str]],
) -> None:
    """Within a turn and from turn to turn; system and tools are equal; a strict endpoint agrees."""
    model = Erratic(answers)
    asyncio.run(two_turns(model))
    before: tuple[Message, ...] = ()
    for request in model.requests:
        assert request.messages[: len(before)] == before
        assert (request.system, request.tools) == (model.requests[0].system, ())
        assert faults(request.messages) == []
        before = request.messages


@settings(max_examples=60, deadline=None)
@given(st.lists(ANSWERS, max_size=5))
def test_what_was_streamed_is_what_was_said(
    answers: list[tuple[str, list[ToolCallDelta], str]],
) -> None:
    """A surface that follows the events ends with the very text of the last one."""
    shown: list[str] = []
    for event in asyncio.run(two_turns(Erratic(answers))):
        if isinstance(event, TextStarted):
            shown = [*shown[: event.step - 1], *[""] * (event.step - len(shown) - 1), ""]
        elif isinstance(event, TextStreamed):
            shown[-1] += event.text
        elif isinstance(event, TurnFinished):
            assert "\n\n".join(text for text in shown if text) == event.text
            shown = []
