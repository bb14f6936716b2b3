"""The client over real sockets: what it sends, what it makes of answers, what it says of errors."""

import asyncio
import socket
import traceback
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from harness.chat.openai_chat import OpenAIChat
from harness.chat.rehearsal_server import RehearsalServer
from harness.errors import ModelUnavailable
from harness.models import Delta, Message, ModelRequest, ToolCall, ToolCallDelta, ToolSchema, Usage
from tests.harness.chat.endpoint import endpoint, http
from tests.harness.support import rehearse
from tests.support import wait_until

KEY = "sk-secret-1234567890"
CHUNK = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]}\n\n'


def request(text: str = "hi") -> ModelRequest:
    return ModelRequest(
        model="gpt-x", system="You.", messages=(Message(role="user", content=text),)
    )


@asynccontextmanager
async def chat_with(base_url: str, idle_seconds: float = 5.0) -> AsyncGenerator[OpenAIChat]:
    """A client that gives up at the first error, so that tests are quick."""
    chat = OpenAIChat(KEY, base_url, idle_seconds=idle_seconds, retries=0)
    try:
        yield chat
    finally:
        await chat.close()


async def collect(base_url: str, idle_seconds: float = 5.0) -> list[Delta]:
    async with chat_with(base_url, idle_seconds) as chat:
        return [delta async for delta in chat.complete(request())]


async def collect_from(script: str) -> list[Delta]:
    async with RehearsalServer(rehearse(script)) as server:
        return await collect(server.base_url)


async def test_an_answer_arrives_in_fragments_with_its_usage() -> None:
    """Text, finish and counted tokens come through."""
    deltas = await collect_from("""
    - when: hi
      steps: [{reply: Hello there., input_tokens: 9, output_tokens: 2, cached_tokens: 5}]
    """)
    assert "".join(delta.text for delta in deltas) == "Hello there."
    assert deltas[-1].finish == "stop"
    assert [delta.usage for delta in deltas if delta.usage] == [
        Usage(input_tokens=9, output_tokens=2, cached_tokens=5, model_calls=1)
    ]


async def test_tool_calls_arrive_by_index() -> None:
    """Two calls in one answer stay two."""
    deltas = await collect_from("""
    - when: hi
      steps: [{calls: [{tool: a, arguments: {x: 1}}, {tool: b, arguments: "{}"}]}]
    """)
    assert [delta.tool_call for delta in deltas if delta.tool_call] == [
        ToolCallDelta(0, "call_0_0", "a", '{"x": 1}'),
        ToolCallDelta(1, "call_0_1", "b", "{}"),
    ]
    assert deltas[-1].finish == "tool_calls"


async def test_the_request_is_written_as_the_wire_wants_it() -> None:
    """One system message first, calls and results in place, the tail last, no tool choice."""
    call = ToolCall(id="a", name="look", arguments="{}")
    asked = ModelRequest(
        model="gpt-x",
        system="You.",
        tools=(ToolSchema(name="look", description="Looks.", parameters={"type": "object"}),),
        messages=(
            Message(role="user", content="hi"),
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", tool_call_id="a", content="{}"),
        ),
        tail="[state] Step 2 of 40.",
    )
    async with (
        RehearsalServer(rehearse("- {when: hi, steps: [{reply: ok}]}")) as server,
        chat_with(server.base_url) as chat,
    ):
        deltas = [delta async for delta in chat.complete(asked)]
    assert deltas[0].text == "ok"
    function = {"name": "look", "arguments": "{}"}
    assert server.requests[0] == {
        "model": "gpt-x",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Looks.",
                    "parameters": {"type": "object"},
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "You."},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "a", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "a", "content": "{}"},
            {"role": "user", "content": "[state] Step 2 of 40."},
        ],
    }


@pytest.mark.parametrize(
    ("status", "reason", "needs_operator"),
    [
        (400, "it refuses the request (400)", True),
        (401, "it refuses the key (401)", True),
        (402, "the account has no credit (402)", True),
        (403, "it refuses us (403)", True),
        (404, "it knows no model `gpt-x` (404)", True),
        (408, "timeout", False),
        (413, "the request is too large for it (413)", True),
        (429, "rate limited (429)", False),
        (500, "server error (500)", False),
        (503, "server error (503)", False),
    ],
)
async def test_each_refusal_has_its_words(status: int, reason: str, needs_operator: bool) -> None:  # noqa: FBT001 - a table
    """The reason fits into the sentence a person reads; the model in process says the same."""
    script = f"- {{when: hi, steps: [{{fail: {{status: {status}, retry_after: 3}}}}]}}"
    with pytest.raises(ModelUnavailable) as over_the_wire:
        await collect_from(script)
    with pytest.raises(ModelUnavailable) as in_process:
        _ = [delta async for delta in rehearse(script).complete(request())]
    for error in (over_the_wire.value, in_process.value):
        assert (error.reason, error.needs_operator) == (reason, needs_operator)
        assert error.retry_after == 3


async def test_a_refusal_that_is_no_json_is_told_by_its_status() -> None:
    """Gateways answer with pages of HTML; the status is enough."""
    page = http("<html>Bad gateway</html>", "text/html", "502 Bad Gateway")
    async with endpoint(page) as base_url:
        with pytest.raises(ModelUnavailable, match=r"^server error \(502\)$"):
            await collect(base_url)


async def test_a_wait_can_be_asked_for_by_date() -> None:
    """Retry-After may be a date; it is measured by the endpoint's own clock."""
    dated = http("{}", "application/json", "429 Too Many Requests").replace(
        "Connection:",
        "Date: Mon, 02 Mar 2026 14:05:00 GMT\r\n"
        "Retry-After: Mon, 02 Mar 2026 14:06:30 GMT\r\nConnection:",
    )
    async with endpoint(dated) as base_url:
        with pytest.raises(ModelUnavailable) as caught:
            await collect(base_url)
    assert caught.value.retry_after == 90


async def test_nobody_listening_is_told_as_such() -> None:
    """A refused connection."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(ModelUnavailable, match=r"^cannot connect$"):
            await collect(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize("begun", ["", http(CHUNK % ('"Hel"', "null"))])
async def test_silence_is_a_timeout(begun: str) -> None:
    """Before the first byte and in the middle of an answer alike."""
    async with endpoint(begun, hold=True) as base_url:
        with pytest.raises(ModelUnavailable, match=r"^timeout$"):
            await collect(base_url, idle_seconds=0.1)


async def test_silence_is_not_waited_for_once_per_retry() -> None:
    """The time to the first byte is bounded over all tries together."""
    async with endpoint("", hold=True) as base_url:
        chat = OpenAIChat(KEY, base_url, idle_seconds=0.2)
        with pytest.raises(ModelUnavailable, match=r"^timeout$"):
            async with asyncio.timeout(0.7):
                _ = [delta async for delta in chat.complete(request())]
        await chat.close()


@pytest.mark.parametrize(
    "body",
    [
        CHUNK % ('"Hel"', "null"),
        CHUNK % ('"Hel"', "null") + 'data: {"id": "1", "cho',
        CHUNK % ('"Hel"', "null") + "data: {broken}\n\n",
        CHUNK % ('"Hel"', "null") + "data: [1, 2]\n\n",
        CHUNK % ('"Hel"', "null") + 'data: "text"\n\n',
        CHUNK % ('"Hel"', "null") + "data: [DONE]\n\n",
    ],
)
async def test_an_answer_that_breaks_off_has_no_finish(body: str) -> None:
    """Cut, corrupt or foreign fragments end the stream; the text before them is kept."""
    async with endpoint(http(body)) as base_url:
        assert await collect(base_url) == [Delta(text="Hel")]


async def test_a_connection_cut_in_the_middle_has_no_finish() -> None:
    """The server goes away inside a chunked answer."""
    deltas = await collect_from("- {when: hi, steps: [{reply: one two three four, cut: true}]}")
    assert [delta.text for delta in deltas] in ([], ["one "], ["one ", "two "])
    assert not any(delta.finish for delta in deltas)


@pytest.mark.parametrize(
    "answer", [http("<html>hello</html>", "text/html"), http(""), http('{"choices": []}')]
)
async def test_an_endpoint_that_is_no_model_sends_nothing(answer: str) -> None:
    """A web page where the model should be is not an answer."""
    async with endpoint(answer) as base_url:
        assert await collect(base_url) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ('{"message": "overloaded", "code": 529}', "server error (529)"),
        ('{"message": "boom"}', "it reports an error"),
    ],
)
async def test_an_error_inside_the_stream_is_told(error: str, reason: str) -> None:
    """Some gateways begin with 200 and fail later."""
    async with endpoint(http(f'data: {{"error": {error}}}\n\n')) as base_url:
        with pytest.raises(ModelUnavailable) as caught:
            await collect(base_url)
    assert (caught.value.reason, caught.value.__cause__) == (reason, None)


async def test_fragments_of_other_shapes_are_understood() -> None:
    """No choices, content as parts, null deltas and half a character: all seen in the field."""
    body = (
        'data: {"id":"1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'
        + CHUNK % ("null", "null")
        + CHUNK % ('[{"type":"text","text":"Hi "}]', "null")
        + CHUNK % (r'"\ud83d"', "null")
        + CHUNK % (r'"\ude00"', '"stop"')
        + "data: [DONE]\n\n"
    )
    async with endpoint(http(body)) as base_url:
        deltas = await collect(base_url)
    assert deltas == [
        Delta(usage=Usage(input_tokens=3, output_tokens=4, model_calls=1)),
        Delta(text="Hi "),
        Delta(text="😀"),
        Delta(finish="stop"),
    ]


async def test_an_endpoint_that_cannot_count_is_asked_once() -> None:
    """It refuses the option; from then on the request goes without it."""
    refusal = '{"error": {"message": "Unknown field: stream_options"}}'
    calls: list[str] = []
    page = http(refusal, "application/json", "400 Bad Request")
    async with endpoint(page, calls=calls) as base_url, chat_with(base_url) as chat:
        for _ in range(2):
            with pytest.raises(ModelUnavailable, match=r"^it refuses the request \(400\)$"):
                _ = [delta async for delta in chat.complete(request())]
    assert ["stream_options" in call for call in calls] == [True, False, False]


async def test_neither_key_nor_address_nor_body_gets_into_an_error() -> None:
    """What the endpoint wrote stays out of the message and out of the traceback."""
    body = f'{{"error": {{"message": "Incorrect key {KEY}, account acme"}}}}'
    async with endpoint(http(body, "application/json", "401 Unauthorized")) as base_url:
        with pytest.raises(ModelUnavailable) as caught:
            await collect(base_url.replace("http://", f"http://ann:{KEY[3:]}@"))
    written = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    for secret in (KEY, KEY[3:], "acme"):
        assert secret not in written


async def test_a_passing_error_is_repeated_before_anybody_hears_of_it() -> None:
    """The SDK tries again by itself."""
    script = (
        "- {when: hi, steps: [{reply: Hello., fail: {status: 500, retry_after: 0.01}, times: 1}]}"
    )
    async with RehearsalServer(rehearse(script)) as server:
        chat = OpenAIChat(KEY, server.base_url)
        deltas = [delta async for delta in chat.complete(request())]
        await chat.close()
    assert (deltas[0].text, len(server.requests)) == ("Hello.", 2)


async def test_cancelling_hangs_up_at_once() -> None:
    """The endpoint sees the line go dead, whether it was silent or speaking."""
    script = "- {when: hi, steps: [{reply: one two three, hang: 60}]}"
    async with RehearsalServer(rehearse(script)) as server, chat_with(server.base_url) as chat:
        task = asyncio.create_task(anext(chat.complete(request())))
        await wait_until(lambda: bool(server.requests))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 1)
        await wait_until(lambda: server.left == 1)


async def test_leaving_an_answer_hangs_up() -> None:
    """Closing the stream early frees the endpoint."""
    script = "- {when: hi, steps: [{reply: one two three, pace: 60000}]}"
    async with RehearsalServer(rehearse(script)) as server, chat_with(server.base_url) as chat:
        deltas = chat.complete(request())
        assert (await anext(deltas)).text == "one "
        await deltas.aclose()
        await wait_until(lambda: server.left == 1)
