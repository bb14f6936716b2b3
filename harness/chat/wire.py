"""How our nouns look on the OpenAI wire (Chat Completions), both ways, as plain JSON values.

Neighbours: `quirks` (where endpoints differ), `openai_chat` (speaks it as a client),
`rehearsal_server` (as a server).
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from harness.chat.quirks import Quirks
from harness.models import Message, ModelRequest, ToolCall, ToolSchema, Usage

Json = dict[str, Any]

_THINKING_TOKENS = 4096
_SHORT_ID = re.compile(r"[A-Za-z0-9]{9}")


def request_body(request: ModelRequest, quirks: Quirks | None = None) -> Json:
    """Write a request: one system message, the history, the tail as a last user message."""
    quirks = quirks or Quirks()
    messages: list[Json] = [{"role": "system", "content": request.system}]
    messages += [_wire_message(message, quirks) for message in request.messages]
    if request.tail and quirks.tail == "user":
        messages.append({"role": "user", "content": request.tail})
    elif request.tail:
        messages[-1] |= {"content": f"{messages[-1]['content'] or ''}\n\n{request.tail}"}
    body: Json = {"model": request.model, "messages": messages}
    if request.tools:
        body["tools"] = [_wire_tool(tool) for tool in request.tools]
    if request.temperature is not None and quirks.temperature:
        body["temperature"] = request.temperature
    if request.max_tokens is not None and quirks.max_tokens != "none":
        # The newer field counts the thinking too, which comes before the text that is wanted.
        thinking = _THINKING_TOKENS if quirks.max_tokens == "max_completion_tokens" else 0
        body[quirks.max_tokens] = request.max_tokens + thinking
    return body


def _wire_message(message: Message, quirks: Quirks) -> Json:
    if message.role == "tool":
        call_id = _wire_id(message.tool_call_id, quirks)
        return {"role": "tool", "tool_call_id": call_id, "content": message.content}
    # No text beside calls is null: an empty string is what some endpoints refuse.
    written: Json = {"role": message.role, "content": message.content}
    if message.tool_calls:
        written["content"] = message.content or None
        written["tool_calls"] = [_wire_call(call, quirks) for call in message.tool_calls]
    if message.role == "assistant" and quirks.echo_reasoning:
        written["reasoning_content"] = message.reasoning  # where it is wanted, in every answer
    return written


def _wire_call(call: ToolCall, quirks: Quirks) -> Json:
    return {
        "id": _wire_id(call.id, quirks),
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _wire_id(call_id: str, quirks: Quirks) -> str:
    """Write a call's id; where only short ones are taken, others get one made from them."""
    if not quirks.short_call_ids or _SHORT_ID.fullmatch(call_id):
        return call_id
    return hashlib.sha256(call_id.encode(errors="replace")).hexdigest()[:9]


def _wire_tool(tool: ToolSchema) -> Json:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def read_request(body: Json, tail_mark: str) -> ModelRequest:
    """Read a request back; a last user message that begins with the mark is its tail."""
    messages: list[Json] = body["messages"]
    system = [_text(message) for message in messages if message["role"] in {"system", "developer"}]
    said = [message for message in messages if message["role"] in {"user", "assistant", "tool"}]
    tail = ""
    if said and said[-1]["role"] == "user" and _text(said[-1]).startswith(tail_mark):
        tail = _text(said.pop())
    return ModelRequest(
        model=body["model"],
        system="\n\n".join(system),
        tools=tuple(_read_tool(tool["function"]) for tool in body.get("tools") or ()),
        messages=tuple(map(_read_message, said)),
        tail=tail,
    )


def _read_message(message: Json) -> Message:
    return Message(
        role=message["role"],
        content=_text(message),
        tool_calls=tuple(_read_calls(message.get("tool_calls") or ())),
        tool_call_id=message.get("tool_call_id", ""),
    )


def _read_calls(calls: Iterable[Json]) -> Iterable[ToolCall]:
    for call in calls:
        function: Json = call["function"]
        yield ToolCall(id=call["id"], name=function["name"], arguments=function["arguments"])


def _read_tool(function: Json) -> ToolSchema:
    return ToolSchema(
        name=function["name"],
        description=function.get("description", ""),
        parameters=function.get("parameters", {}),
    )


def _text(message: Json) -> str:
    """Give a message's text, also where its content is a list of parts, or nothing."""
    content: Any = message.get("content") or ""
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def usage_body(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
