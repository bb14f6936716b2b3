"""The heart: the model speaks, its tool calls run, and again, until it has said its last word.

Each step is in the record before the next begins, so a turn that broke off goes on where it was.
Neighbours: `calls` (how a tool call goes), `journal` (the record), `context` and `compaction` (what
is sent), `agent` (how a turn begins and ends).
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

from harness.budget import Budget
from harness.calls import Calls
from harness.chat.accumulate import Answer
from harness.chat.repair import repaired
from harness.compaction import cache_fell, sent
from harness.context import build_request
from harness.errors import ModelUnavailable, TurnStopped
from harness.events import Event, StepStarted, TextStarted, TextStreamed
from harness.guards.taint import taint_of
from harness.journal import TurnRecord
from harness.models import Answered, Delta, Message, ModelRequest, Usage
from harness.ports import ChatModel
from harness.summary import Compactor
from harness.tools import Scope, Toolset

logger = logging.getLogger(__name__)

_TRIES = 2
_TOO_LONG = (
    "This thread has become too long for the model, even summed up. "
    "Start a new thread, or ask for a smaller part."
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays the same through all steps of a turn."""

    chat: ChatModel
    model: str
    tools: Toolset
    scope: Scope
    history: tuple[Message, ...]


class Loop:
    """One turn at work. `partial` is what was shown of an answer that is not recorded yet."""

    def __init__(self, frame: Frame, record: TurnRecord, budget: Budget) -> None:
        self._frame = frame
        self._record = record
        self._budget = budget
        self._calls = Calls(frame.tools, frame.scope, taint_of(frame.history), record, budget)
        self._compactor = Compactor(frame.chat, frame.model, frame.history, record, budget)
        self._shown: list[str] = []

    @property
    def partial(self) -> str:
        return "".join(self._shown)

    async def run(self) -> AsyncGenerator[Event]:
        """Work until the model is done; raises `TurnStopped`, `ModelUnavailable`, `LeaseLost`."""
        await self._compactor.make_room()
        while True:
            for call in self._record.open_calls():
                self._calls.check()
                async with aclosing(self._calls.run(call)) as events:
                    async for event in events:
                        yield event
            if self._record.is_answered:
                return
            self._calls.check()
            self._budget.check(self._record.steps, self._record.usage)
            async with aclosing(self._take_step()) as events:
                async for event in events:
                    yield event

    async def _take_step(self) -> AsyncGenerator[Event]:
        """Have the model answer; if the request is too long for it, once more with less of it."""
        step = self._record.steps + 1
        yield StepStarted(step)
        for is_last in (False, True):
            try:
                async with aclosing(self._answer(step)) as events:
                    async for event in events:
                        yield event
            except ModelUnavailable as error:
                if not error.too_long:
                    raise
                if is_last or not await self._compactor.make_most_room():
                    raise TurnStopped("limit", _TOO_LONG) from None
            else:
                return

    async def _answer(self, step: int) -> AsyncGenerator[Event]:
        """Call the model once, and once more if what came back was cut off or empty."""
        request = self._request()
        spent = Usage()
        while True:
            if self._shown:  # void what was shown of the answer that broke off
                self._shown.clear()
                yield TextStarted(step)
            answer = Answer(self._call_id_prefix())
            async with aclosing(self._stream(step, request, answer)) as events:
                async for event in events:
                    yield event
            usage = answer.usage(request)
            spent += usage
            if answer.is_whole and not answer.is_empty:
                break
            if spent.model_calls == _TRIES:
                if answer.finish and not answer.is_empty:
                    break  # it says that calls come, and has none, again: its words are what counts
                raise _given_up(answer)
        self._watch_cache(usage)
        message = answer.message().model_copy(update={"usage": usage})
        await self._record.add(Answered(message=message, usage=spent, finish=answer.finish))
        self._shown.clear()

    async def _stream(
        self, step: int, request: ModelRequest, answer: Answer
    ) -> AsyncGenerator[Event]:
        deltas = self._frame.chat.complete(request)
        try:
            while (delta := await self._next(deltas)) is not None:
                answer.add(delta)
                text = delta.text if self._shown else delta.text.lstrip()
                if text:
                    if not self._shown:
                        yield TextStarted(step)
                    self._shown.append(text)
                    yield TextStreamed(text)
                if answer.is_over:
                    return
        finally:
            if isinstance(deltas, AsyncGenerator):  # cancels the request if we leave early
                await deltas.aclose()

    async def _next(self, deltas: AsyncIterator[Delta]) -> Delta | None:
        try:
            async with self._budget.deadline():
                return await anext(deltas, None)
        except TimeoutError:
            raise self._budget.out_of_time() from None

    def _watch_cache(self, usage: Usage) -> None:
        """Warn when the front of the request is no longer what the endpoint has seen before."""
        if fell := cache_fell((*self._frame.history, *self._record.messages), usage):
            was, now = (round(share, 2) for share in fell)
            session = self._frame.scope.session.id
            logger.warning("cache_share_fell", extra={"was": was, "now": now, "session": session})

    def _request(self) -> ModelRequest:
        return build_request(
            self._frame.model,
            self._frame.tools.schemas,
            repaired(sent((*self._frame.history, *self._record.messages))),
            self._budget.tail(self._record.steps, self._record.usage),
        )

    def _call_id_prefix(self) -> str:
        """Name calls that came without an id by their place in the session."""
        return f"call_{len(self._frame.history) + len(self._record.messages)}"


def _given_up(answer: Answer) -> TurnStopped | ModelUnavailable:
    if answer.is_whole:
        return TurnStopped(
            "no_answer", "The model gave me no answer, twice. Ask me in other words."
        )
    if answer.fragments:
        return ModelUnavailable("its answer was cut off")
    return ModelUnavailable("it sent nothing usable")
