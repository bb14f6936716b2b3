"""Carries a compaction out: asks the model for a summary, and records what is no longer sent.

A summary that fails, is empty or has none of the fields changes nothing.
Neighbours: `compaction` (what to leave out), `loop` (when), `journal` (the record).
"""

import logging
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import cache
from pathlib import Path

from harness.budget import Budget
from harness.chat.accumulate import Answer
from harness.compaction import due, latest_compaction, sent, utmost
from harness.errors import ModelUnavailable
from harness.guards.taint import taint_of
from harness.journal import TurnRecord
from harness.models import Compacted, Compaction, Message, ModelRequest, Usage
from harness.ports import ChatModel

logger = logging.getLogger(__name__)

FIELDS = ("Goal", "Decisions", "Open questions", "Files", "Tried and ruled out")

_HEADING = re.compile(rf"(?i)^[\W\d]*({'|'.join(FIELDS)})\W*?(?::\W*(.*))?$")
_NOTHING = frozenset({"", "none", "n/a", "nothing", "无"})
_TEMPERATURE = 0.3
_MAX_TOKENS = 2048
_MAX_FIELD_CHARS = 2000
_MAX_SAID_CHARS = 4000
_MAX_RESULT_CHARS = 400


@cache
def summary_prompt() -> str:
    return (Path(__file__).parent / "prompts" / "summary.md").read_text(encoding="utf-8")


class Compactor:
    """Keeps the requests of one turn within what the model takes."""

    def __init__(
        self,
        chat: ChatModel,
        model: str,
        history: Sequence[Message],
        record: TurnRecord,
        budget: Budget,
    ) -> None:
        self._chat = chat
        self._model = model
        self._history = history
        self._record = record
        self._budget = budget

    async def make_room(self) -> None:
        """Compact before the first step of a turn, if the session has come near the limit."""
        if self._record.steps:
            return
        wanted = due(self._stored(), self._budget.context_tokens)
        if wanted is not None:
            await self._compact(wanted)

    async def make_most_room(self) -> bool:
        """Compact after a request was refused as too long; False if nothing more can go."""
        return await self._compact(utmost(self._stored(), len(self._history)))

    async def _compact(self, wanted: Compaction) -> bool:
        """Record a compaction; say whether less is sent from now on."""
        stored = self._stored()
        latest = latest_compaction(stored)
        before = latest.compaction or Compaction()
        summary, usage = latest.content, Usage()
        if wanted.covers > before.covers:
            part = stored[before.covers : wanted.covers]
            summary, usage = await self._summary(transcript(part, latest.content))
            if not summary:  # what could not be summed up stays
                summary, wanted = (
                    latest.content,
                    wanted.model_copy(update={"covers": before.covers}),
                )
        taint = tuple(sorted(taint_of(stored[: wanted.covers])))
        message = Message(role="user", content=summary, taint=taint, compaction=wanted)
        await self._record.add(Compacted(message=message, usage=usage))
        logger.info("compacted", extra={"covers": wanted.covers, "clears": wanted.clears})
        return sent(self._stored()) != sent(stored)

    async def _summary(self, text: str) -> tuple[str, Usage]:
        """Ask the model for a summary; an empty one stands for a failure."""
        request = ModelRequest(
            model=self._model,
            system=summary_prompt(),
            messages=(Message(role="user", content=text),),
            temperature=_TEMPERATURE,
            max_tokens=_MAX_TOKENS,
        )
        answer = Answer("summary")
        deltas = self._chat.complete(request)
        try:
            async with self._budget.deadline():
                async for delta in deltas:
                    answer.add(delta)
        except ModelUnavailable as error:
            logger.warning("no_summary", extra={"reason": error.reason})
            return "", Usage(model_calls=1)
        except TimeoutError:
            raise self._budget.out_of_time() from None
        finally:
            if isinstance(deltas, AsyncGenerator):
                await deltas.aclose()
        return in_fields(answer.message().content) if answer.is_whole else "", answer.usage(request)

    def _stored(self) -> tuple[Message, ...]:
        return (*self._history, *self._record.messages)


def transcript(messages: Sequence[Message], summary: str) -> str:
    """Write a part of a session down for the model to sum up, behind what was summed up before."""
    lines = ["Sum up this conversation.", *([f"Summary so far:\n{summary}"] if summary else [])]
    return "\n\n".join((*lines, *(line for message in messages for line in _told(message))))


def in_fields(reply: str) -> str:
    """Keep the fixed fields of a summary, each bounded; nothing if none of them says anything."""
    found: dict[str, list[str]] = {}
    here: list[str] = []
    for line in reply.splitlines():
        if heading := _HEADING.match(line):
            name = next(field for field in FIELDS if field.lower() == heading[1].lower())
            here = found.setdefault(name, [])
        here.append(heading[2] or "" if heading else line)
    texts = {name: "\n".join(found.get(name, ())).strip() for name in FIELDS}
    said = {
        name: text for name, text in texts.items() if text.strip(" -*.").lower() not in _NOTHING
    }
    return "\n".join(f"{name}:\n{text[:_MAX_FIELD_CHARS]}" for name, text in said.items())


def _told(message: Message) -> Iterator[str]:
    if message.compaction is not None:
        return
    if message.role == "tool":
        yield f"Result: {message.content[:_MAX_RESULT_CHARS]}"
        return
    said = message.content.strip()[:_MAX_SAID_CHARS]
    if said:
        yield said if message.role == "user" else f"Deskmate: {said}"
    for call in message.tool_calls:
        yield f"Deskmate calls {call.name}: {call.arguments[:_MAX_RESULT_CHARS]}"
