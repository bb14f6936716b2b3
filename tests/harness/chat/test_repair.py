"""Whatever is missing from a history, what goes over the wire is whole."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from harness.chat.repair import repaired
from harness.models import Message, ToolCall
from harness.plain import is_object
from harness.tools.results import INTERRUPTED, content_of

IDS = st.sampled_from(["a", "b", "c"])
CALLS = st.builds(
    ToolCall, id=IDS, name=st.just("look"), arguments=st.sampled_from(["{}", '{"x":1}', "{", "[]"])
)
MESSAGES = st.one_of(
    st.builds(Message, role=st.just("user"), content=st.just("hi")),
    st.builds(
        Message,
        role=st.just("assistant"),
        content=st.sampled_from(["", " \n", "Hello."]),
        tool_calls=st.lists(CALLS, max_size=3).map(tuple),
    ),
    st.builds(Message, role=st.just("tool"), content=st.just("r"), tool_call_id=IDS),
)
HISTORIES = st.lists(MESSAGES, max_size=12)


def faults(messages: Sequence[Message]) -> list[str]:
    """What a strict endpoint would refuse."""
    found: list[str] = []
    expected: list[str] = []
    for message in messages:
        if message.role == "tool":
            if not expected or expected.pop(0) != message.tool_call_id:
                found.append("a result without its call, or out of order")
            continue
        if expected:
            found.append("a call without a result")
        expected = [call.id for call in message.tool_calls]
        if len(set(expected)) != len(expected):
            found.append("two calls with one id")
        if not message.content.strip() and not expected:
            found.append("an empty message")
        found += [
            "arguments that are no object"
            for call in message.tool_calls
            if not is_object(call.arguments)
        ]
    return [*found, *(["a call without a result"] if expected else [])]


@given(HISTORIES)
def test_a_repaired_history_is_always_accepted(history: list[Message]) -> None:
    """By a strict validator, whatever was in it."""
    assert faults(repaired(history)) == []


@given(HISTORIES)
def test_repair_is_idempotent(history: list[Message]) -> None:
    """A repaired history stays as it is."""
    assert repaired(repaired(history)) == repaired(history)


@given(HISTORIES)
def test_what_people_said_is_never_dropped(history: list[Message]) -> None:
    """Only orphans and empty answers go."""
    said = [message for message in history if message.role == "user"]
    assert [message for message in repaired(history) if message.role == "user"] == said


def test_a_whole_history_is_left_alone() -> None:
    """Repair is for what is broken."""
    whole = (
        Message(role="user", content="hi"),
        Message(
            role="assistant",
            tool_calls=(
                ToolCall(id="a", name="t", arguments="{}"),
                ToolCall(id="b", name="t", arguments="{}"),
            ),
        ),
        Message(role="tool", tool_call_id="a", content="1"),
        Message(role="tool", tool_call_id="b", content="2"),
        Message(role="assistant", content="Done."),
    )
    assert repaired(whole) == whole


def test_a_result_that_comes_twice_counts_once() -> None:
    """The first is what the model went on with."""
    call = Message(role="assistant", tool_calls=(ToolCall(id="a", name="t", arguments="{}"),))
    one, two = (Message(role="tool", tool_call_id="a", content=text) for text in ("1", "2"))
    assert repaired((call, one, two)) == (call, one)


def test_a_missing_result_is_told_as_an_interruption() -> None:
    """The model reads what happened; results come in call order."""
    calls = tuple(ToolCall(id=i, name="t", arguments="{}") for i in ("a", "b"))
    result = Message(role="tool", tool_call_id="b", content="2")
    mended = repaired((Message(role="assistant", tool_calls=calls), result))
    assert mended[1:] == (
        Message(role="tool", tool_call_id="a", content=content_of(INTERRUPTED)),
        result,
    )
