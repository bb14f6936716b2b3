"""Mend a history so that every endpoint accepts it; the stored history stays as it is.

After repair each tool call has exactly one result, directly behind it and in call order. Pure and
idempotent. Neighbour: `loop`, which applies it to each request.
"""

from collections.abc import Iterable, Sequence

from harness.models import Message, ToolCall
from harness.plain import is_object
from harness.tools.results import INTERRUPTED, content_of


def repaired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Give the wire view of a history: no orphans, no gaps, no empty answers."""
    mended: list[Message] = []
    for position, message in enumerate(messages):
        if message.role == "user":
            mended.append(message)
        elif message.role == "assistant" and (message.content.strip() or message.tool_calls):
            calls = _distinct(message.tool_calls)
            mended.append(message.model_copy(update={"tool_calls": calls}))
            mended += _results(calls, messages[position + 1 :])
    return tuple(mended)


def _distinct(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    # Some endpoints refuse a whole history for arguments they cannot parse.
    by_id: dict[str, ToolCall] = {}
    for call in calls:
        whole = call if is_object(call.arguments) else call.model_copy(update={"arguments": "{}"})
        by_id.setdefault(call.id, whole)
    return tuple(by_id.values())


def _results(calls: Iterable[ToolCall], following: Sequence[Message]) -> list[Message]:
    found: dict[str, Message] = {}
    for message in following:
        if message.role != "tool":
            break
        found.setdefault(message.tool_call_id, message)
    return [
        found.get(call.id)
        or Message(role="tool", tool_call_id=call.id, content=content_of(INTERRUPTED))
        for call in calls
    ]
