"""What a step does with answers that are cut off, empty or nonsense."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from harness.agent import Agent
from harness.errors import ModelUnavailable
from harness.events import TextStarted, TextStreamed, ToolFinished
from harness.models import Delta, Message, ModelRequest, Project, ToolCallDelta, Usage
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.support import agent, run, work


class Fragments:
    """A model that answers each call with the next list of fragments."""

    def __init__(self, *answers: Sequence[Delta]) -> None:
        self.answers = list(answers)
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        self.requests.append(request)
        for delta in self.answers.pop(0):
            yield delta


WHOLE = (Delta(text="Hello."), Delta(finish="stop"))
CUT = (Delta(text="Hel"),)
EMPTY = (Delta(text=" \n"), Delta(finish="stop"))
HALF_CALL = (
    Delta(text="I write."),
    Delta(tool_call=ToolCallDelta(0, "a", "file_write", '{"path": "x", "cont')),
)
CALL = (Delta(tool_call=ToolCallDelta(0, "a", "file_list", "{}")), Delta(finish="tool_calls"))


async def test_a_cut_answer_is_asked_for_once_more(project: Project) -> None:
    """The text shown so far is void and the second answer stands alone."""
    model = Fragments(CUT, WHOLE)
    events, finished = await run(
        Agent(model, Toolset(())), work(project, "hi"), MemoryTurn().take()
    )
    shown = [event for event in events if isinstance(event, TextStarted | TextStreamed)]
    assert shown[:2] == [TextStarted(1), TextStreamed("Hel")]
    assert shown[-2:] == [TextStarted(1), TextStreamed("Hello.")]
    assert (finished.text, finished.usage.model_calls) == ("Hello.", 2)
    assert model.requests[0] == model.requests[1]


async def test_void_text_is_taken_back_even_if_the_repeat_says_nothing(project: Project) -> None:
    """The repeated answer is a call without words; what was shown before must go."""
    events, finished = await run(
        Agent(Fragments(CUT, CALL, WHOLE), Toolset(FILE_TOOLS)),
        work(project, "hi"),
        MemoryTurn().take(),
    )
    first_step = events[: next(i for i, e in enumerate(events) if isinstance(e, ToolFinished))]
    assert [e for e in first_step if isinstance(e, TextStarted)] == [TextStarted(1)] * 2
    assert finished.text == "Hello."


async def test_an_answer_cut_twice_gives_up(project: Project) -> None:
    """The worker gets one clear reason and the journal holds no half answer."""
    turn = MemoryTurn()
    with pytest.raises(ModelUnavailable, match=r"^its answer was cut off$"):
        await run(Agent(Fragments(CUT, CUT), Toolset(())), work(project, "hi"), turn.take())
    assert [entry.kind for entry in turn.entries] == ["opened"]


async def test_half_a_call_is_never_run(project: Project) -> None:
    """A stream that breaks off inside the arguments has no effect."""
    with pytest.raises(ModelUnavailable, match=r"^its answer was cut off$"):
        await run(
            Agent(Fragments(HALF_CALL, HALF_CALL), Toolset(FILE_TOOLS)),
            work(project, "hi"),
            MemoryTurn().take(),
        )
    assert not project.folder.exists()


async def test_nothing_at_all_twice_says_so(project: Project) -> None:
    """An endpoint that is no model gets its own words."""
    with pytest.raises(ModelUnavailable, match=r"^it sent nothing usable$"):
        await run(Agent(Fragments((), ()), Toolset(())), work(project, "hi"), MemoryTurn().take())


async def test_an_empty_answer_is_asked_for_once_more(project: Project) -> None:
    """One empty answer costs a call, not the turn."""
    _, finished = await run(
        Agent(Fragments(EMPTY, WHOLE), Toolset(())), work(project, "hi"), MemoryTurn().take()
    )
    assert (finished.outcome, finished.text) == ("answered", "Hello.")


async def test_two_empty_answers_end_the_turn_with_a_sentence(project: Project) -> None:
    """The person hears it, and history does not end with a question."""
    _, finished = await run(
        Agent(Fragments(EMPTY, EMPTY), Toolset(())), work(project, "hi"), MemoryTurn().take()
    )
    assert finished.outcome == "no_answer"
    assert finished.note == "The model gave me no answer, twice. Ask me in other words."
    assert finished.messages[-1].content == finished.note


async def test_calls_without_a_finish_are_run(project: Project) -> None:
    """Some endpoints forget the finish of a tool call; complete calls are what counts."""
    events, _ = await run(
        Agent(Fragments(CALL[:1], WHOLE), Toolset(FILE_TOOLS)),
        work(project, "hi"),
        MemoryTurn().take(),
    )
    assert any(isinstance(event, ToolFinished) for event in events)


async def test_calls_that_are_announced_and_missing_are_asked_for_once_more(
    project: Project,
) -> None:
    """They may have been lost on the way; if they never come, the words are the answer."""
    announced = (Delta(text="I look."), Delta(finish="tool_calls"))
    _, found = await run(
        Agent(Fragments(announced, CALL, WHOLE), Toolset(FILE_TOOLS)),
        work(project, "hi"),
        MemoryTurn().take(),
    )
    _, never = await run(
        Agent(Fragments(announced, announced), Toolset(FILE_TOOLS)),
        work(project, "hi"),
        MemoryTurn().take(),
    )
    assert (found.text, found.steps) == ("Hello.", 2)
    assert (never.outcome, never.text) == ("answered", "I look.")


async def test_blank_space_before_the_first_word_is_not_shown(project: Project) -> None:
    """Many models begin with empty lines; a message must not."""
    blanks = (Delta(text="\n\n"), Delta(text="\n Hi"), Delta(text=" you"), Delta(finish="stop"))
    events, finished = await run(
        Agent(Fragments(blanks), Toolset(())), work(project, "hi"), MemoryTurn().take()
    )
    shown = [event for event in events if isinstance(event, TextStarted | TextStreamed)]
    assert shown == [TextStarted(1), TextStreamed("Hi"), TextStreamed(" you")]
    assert finished.text == "Hi you"


async def test_earlier_turns_are_sent_before_this_one(project: Project) -> None:
    """History stands in front, as it was said."""
    history = (Message(role="user", content="a"), Message(role="assistant", content="b"))
    model = Fragments(WHOLE)
    await run(Agent(model, Toolset(())), work(project, "hi", history), MemoryTurn().take())
    assert model.requests[0].messages[:2] == history
    assert model.requests[0].messages[2].content.endswith("\n\nann says:\nhi")


async def test_a_call_without_an_id_gets_one_of_its_own(project: Project) -> None:
    """The id names the place in the session, so it is the same on resume and never twice."""
    nameless = Delta(tool_call=ToolCallDelta(0, "", "file_list", ""))
    end = Delta(finish="tool_calls")
    model = Fragments((nameless, end), (nameless, end), WHOLE)
    _, finished = await run(
        Agent(model, Toolset(FILE_TOOLS)), work(project, "hi"), MemoryTurn().take()
    )
    calls = [call for message in finished.messages for call in message.tool_calls]
    assert [(call.id, call.arguments) for call in calls] == [("call_1_0", "{}"), ("call_3_0", "{}")]


@pytest.mark.parametrize(
    ("tool", "arguments", "error_type"),
    [
        ("file_read", '"{not json"', "invalid_args"),
        ("file_read", "'[1]'", "invalid_args"),
        ("file_read", "{}", "invalid_args"),
        ("file_reed", "{path: x}", "not_found"),
        ("file_read", "{path: /etc/passwd}", "permission"),
    ],
)
async def test_a_call_that_makes_no_sense_is_an_error_the_model_reads(
    project: Project, tool: str, arguments: str, error_type: str
) -> None:
    """The turn goes on; the model sees what was wrong."""
    script = f"""
    - when: go
      steps: [{{calls: [{{tool: {tool}, arguments: {arguments}}}]}}, {{reply: "{{result}}"}}]
    """
    events, finished = await run(agent(script), work(project, "go"), MemoryTurn().take())
    results = [event.result for event in events if isinstance(event, ToolFinished)]
    assert [result.error_type for result in results] == [error_type]
    assert finished.text == results[0].message


async def test_the_tail_warns_when_little_is_left_and_is_not_stored(project: Project) -> None:
    """Only requests near the limit carry a tail; messages of a request extend the one before."""
    spent = Usage(input_tokens=170_000, model_calls=1)
    model = Fragments((*CALL, Delta(usage=spent)), WHOLE)
    _, finished = await run(
        Agent(model, Toolset(FILE_TOOLS)), work(project, "hi"), MemoryTurn().take()
    )
    first, second = model.requests
    assert (first.tail, second.tail[:25]) == ("", "[state] Step 2 of 40, 85%")
    assert second.messages[: len(first.messages)] == first.messages
    assert not any("[state]" in message.content for message in finished.messages)
