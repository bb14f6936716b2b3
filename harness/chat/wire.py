"""How our nouns look on the OpenAI wire (Chat Completions), both ways, as plain JSON values.

Neighbours: `openai_chat` (speaks it as a client), `rehearsal_server` (as a server).
"""

from collections.abc import Iterable
from typing import Any

from harness.models import Message, ModelRequest, ToolCall, ToolSchema, Usage

Json = dict[str, Any]


def request_body(request: ModelRequest) -> Json:
    """Write a request: one system message, the history, the tail as a last user message."""
    messages: list[Json] = [{"role": "system", "content": request.system}]
    messages += [_wire_message(message) for message in request.messages]
    if request.tail:
        messages.append({"role": "user", "content": request.tail})
    body: Json = {"model": request.model, "messages": messages}
    if request.tools:
        body["tools"] = [_wire_tool(tool) for tool in request.tools]
    return body


def _wire_message(message: Message) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    # No text beside calls is null: an empty string is what some endpoints refuse.
    return {
        "role": message.role,
        "content": message.content or None,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ],
    }


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
