"""Answers of an endpoint as `Delta`s: streamed or whole, with thinking kept out of the text.

Fields that should be there may be missing, null or of another shape; nothing here minds.
Neighbours: `openai_chat` (who asks), `accumulate` (who puts the fragments together).
"""

from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, cast

from harness.models import Delta, ToolCallDelta, Usage
from harness.plain import mended

if TYPE_CHECKING:
    from openai import AsyncStream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall
    from openai.types.completion_usage import CompletionUsage

_OPEN, _CLOSE = "<think>", "</think>"
_REASONING = "reasoning_content"
_CACHE_HITS = "prompt_cache_hit_tokens"  # DeepSeek's name for what was cached


async def streamed(stream: "AsyncStream[ChatCompletionChunk]") -> AsyncGenerator[Delta]:
    """Translate fragments; half of a character, or of a mark, waits for its other half."""
    text = _Visible()
    async for chunk in stream:
        if chunk.usage:
            yield Delta(usage=_usage(chunk.usage))
        for choice in (chunk.choices or ())[:1]:
            for delta in _said(choice.delta.content, choice.delta.model_extra, text):
                yield delta
            for call in _calls(choice.delta.tool_calls or ()):
                yield Delta(tool_call=call)
            if choice.finish_reason:
                if rest := text.rest():
                    yield Delta(text=rest)
                yield Delta(finish=choice.finish_reason)


async def whole(completion: "ChatCompletion") -> AsyncGenerator[Delta]:
    """Translate an answer that came in one piece."""
    for choice in (completion.choices or ())[:1]:
        text = _Visible()
        for delta in _said(choice.message.content, choice.message.model_extra, text):
            yield delta
        if rest := text.rest():
            yield Delta(text=rest)
        for index, call in enumerate(choice.message.tool_calls or ()):
            if call.type == "function":
                asked = call.function
                part = ToolCallDelta(index, call.id or "", asked.name or "", asked.arguments or "")
                yield Delta(tool_call=part)
        yield Delta(finish=choice.finish_reason or "stop")
    if completion.usage:
        yield Delta(usage=_usage(completion.usage))


class _Visible:
    """The text of an answer while it comes in, without the thinking that some models put first."""

    def __init__(self) -> None:
        self._held = ""
        self._state: Literal["start", "thinking", "text"] = "start"

    def add(self, text: str) -> str:
        """Give what can be shown by now."""
        held = self._held + text
        if self._state == "start":
            begun = held.lstrip()
            if begun.startswith(_OPEN):
                self._state = "thinking"
            elif not _OPEN.startswith(begun):
                self._state = "text"
        if self._state == "thinking" and _CLOSE in held:
            held = held.partition(_CLOSE)[2].lstrip()
            self._state = "text"
        if self._state != "text":
            self._held = held if self._state == "start" else held[-len(_CLOSE) :]
            return ""
        self._held = held[-1] if held and "\ud800" <= held[-1] <= "\udbff" else ""
        return mended(held[: len(held) - len(self._held)])

    def rest(self) -> str:
        """Give what was held back, now that nothing more comes."""
        return "" if self._state == "thinking" else mended(self._held)


def _said(content: Any, extra: dict[str, Any] | None, text: _Visible) -> Iterator[Delta]:  # noqa: ANN401 - some endpoints send a list of parts
    reasoning = (extra or {}).get(_REASONING)
    if isinstance(reasoning, str) and reasoning:
        yield Delta(reasoning=reasoning)
    if shown := text.add(_text(content)):
        yield Delta(text=shown)


def _text(content: Any) -> str:  # noqa: ANN401 - some endpoints send a list of parts
    if isinstance(content, str):
        return content
    parts = cast("Iterable[dict[str, Any]]", content or ())
    return "".join(part.get("text") or "" for part in parts)


def _calls(calls: "Iterable[ChoiceDeltaToolCall]") -> Iterable[ToolCallDelta]:
    for call in calls:
        function = call.function
        yield ToolCallDelta(
            index=call.index or 0,
            id=call.id or "",
            name=(function and function.name) or "",
            arguments=(function and function.arguments) or "",
        )


def _usage(usage: "CompletionUsage") -> Usage:
    details = usage.prompt_tokens_details
    cached = (details and details.cached_tokens) or (usage.model_extra or {}).get(_CACHE_HITS)
    return Usage(
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        cached_tokens=cached or 0,
        model_calls=1,
    )
