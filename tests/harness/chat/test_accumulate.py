"""However an answer is cut into fragments, the same answer comes out."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.chat.accumulate import Answer
from harness.models import Delta, Message, ModelRequest, ToolCall, ToolCallDelta, Usage

REQUEST = ModelRequest(
    model="m", system="x" * 40, messages=(Message(role="user", content="y" * 40),)
)
OBJECTS = st.dictionaries(st.text(max_size=5), st.integers(), max_size=3).map(repr)
TEXTS = st.text(max_size=60)


def put_together(*deltas: Delta) -> Answer:
    answer = Answer("call_7")
    for delta in deltas:
        answer.add(delta)
    return answer


@st.composite
def chopped(draw: st.DrawFn, text: str) -> list[str]:
    """A text cut at random places, also inside the halves of a character."""
    units = text.encode("utf-16-le", "surrogatepass")
    cuts = sorted(draw(st.sets(st.integers(0, len(units) // 2), max_size=8)))
    edges = [0, *cuts, len(units) // 2]
    return [
        units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
        for start, end in pairwise(edges)
    ]


@st.composite
def streams(draw: st.DrawFn) -> tuple[Message, list[Delta]]:
    """An answer, and fragments of it whose calls are interleaved at random."""
    content = draw(TEXTS)
    arguments = draw(st.lists(TEXTS.map(lambda text: f"{{{text}}}"), max_size=3))
    calls = [ToolCall(id=f"id{i}", name=f"t{i}", arguments=a) for i, a in enumerate(arguments)]
    tracks = [[Delta(text=part) for part in draw(chopped(content))]]
    for index, call in enumerate(calls):
        parts = draw(chopped(call.arguments))
        tracks.append(
            [
                Delta(tool_call=ToolCallDelta(index, call.id, call.name, parts[0])),
                *(Delta(tool_call=ToolCallDelta(index, arguments=part)) for part in parts[1:]),
            ]
        )
    mixed: list[Delta] = []
    while any(tracks):
        mixed.append(draw(st.sampled_from([track for track in tracks if track])).pop(0))
    whole = Message(role="assistant", content=content, tool_calls=tuple(calls))
    return whole, [*mixed, Delta(finish="stop")]


@settings(max_examples=50, deadline=None)
@given(streams())
def test_any_chunking_gives_the_same_answer(stream: tuple[Message, list[Delta]]) -> None:
    """Text and calls come together by index, wherever they were cut."""
    whole, deltas = stream
    answer = put_together(*deltas)
    assert (answer.message(), answer.is_whole) == (whole, True)


def test_an_id_counts_where_it_first_comes() -> None:
    """A fresh id in each fragment does not make a fresh call."""
    answer = put_together(
        Delta(tool_call=ToolCallDelta(0, "a", "look", '{"x"')),
        Delta(tool_call=ToolCallDelta(0, "b", "look", ":1}")),
    )
    assert answer.message().tool_calls == (ToolCall(id="a", name="look", arguments='{"x":1}'),)


def test_missing_and_doubled_ids_are_made_up() -> None:
    """Each call has an id of its own."""
    answer = put_together(*(Delta(tool_call=ToolCallDelta(i, i % 2 * "a", "t")) for i in range(4)))
    assert [call.id for call in answer.message().tool_calls] == [
        "call_7_0",
        "a",
        "call_7_2",
        "call_7_3",
    ]


def test_no_arguments_are_an_empty_object() -> None:
    """Nothing at all is what some endpoints send for a tool without arguments."""
    answer = put_together(Delta(tool_call=ToolCallDelta(0, "a", "t", "")))
    assert answer.message().tool_calls[0].arguments == "{}"


def test_an_answer_is_whole_with_a_finish_or_with_complete_calls() -> None:
    """Text alone needs the finish; half a call is never whole without one."""
    assert not put_together(Delta(text="Hel")).is_whole
    assert put_together(Delta(text="Hel"), Delta(finish="stop")).is_whole
    assert put_together(Delta(tool_call=ToolCallDelta(0, "a", "t", '{"x": 1}'))).is_whole
    assert not put_together(Delta(tool_call=ToolCallDelta(0, "a", "t", '{"x": '))).is_whole


def test_an_answer_of_blanks_is_empty() -> None:
    """Blanks are no answer; a call without words is one."""
    assert put_together(Delta(text=" \n"), Delta(finish="stop")).is_empty
    assert not put_together(Delta(tool_call=ToolCallDelta(0, "a", "t"))).is_empty


def test_usage_is_counted_or_estimated() -> None:
    """What the endpoint said, else an estimate that says it is one."""
    counted = put_together(Delta(usage=Usage(input_tokens=9))).usage(REQUEST)
    assert counted == Usage(input_tokens=9, model_calls=1)
    estimated = put_together(Delta(text="z" * 20)).usage(REQUEST)
    assert estimated == Usage(input_tokens=24, output_tokens=9, model_calls=1, estimated=True)
