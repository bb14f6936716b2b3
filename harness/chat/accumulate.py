"""Put the fragments of an answer together, whatever an endpoint does to them.

Tool calls are told apart by their index; an id comes once, always anew, or never. Neighbours:
`openai_chat` (where fragments come from), `loop` (what becomes of the answer).
"""

from dataclasses import dataclass, field

from harness.models import Delta, Message, ModelRequest, ToolCall, ToolCallDelta, Usage
from harness.plain import is_object, mended
from harness.tokens import message_tokens, request_tokens

_MAX_TEXT_CHARS = 200_000
_MAX_CALL_CHARS = 4 * 1024 * 1024
_MAX_CALLS = 200


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


class Answer:
    """An answer while it comes in. Ids that are missing or doubled become `<prefix>_<n>`."""

    def __init__(self, id_prefix: str) -> None:
        self._id_prefix = id_prefix
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, list[_Call]] = {}
        self._usage: Usage | None = None
        self._text_chars = self._call_chars = 0
        self.finish = ""
        self.fragments = 0

    def add(self, delta: Delta) -> None:
        """Take a fragment in; an answer without end is ended here, as by a length limit."""
        self.fragments += 1
        self.finish = delta.finish or self.finish
        self._usage = delta.usage or self._usage
        if delta.text:
            self._text.append(delta.text)
            self._text_chars += len(delta.text)
        if delta.reasoning:
            self._reasoning.append(delta.reasoning)
        if delta.tool_call is not None:
            part = delta.tool_call
            call = self._call_of(part)
            call.id = call.id or part.id
            call.name = call.name or part.name
            call.arguments.append(part.arguments)
            self._call_chars += len(part.arguments)
        if self.is_over:
            self.finish = "length"

    @property
    def is_over(self) -> bool:
        """Say whether this is more than any answer may have; nothing more should be added."""
        return (
            self._text_chars > _MAX_TEXT_CHARS
            or self._call_chars > _MAX_CALL_CHARS
            or sum(map(len, self._calls.values())) > _MAX_CALLS
        )

    @property
    def is_whole(self) -> bool:
        """A finish came; or calls came and each is complete, for endpoints that forget it.

        An answer that ends with calls but has none is not.
        """
        calls = self._in_order()
        if calls and not self.finish:
            return all(is_object(_joined(call)) for call in calls)
        return bool(self.finish) and bool(calls or self.finish != "tool_calls")

    @property
    def is_empty(self) -> bool:
        return not self._calls and not "".join(self._text).strip()

    def message(self) -> Message:
        calls: list[ToolCall] = []
        taken: set[str] = set()
        for number, call in enumerate(self._in_order()):
            call_id = call.id if call.id and call.id not in taken else f"{self._id_prefix}_{number}"
            taken.add(call_id)
            calls.append(ToolCall(id=call_id, name=call.name, arguments=_joined(call)))
        return Message(
            role="assistant",
            content=mended("".join(self._text)),
            tool_calls=tuple(calls),
            reasoning=mended("".join(self._reasoning)),
        )

    def usage(self, request: ModelRequest) -> Usage:
        """Give what the endpoint counted, or an estimate marked as one."""
        if self._usage is not None:
            return self._usage.model_copy(update={"model_calls": 1})
        return Usage(
            input_tokens=request_tokens(request),
            output_tokens=message_tokens(self.message()),
            model_calls=1,
            estimated=True,
        )

    def _in_order(self) -> list[_Call]:
        return [call for _, calls in sorted(self._calls.items()) for call in calls]

    def _call_of(self, part: ToolCallDelta) -> _Call:
        """Find the call a fragment belongs to.

        Some endpoints give all calls the same index; there a name that comes again, with arguments,
        after a complete call begins the next one.
        """
        calls = self._calls.setdefault(part.index, [_Call()])
        if calls[-1].name and part.name and part.arguments.strip() and _is_complete(calls[-1]):
            calls.append(_Call())
        return calls[-1]


def _is_complete(call: _Call) -> bool:
    return is_object("".join(call.arguments))


def _joined(call: _Call) -> str:
    return mended("".join(call.arguments)).strip() or "{}"
