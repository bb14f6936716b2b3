"""Sessions that outgrow the model: what is sent stays acceptable, stable and true to people."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.agent import Agent
from harness.budget import Limits
from harness.compaction import SUMMARY_HEAD, sent
from harness.context import Said, spoken
from harness.errors import ModelUnavailable
from harness.events import TurnFinished
from harness.guards.taint import taint_of
from harness.models import Answered, Delta, Message, ModelRequest, Project, ToolCallDelta, Usage
from harness.summary import summary_prompt
from harness.tokens import request_tokens, text_tokens
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.chat.test_repair import faults
from tests.harness.support import asked, run, work
from tests.harness.test_prefix import NOWHERE

LIMIT = 6000
SUMMARY = "## Goal\nTo go on.\n## Decisions\nnone\n## Open questions\nnone\n## Files\nnone"


class Reader:
    """Makes a call, then answers, at length; sums up when asked; counts what it is sent.

    It refuses a request of more than `window` tokens, as endpoints do.
    """

    def __init__(self, words: Sequence[int], window: int = 10**9, summary: str = SUMMARY) -> None:
        self._words = list(words)
        self._window = window
        self._summary = summary
        self.requests: list[ModelRequest] = []
        self.summaries: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        is_summary = request.system == summary_prompt()
        (self.summaries if is_summary else self.requests).append(request)
        tokens, text = request_tokens(request), ""
        if tokens > self._window:
            raise ModelUnavailable("the request is too long for it (400)", too_long=True)
        if is_summary:
            if not self._summary:
                raise ModelUnavailable("server error (500)")
            yield Delta(text=self._summary)
        elif request.messages[-1].role == "tool":
            text = "word " * (self._words.pop(0) if self._words else 1)
            yield Delta(text=text)
        else:
            yield Delta(tool_call=ToolCallDelta(0, "", "none", "{}"))
        usage = Usage(input_tokens=tokens, output_tokens=10 + text_tokens(text), model_calls=1)
        yield Delta(usage=usage, finish="stop")


async def converse(
    model: Reader, texts: Sequence[str], limit: int = LIMIT, project: Project = NOWHERE
) -> tuple[list[TurnFinished], tuple[Message, ...]]:
    """Have one turn for each text; give how they ended and the whole history."""
    agent = Agent(model, Toolset(FILE_TOOLS), Limits(context_tokens=limit))
    history: tuple[Message, ...] = ()
    endings: list[TurnFinished] = []
    for text in texts:
        _, finished = await run(agent, work(project, text, history), MemoryTurn().take())
        history += finished.messages
        endings.append(finished)
    return endings, history


TURNS = st.lists(
    st.tuples(st.text(st.sampled_from("ab 好\n"), min_size=1, max_size=300), st.integers(1, 3000)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(TURNS, st.sampled_from([SUMMARY, ""]))
def test_whatever_is_said_requests_stay_stable_whole_and_true(
    turns: list[tuple[str, int]], summary: str
) -> None:
    """P1 to P3, P5 and P7 of the house, over sessions of any length, summaries failing or not."""
    model = Reader([words for _, words in turns], summary=summary)
    texts = [f"{number} {text}" for number, (text, _) in enumerate(turns)]
    _, history = asyncio.run(converse(model, texts))
    fronts = {request.model_dump_json(include={"system", "tools"}) for request in model.requests}
    assert len(fronts) == 1
    said: list[str] = []
    before: tuple[Message, ...] = ()
    compactions = 0
    for request in model.requests:
        newest = spoken(request.messages[-1].content)
        if request.messages[-1].role == "user":
            said.append(newest)
        assert faults(request.messages) == []
        everything = "\n".join(message.content for message in request.messages)
        assert [text for text in said if text not in everything] == []
        if request.messages[: len(before)] != before:
            compactions += 1
            assert request.messages[-1].role == "user"  # only between turns
        before = request.messages
    assert said == texts
    assert compactions <= sum(message.compaction is not None for message in history)
    assert faults(sent(history)) == []


async def test_a_long_session_is_summed_up_now_and_then() -> None:
    """Requests stay under the limit, and a summary comes every few turns, not every turn."""
    model = Reader([1500] * 30)
    texts = [f"question {number}" for number in range(30)]
    endings, history = await converse(model, texts)
    assert {ending.outcome for ending in endings} == {"answered"}
    assert max(map(request_tokens, model.requests)) < LIMIT
    assert 5 <= len(model.summaries) <= 15
    compactions = [message for message in history if message.compaction is not None]
    assert len(compactions) == len(model.summaries)
    assert SUMMARY_HEAD in model.requests[-1].messages[0].content
    assert sum(ending.usage.model_calls for ending in endings) == 60 + len(model.summaries)


async def test_a_compaction_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """It is the one reason for a prefix to change."""
    caplog.set_level(logging.INFO)
    _, history = await converse(Reader([3000] * 4), ["a", "b", "c", "d"])
    logged = [record for record in caplog.records if record.message == "compacted"]
    done = [message.compaction for message in history if message.compaction is not None]
    assert [(record.__dict__["covers"], record.__dict__["clears"]) for record in logged] == [
        (each.covers, each.clears) for each in done
    ]
    assert done


async def test_a_summary_that_fails_leaves_the_history_and_is_not_tried_every_turn() -> None:
    """No request of it is lost; the model is asked again only after more has been said."""
    model = Reader([700] * 12, summary="")
    endings, history = await converse(model, [f"q{number}" for number in range(12)])
    assert {ending.outcome for ending in endings} == {"answered"}
    assert 1 <= len(model.summaries) <= 6
    assert all(m.compaction.covers == 0 for m in history if m.compaction is not None)
    assert len(model.requests[-1].messages) == 4 * 12 - 1


async def test_what_a_summary_stands_for_still_taints() -> None:
    """Outside text is not washed out by summing it up."""
    agent = Agent(Reader([3000] * 6), Toolset(()), Limits(context_tokens=LIMIT))
    history: tuple[Message, ...] = ()
    for number in range(6):
        said = (Said("gil", "words", "guest"),) if number == 0 else ()
        turn = replace(work(NOWHERE, "q", history), input=asked(f"q{number}", said))
        _, finished = await run(agent, turn, MemoryTurn().take())
        history += finished.messages
    (*_, latest) = (message for message in history if message.compaction is not None)
    assert latest.compaction is not None
    assert latest.compaction.covers > 0
    assert latest.taint == ("guest",)
    assert taint_of(history) == {"guest"}


async def test_a_refused_request_is_compacted_once_and_sent_again() -> None:
    """The window is smaller than anybody told us; the turn goes on."""
    model = Reader([900] * 5, window=3000)
    endings, history = await converse(model, [f"q{number}" for number in range(5)], 10**6)
    assert {ending.outcome for ending in endings} == {"answered"}
    assert any(message.compaction for message in history)
    assert all(text in model.requests[-1].messages[0].content for text in ("q0", "q1"))


async def test_a_result_too_long_for_the_model_is_left_out_and_said_so(project: Project) -> None:
    """Within a turn, too: the model reads how to get a smaller part."""
    project.folder.mkdir()
    (project.folder / "a").write_text("x" * 40_000)

    class Grabbing(Reader):
        async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            async for delta in super().complete(request):
                call = ToolCallDelta(0, "", "file_read", '{"path": "a"}')
                yield replace(delta, tool_call=call) if delta.tool_call else delta

    model = Grabbing([1], window=5000)
    (ending,), _ = await converse(model, ["read a"], 10**6, project)
    assert ending.outcome == "answered"
    assert "for a smaller part if you can" in model.requests[-1].messages[-1].content


async def test_what_cannot_be_made_small_enough_is_said_in_one_sentence() -> None:
    """One compaction, one more try, then the person hears what to do."""
    model = Reader([1], window=3000)
    endings, _ = await converse(model, ["q", "x" * 20_000], 10**6)
    assert [ending.outcome for ending in endings] == ["answered", "limit"]
    assert endings[1].note.startswith("This thread has become too long for the model")
    assert len(model.requests) <= 4


async def test_a_turn_resumes_behind_its_compaction() -> None:
    """What was summed up before a crash is not summed up again."""
    model = Reader([3800, 1])
    _, history = await converse(model, ["a"])
    agent = Agent(model, Toolset(()), Limits(context_tokens=LIMIT))
    turn = MemoryTurn()
    _, whole = await run(agent, work(NOWHERE, "b", history), turn.take())
    kinds = [entry.kind for entry in turn.entries]
    assert kinds == ["opened", "compacted", "answered", "returned", "answered"]
    assert len(model.summaries) == 1
    for recorded in range(2, len(kinds) + 1):
        resumed = MemoryTurn(turn.entries[:recorded])
        _, again = await run(agent, work(NOWHERE, "b", history), resumed.take())
        assert again.messages[1] == whole.messages[1]
    assert len(model.summaries) == 1


async def test_a_turn_that_has_begun_is_not_compacted_when_it_resumes() -> None:
    """Within a turn each request extends the one before, also across a crash."""
    model = Reader([1])
    _, history = await converse(model, ["a"])
    turn = MemoryTurn()
    agent = Agent(model, Toolset(()), Limits(context_tokens=LIMIT))
    await run(agent, work(NOWHERE, "b", history), turn.take())
    opened, answered, returned = turn.entries[:3]
    assert isinstance(answered, Answered)
    heavy = answered.message.model_copy(update={"usage": Usage(input_tokens=LIMIT)})
    begun = [opened, answered.model_copy(update={"message": heavy}), returned]
    _, finished = await run(agent, work(NOWHERE, "b", history), MemoryTurn(begun).take())
    assert model.requests[-1].messages[: len(history)] == history
    assert not any(message.compaction for message in finished.messages)


async def test_a_cache_that_is_lost_is_warned_about(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator reads by how much, and in which session."""

    class Forgetful:
        def __init__(self) -> None:
            self.cached = [0, 3600, 3700, 100]

        async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            del request
            cached = self.cached.pop(0)
            yield Delta(tool_call=ToolCallDelta(0, "", f"none{cached}", "{}"))
            usage = Usage(input_tokens=4000, cached_tokens=cached, model_calls=1)
            yield Delta(usage=usage, finish="stop")

    with pytest.raises(IndexError):
        await run(Agent(Forgetful(), Toolset(())), work(project, "go"), MemoryTurn().take())
    warned = [record.__dict__ for record in caplog.records if record.message == "cache_share_fell"]
    assert [(record["was"], record["now"]) for record in warned] == [(0.93, 0.03)]
    assert warned[0]["session"] == "T1:C1:1700000000.000100"
