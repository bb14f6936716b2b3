"""One call, many encodings: each sender's way of saying the same thing is understood."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk import WebClient

from bot.playground import Playground
from tests.bot.playground.clients import Json

BLOCKS = [{"type": "section", "text": {"type": "mrkdwn", "text": "*hi*"}}]


@pytest.fixture
async def session(playground: Playground) -> AsyncIterator[aiohttp.ClientSession]:
    headers = {"Authorization": f"Bearer {playground.bot_token}"}
    async with aiohttp.ClientSession(playground.api_url, headers=headers) as opened:
        yield opened


async def post(session: aiohttp.ClientSession, method: str, **request: object) -> Json:
    client: Any = session
    async with client.post(method, **request) as response:
        assert response.status == 200
        return await response.json()


async def test_json(session: aiohttp.ClientSession, channel: str) -> None:
    """A JSON body with nested values."""
    posted = await post(
        session, "chat.postMessage", json={"channel": channel, "text": "hi", "blocks": BLOCKS}
    )

    assert posted["message"]["blocks"][0]["text"]["text"] == "*hi*"


async def test_a_form_with_json_inside(playground: Playground, channel: str) -> None:
    """The JavaScript client sends forms, nested values as JSON strings, the token inside."""
    form = {"channel": channel, "text": "hi", "blocks": json.dumps(BLOCKS), "unfurl_links": "false"}
    async with aiohttp.ClientSession(playground.api_url) as bare:
        posted = await post(bare, "chat.postMessage", data={**form, "token": playground.bot_token})

    assert posted["message"]["blocks"][0]["text"]["text"] == "*hi*"


async def test_multipart(session: aiohttp.ClientSession, channel: str) -> None:
    """Fields of a multipart body count like those of a form."""
    form = aiohttp.FormData({"channel": channel, "text": "hi"}, default_to_multipart=True)

    assert (await post(session, "chat.postMessage", data=form))["message"]["text"] == "hi"


async def test_query_with_an_empty_body(
    playground: Playground, session: aiohttp.ClientSession, channel: str
) -> None:
    """Python's client posts some methods with everything in the query string."""
    ts = await playground.people.post("ann", "#api", "hello")
    query = {"channel": channel, "timestamp": ts, "name": "eyes"}

    assert (await post(session, "reactions.add", params=query))["ok"]
    assert playground.journal.calls("reactions.add")[0]["encoding"] == "query"


async def test_get(playground: Playground, session: aiohttp.ClientSession) -> None:
    """Reads come as GET."""
    async with session.get("users.info", params={"user": playground.app.user.id}) as response:
        assert (await response.json())["user"]["is_bot"]


async def test_a_read_that_takes_no_json(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """users.info reads query and form only: a JSON body is as good as none."""
    refused = await post(session, "users.info", json={"user": playground.app.user.id})

    assert refused["error"] == "invalid_arguments"
    assert "[ERROR] missing required field: user" in refused["response_metadata"]["messages"]


@pytest.mark.parametrize(
    ("body", "kind", "error"),
    [
        (b"{not json", "application/json", "invalid_json"),
        (b"[1]", "application/json", "json_not_object"),
        (b"<a/>", "application/xml", "invalid_post_type"),
        (b"--x", "multipart/form-data; boundary=y", "invalid_form_data"),
    ],
)
async def test_bodies_nobody_can_read(
    session: aiohttp.ClientSession, body: bytes, kind: str, error: str
) -> None:
    """Each kind of nonsense has its own error."""
    refused = await post(session, "auth.test", data=body, headers={"Content-Type": kind})

    assert refused["error"] == error


async def test_a_token_in_json_is_no_token(playground: Playground) -> None:
    """Slack takes a token from header, form or query, never from a JSON body."""
    async with aiohttp.ClientSession(playground.api_url) as bare:
        refused = await post(bare, "auth.test", json={"token": playground.bot_token})
        taken = await post(bare, "auth.test", params={"token": playground.bot_token})

    assert (refused["error"], taken["ok"]) == ("not_authed", True)


async def test_tokens_stay_out_of_the_journal(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """Whatever way a token came, no entry carries it."""
    await post(session, "auth.test", params={"token": playground.bot_token})
    await post(session, "auth.test", json={"token": playground.bot_token})
    await post(session, "auth.test", data={"token": playground.bot_token})

    assert playground.bot_token not in json.dumps(list(playground.journal))


def use_the_synchronous_client(url: str, token: str, channel: str) -> list[str]:
    """Post, reply, react, upload and read, all with urllib; gives the texts of the thread."""
    client: Any = WebClient(token=token, base_url=url)
    root = client.chat_postMessage(channel=channel, text="root", blocks=BLOCKS)["ts"]
    client.chat_postMessage(channel=channel, text="reply", thread_ts=root)
    client.reactions_add(channel=channel, timestamp=root, name="eyes")
    client.files_upload_v2(content="a,b", filename="a.csv", channel=channel, thread_ts=root)
    client.chat_update(channel=channel, ts=root, text="new root")
    return [m["text"] for m in client.conversations_replies(channel=channel, ts=root)["messages"]]


async def test_the_synchronous_client(playground: Playground, channel: str) -> None:
    """slack_sdk's WebClient speaks over urllib; the playground answers the same."""
    texts = await asyncio.to_thread(
        use_the_synchronous_client, playground.api_url, playground.bot_token, channel
    )

    assert texts[:2] == ["new root", "reply"]
