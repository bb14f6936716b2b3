"""The rehearsal over the wire, where the client's own tests do not reach."""

import json
import time
from typing import Any

import aiohttp

from harness.chat.rehearsal_server import RehearsalServer
from tests.harness.support import rehearse

SCRIPT = "- {when: hi, steps: [{reply: Hello., calls: [{tool: t}]}]}"


async def post(server: RehearsalServer, body: object) -> tuple[int, Any]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.base_url}/chat/completions", json=body) as answer,
    ):
        return answer.status, await answer.json()


async def test_without_streaming_the_answer_is_one_document() -> None:
    """Text, calls, finish and usage in one JSON."""
    body = {"model": "any", "messages": [{"role": "user", "content": "hi"}]}
    async with RehearsalServer(rehearse(SCRIPT)) as server:
        status, answer = await post(server, body)
    choice = answer["choices"][0]
    assert (status, answer["object"], answer["model"]) == (200, "chat.completion", "any")
    assert (choice["message"]["content"], choice["finish_reason"]) == ("Hello.", "tool_calls")
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "t", "arguments": "{}"}
    assert answer["usage"]["total_tokens"] > 0


async def test_it_keeps_the_size_and_the_times_of_each_request() -> None:
    """The bench reads from them what a turn costs beside the model; streamed or not."""
    asked = {"model": "any", "messages": [{"role": "user", "content": "hi"}]}
    before = time.monotonic()
    async with RehearsalServer(rehearse(SCRIPT)) as server:
        await post(server, asked)
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                f"{server.base_url}/chat/completions", json=asked | {"stream": True}
            ) as answer,
        ):
            assert (await answer.text()).endswith("data: [DONE]\n\n")
    assert [served.size for served in server.served] == [
        len(json.dumps(asked)),
        len(json.dumps(asked | {"stream": True})),
    ]
    times = [at for served in server.served for at in (served.received_at, served.answered_at)]
    assert times == sorted(times)
    assert before <= times[0]


async def test_it_lists_itself() -> None:
    """A client that looks for models finds one."""
    async with (
        RehearsalServer() as server,
        aiohttp.ClientSession() as session,
        session.get(f"{server.base_url}/models") as answer,
    ):
        assert [model["id"] for model in (await answer.json())["data"]] == ["rehearsal"]


async def test_a_body_that_is_no_request_is_refused() -> None:
    """400 with an error of the wire's own shape."""
    async with RehearsalServer() as server:
        wrong: list[object] = [
            {},
            [],
            {"model": "x", "messages": "hi"},
            {"model": "x", "messages": [1]},
        ]
        for body in wrong:
            status, answer = await post(server, body)
            assert (status, answer["error"]["type"]) == (400, "rehearsal")


async def test_the_tail_is_not_taken_for_the_persons_words() -> None:
    """The state at the end of a request is ours; the words before it are answered."""
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "user", "content": "[state] Step 39 of 40."},
    ]
    async with RehearsalServer(rehearse(SCRIPT)) as server:
        _, answer = await post(server, {"model": "x", "messages": messages})
    assert answer["choices"][0]["message"]["content"] == "Hello."
