"""What makes a turn resumable: its record, written entry by entry before anything goes on.

A write is claimed before and recorded after; claimed without a result means nobody knows whether
it happened, and it is never repeated in silence. Neighbours: `ports.Journal` (where it is kept),
`loop` (who writes), `agent` (who reads it back).
"""

from collections.abc import Iterable

from harness.events import TurnFinished
from harness.models import (
    Answered,
    Claimed,
    Compacted,
    JournalEntry,
    Message,
    Outcome,
    ToolCall,
    ToolResult,
    Usage,
)
from harness.ports import Journal
from harness.tools.results import INTERRUPTED, UNKNOWN_OUTCOME, content_of


class TurnRecord:
    """A turn so far; every entry goes to the journal first."""

    def __init__(self, journal: Journal, entries: Iterable[JournalEntry]) -> None:
        self._journal = journal
        self.messages: list[Message] = []
        self.usage = Usage()
        self.steps = 0
        self.finish = ""
        self._claimed: set[str] = set()
        for entry in entries:
            self._take(entry)

    async def add(self, entry: JournalEntry) -> None:
        """Write an entry down; raises `LeaseLost` when the turn is no longer ours."""
        await self._journal.append(entry)
        self._take(entry)

    @property
    def is_answered(self) -> bool:
        """The model has said its last word."""
        return bool(self.messages) and _is_final(self.messages[-1])

    def open_calls(self) -> tuple[ToolCall, ...]:
        """Give the calls of the latest answer that have no result yet, in order."""
        returned: set[str] = set()
        for message in reversed(self.messages):
            if message.role == "assistant":
                return tuple(call for call in message.tool_calls if call.id not in returned)
            returned.add(message.tool_call_id)
        return ()

    def place_of(self, call: ToolCall) -> int:
        """Say which of the calls of the latest answer a call is, from 0."""
        answers = (message for message in reversed(self.messages) if message.role == "assistant")
        return next(answers).tool_calls.index(call)

    def is_claimed(self, call: ToolCall) -> bool:
        return call.id in self._claimed

    def finished(self, outcome: Outcome, note: str = "", partial: str = "") -> TurnFinished:
        """Close the turn; `partial` is what was already shown of an answer that was not recorded.

        Open calls get a result, and where no answer ends the history the note does: it stays whole.
        """
        messages = list(self.messages)
        for call in self.open_calls():
            result = UNKNOWN_OUTCOME if self.is_claimed(call) else INTERRUPTED
            messages.append(result_message(call, result))
        said = [text for text in map(said_in, messages) if text]
        last = "\n\n".join(text for text in (partial.strip(), note) if text)
        if last and not self.is_answered:  # two answers in a row are refused by some endpoints
            messages.append(Message(role="assistant", content=last))
        return TurnFinished(
            outcome=outcome,
            text="\n\n".join([*said, *([partial.lstrip()] if partial.strip() else [])]),
            messages=tuple(messages),
            usage=self.usage,
            steps=self.steps,
            note=note,
        )

    def _take(self, entry: JournalEntry) -> None:
        if isinstance(entry, Claimed):
            self._claimed.add(entry.call_id)
            return
        self.messages.append(entry.message)
        if isinstance(entry, Answered):
            self.steps += 1
            self.usage += entry.usage
            self.finish = entry.finish
            self._claimed.clear()  # models use their ids again in later steps
        elif isinstance(entry, Compacted):
            self.usage += entry.usage


async def close_turn(
    journal: Journal, opening: Message, note: str, partial: str = ""
) -> TurnFinished:
    """Close a turn that somebody stopped, from what its journal holds; writes nothing.

    `opening` is its user message, for a turn that had no time to record it; `partial` the text
    shown of the latest answer, which may be recorded by now or not.
    """
    record = TurnRecord(journal, await journal.load())
    record.messages = record.messages or [opening]
    recorded = [said_in(message) for message in record.messages if message.role == "assistant"]
    is_recorded = recorded[-1:] == [partial]
    return record.finished("stopped", note, "" if is_recorded else partial)


def result_message(call: ToolCall, result: ToolResult, taint: tuple[str, ...] = ()) -> Message:
    return Message(role="tool", tool_call_id=call.id, content=content_of(result), taint=taint)


def said_in(message: Message) -> str:
    """Give what a message says to the person: nothing unless the model wrote it."""
    return message.content.lstrip() if message.role == "assistant" else ""


def _is_final(message: Message) -> bool:
    return message.role == "assistant" and not message.tool_calls
