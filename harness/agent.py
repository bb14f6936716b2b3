"""A turn from its first event to its last: open or resume the record, run the loop, close.

The agent knows no surface: whoever iterates over its events shows them. Neighbours: `loop` (the
work), `journal` (the record), `bot.turns` (who runs it).
"""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass

from harness.budget import Budget, Limits
from harness.context import TurnInput, opening_message
from harness.errors import TurnStopped
from harness.events import Event, StepStarted, TextStarted, TextStreamed, TurnFinished
from harness.journal import TurnRecord, said_in
from harness.loop import Frame, Loop
from harness.models import Opened, Project, Session, UserId
from harness.ports import ChatModel, Journal
from harness.tools import Scope, Toolset

_ENDED_EARLY = {
    "length": "My answer reached the model's length limit. Say `go on` and I continue.",
    "content_filter": "The model's filter ended this answer early.",
}


@dataclass(frozen=True, slots=True)
class TurnWork:
    """All that one turn needs to know; `model` is the model's name at the endpoint."""

    session: Session
    input: TurnInput
    project: Project
    requester: UserId
    model: str


class Agent:
    """Works through turns with one model and one set of tools; holds no state of a turn."""

    def __init__(self, chat: ChatModel, tools: Toolset, limits: Limits | None = None) -> None:
        self._chat = chat
        self._tools = tools
        self._limits = limits or Limits()

    async def run(self, turn: TurnWork, journal: Journal) -> AsyncGenerator[Event]:
        """Run a turn, or go on with it where its journal ends.

        What earlier attempts said is told again as events (not their tool calls), so that the
        surface can rebuild its text. Cancelling closes the model's stream and any tool at once.
        Raises `ModelUnavailable` and `LeaseLost`; the record stays as it is then.
        """
        record = TurnRecord(journal, await journal.load())
        if not record.messages:
            await record.add(Opened(message=opening_message(turn.input)))
        for event in _told_again(record):
            yield event
        loop = Loop(self._frame(turn), record, Budget(self._limits))
        try:
            async with aclosing(loop.run()) as events:
                async for event in events:
                    yield event
        except TurnStopped as stopped:
            yield record.finished(stopped.outcome, stopped.reason, loop.partial)
            return
        yield _last_word(record)

    def _frame(self, turn: TurnWork) -> Frame:
        return Frame(
            chat=self._chat,
            model=turn.model,
            tools=self._tools,
            scope=Scope(turn.project, turn.session.key, turn.requester),
            history=turn.session.history,
        )


def _told_again(record: TurnRecord) -> Iterator[Event]:
    answers = [message for message in record.messages if message.role == "assistant"]
    for step, message in enumerate(answers, start=1):
        yield StepStarted(step)
        if said_in(message):
            yield TextStarted(step)
            yield TextStreamed(said_in(message))


def _last_word(record: TurnRecord) -> TurnFinished:
    note = _ENDED_EARLY.get(record.finish, "")
    return record.finished("limit" if record.finish == "length" else "answered", note)
