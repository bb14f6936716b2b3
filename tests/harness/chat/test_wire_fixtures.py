"""Answers of providers, recorded or written after them, replayed to the client over real sockets.

Each file of tests/data/wire is a provider; each exchange says what comes, what has to be sent, and
what the client has to make of it.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.chat.accumulate import Answer
from harness.chat.openai_chat import OpenAIChat
from harness.chat.quirks import Quirks, known
from harness.errors import ModelUnavailable
from harness.models import Message, ModelRequest, ToolCall, Usage
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.harness.chat.endpoint import endpoint, http

WIRE = Path(__file__).parents[2] / "data" / "wire"
Json = dict[str, Any]


def exchanges() -> list[Any]:
    found: list[Any] = []
    for path in sorted(WIRE.glob("*.yaml")):
        provider: Json = yaml.safe_load(path.read_text(encoding="utf-8"))
        for exchange in provider.pop("exchanges"):
            found.append(pytest.param(provider | exchange, id=f"{path.stem}: {exchange['name']}"))
    return found


def written(answer: Json) -> str:
    """The bytes of one answer."""
    status = f"{answer.get('status', 200)} Because"
    if "json" in answer:
        return http(json.dumps(answer["json"]), "application/json", status)
    if "raw" in answer:
        kind = "application/json" if answer["raw"].startswith("{") else "text/event-stream"
        return http(answer["raw"], kind, status)
    between = ": keep-alive\n\n" if answer.get("keep_alive") else ""
    envelope = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [chunk if "error" in chunk else envelope | chunk for chunk in answer["chunks"]]
    lines = [f"{between}data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return http("".join(lines) + "data: [DONE]\n\n")


def request(exchange: Json) -> ModelRequest:
    """A request as the loop builds it; with a history where the exchange asks for one."""
    messages = [Message(role="user", content="hi")]
    if "history_reasoning" in exchange or exchange.get("history"):
        call = ToolCall(id="call_1_0", name="file_list", arguments="{}")
        thought = exchange.get("history_reasoning", "")
        messages.append(Message(role="assistant", tool_calls=(call,), reasoning=thought))
        messages.append(Message(role="tool", tool_call_id=call.id, content="{}"))
    elif exchange["quirks"].startswith("Q9"):
        messages += [Message(role="assistant", content="Yes?"), Message(role="user", content="go")]
    return ModelRequest(
        model=exchange["model"],
        system="You.",
        tools=Toolset(FILE_TOOLS).schemas,
        messages=tuple(messages),
        tail=exchange.get("tail", ""),
        temperature=0.3,
        max_tokens=exchange.get("max_tokens", 2048),
    )


def check_sent(sent: Json, expected: Json) -> None:
    messages: list[Json] = sent["messages"]
    said = [message for message in messages if message["role"] == "assistant"]
    ids: list[str] = [call["id"] for message in said for call in message.get("tool_calls", ())]
    assert [field for field in expected.get("has", ()) if field not in sent] == []
    assert {field: sent.get(field) for field in expected.get("fields", ())} == expected.get(
        "fields", {}
    )
    assert [field for field in expected.get("lacks", ()) if field in sent] == []
    if "last" in expected:
        assert [messages[-1]["role"], messages[-1]["content"]] == expected["last"]
    if "reasoning" in expected:
        assert [message.get("reasoning_content") for message in said] == [expected["reasoning"]]
    if "call_ids" in expected:
        assert ids
        assert all(re.fullmatch(expected["call_ids"], call_id) for call_id in ids)
    if "stream" in expected:
        assert sent["stream"] is expected["stream"]


@pytest.mark.parametrize("exchange", exchanges())
async def test_the_wire_of_a_provider_is_understood(exchange: Json) -> None:
    """Text, calls, finish, usage or error; and the requests are as this provider takes them."""
    model, expect = exchange["model"], exchange["expect"]
    quirks = known(exchange["base_url"], model)
    asked, calls, answer = request(exchange), list[str](), Answer("call_7")
    answers = [written(each) for each in exchange["answers"]]
    async with endpoint(answers, calls=calls) as base_url:
        chat = OpenAIChat("sk-x", base_url, idle_seconds=5, retries=0, quirks={model: quirks})
        try:
            async for delta in chat.complete(asked):
                answer.add(delta)
            assert "error" not in expect
        except ModelUnavailable as error:
            assert (error.reason, error.too_long) == (  # noqa: PT017 - either may come
                expect.get("error"),
                expect.get("too_long", False),
            )
        finally:
            await chat.close()
    for sent, expected in zip(calls, exchange.get("sent", ()), strict="sent" in exchange):
        check_sent(json.loads(sent), expected)
    if "error" not in expect:
        check_answer(answer, expect, asked)
        assert chat.quirks(model) == quirks.model_copy(update=exchange.get("learned", {}))


def check_answer(answer: Answer, expect: Json, asked: ModelRequest) -> None:
    message = answer.message()
    assert message.content == expect.get("text", "")
    assert [[call.id, call.name, call.arguments] for call in message.tool_calls] == expect.get(
        "calls", []
    )
    assert message.reasoning == expect.get("reasoning", "")
    assert (answer.finish, answer.is_whole) == (expect["finish"], expect.get("whole", True))
    if "usage" in expect:
        counted_in, counted_out, cached = expect["usage"]
        assert answer.usage(asked) == Usage(
            input_tokens=counted_in,
            output_tokens=counted_out,
            cached_tokens=cached,
            model_calls=1,
        )
    else:
        assert answer.usage(asked).estimated


def test_every_quirk_has_its_exchange() -> None:
    """Q1 to Q12 of the table, for the providers it names."""
    named = {
        found for each in exchanges() for found in re.findall(r"Q\d+", each.values[0]["quirks"])
    }
    assert named == {f"Q{number}" for number in range(1, 13)}
    assert {path.stem for path in WIRE.glob("*.yaml")} == {
        "openai",
        "deepseek",
        "qwen",
        "mistral",
        "ollama",
        "llama_cpp",
        "generic",
    }


@pytest.mark.parametrize(
    ("base_url", "model", "expected"),
    [
        ("https://api.openai.com/v1", "gpt-4.1", Quirks(max_tokens="max_completion_tokens")),
        (
            "https://api.openai.com/v1",
            "o4-mini",
            Quirks(max_tokens="max_completion_tokens", temperature=False),
        ),
        ("https://api.moonshot.ai/v1", "kimi-k2-thinking", Quirks(echo_reasoning=True)),
        ("http://localhost:8000/v1", "Mixtral-8x7B", Quirks(tail="behind", short_call_ids=True)),
        ("http://localhost:8000/v1", "whatever", Quirks()),
    ],
)
def test_an_endpoint_is_known_by_its_address_and_its_models_name(
    base_url: str, model: str, expected: Quirks
) -> None:
    """What nobody knows gets nothing unusual."""
    assert known(base_url, model) == expected
