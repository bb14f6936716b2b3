"""Put the fragments of an answer together, whatever an endpoint does to them.

Tool calls are told apart by their index; an id comes once, always anew, or never. Neighbours:
`openai_chat` (where fragments come from), `loop` (what becomes of the answer).
"""

from dataclasses import dataclass, field

from harness.models import Delta, Message, ModelRequest, ToolCall, Usage
from harness.plain import is_object, mended

_CHARS_PER_TOKEN = 4


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
        self._calls: dict[int, _Call] = {}
        self._usage: Usage | None = None
        self.finish = ""
        self.fragments = 0

    def add(self, delta: Delta) -> None:
        self.fragments += 1
        self.finish = delta.finish or self.finish
        self._usage = delta.usage or self._usage
        if delta.text:
            self._text.append(delta.text)
        if delta.tool_call is not None:
            part = delta.tool_call
            call = self._calls.setdefault(part.index, _Call())
            call.id = call.id or part.id
            call.name = call.name or part.name
            call.arguments.append(part.arguments)

    @property
    def is_whole(self) -> bool:
        """A finish came; or calls came and each is complete, for endpoints that forget it."""
        return bool(self.finish) or (
            bool(self._calls) and all(is_object(_joined(call)) for call in self._calls.values())
        )

    @property
    def is_empty(self) -> bool:
        return not self._calls and not "".join(self._text).strip()

    def message(self) -> Message:
        calls: list[ToolCall] = []
        taken: set[str] = set()
        for number, (_, call) in enumerate(sorted(self._calls.items())):
            call_id = call.id if call.id and call.id not in taken else f"{self._id_prefix}_{number}"
            taken.add(call_id)
            calls.append(ToolCall(id=call_id, name=call.name, arguments=_joined(call)))
        return Message(
            role="assistant", content=mended("".join(self._text)), tool_calls=tuple(calls)
        )

    def usage(self, request: ModelRequest) -> Usage:
        """Give what the endpoint counted, or an estimate marked as one."""
        if self._usage is not None:
            return self._usage.model_copy(update={"model_calls": 1})
        sent = len(request.system) + sum(len(message.content) for message in request.messages)
        written = len("".join(self._text)) + sum(len(_joined(c)) for c in self._calls.values())
        return Usage(
            input_tokens=sent // _CHARS_PER_TOKEN,
            output_tokens=written // _CHARS_PER_TOKEN,
            model_calls=1,
            estimated=True,
        )


def _joined(call: _Call) -> str:
    return mended("".join(call.arguments)).strip() or "{}"
