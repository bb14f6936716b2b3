"""Slack's own Python clients: all four Socket Mode clients and both Bolts live the same day."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.builtin import SocketModeHandler
from slack_bolt.app.app import App as SyncApp
from slack_sdk import WebClient
from slack_sdk.socket_mode.aiohttp import SocketModeClient as AiohttpClient
from slack_sdk.socket_mode.builtin import SocketModeClient as BuiltinClient
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.socket_mode.websockets import SocketModeClient as WebsocketsClient
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from bot.playground.model import Shortcut
from tests.bot.playground.clients import Json
from tests.bot.playground.test_views import modal
from tests.support import wait_until

HOME = {"type": "home", "blocks": [{"type": "divider"}]}
Client = Any  # the SDK is not typed
Ids = dict[str, str]


def answer_to(body: Json, kind: str) -> Json | None:
    """Say what an app sends along with its acknowledgement."""
    if kind == "slash_commands":
        return {"text": f"you said {body['text']}"}
    if body.get("type") == "view_submission":
        return {"response_action": "clear"}
    return None


def reaction_to(body: Json, ids: Ids) -> list[tuple[str, Json]]:
    """Say which calls an app makes of what it hears: method of the client, arguments."""
    event: Json = body.get("event") or {}
    if body.get("type") == "shortcut":
        return [("views_open", {"trigger_id": body["trigger_id"], "view": modal()})]
    if event.get("type") == "app_home_opened" and event["tab"] == "home":
        return [("views_publish", {"user_id": event["user"], "view": HOME})]
    if event.get("type") != "app_mention":
        return []
    place = {"channel": event["channel"], "thread_ts": event["ts"]}
    return [
        ("chat_postMessage", {**place, "text": "here"}),
        ("reactions_add", {"channel": place["channel"], "timestamp": event["ts"], "name": "eyes"}),
        ("files_upload_v2", {**place, "content": "a,b", "filename": "a.csv"}),
        (
            "chat_stream",
            {**place, "recipient_user_id": event["user"], "recipient_team_id": ids["team"]},
        ),
    ]


def act(client: Client, body: Json, ids: Ids) -> None:
    for method, arguments in reaction_to(body, ids):
        made = getattr(client, method)(**arguments)
        if method == "chat_stream":
            made.append(markdown_text="streamed")
            made.stop()


async def act_async(client: Client, body: Json, ids: Ids) -> None:
    for method, arguments in reaction_to(body, ids):
        made = await getattr(client, method)(**arguments)
        if method == "chat_stream":
            await made.append(markdown_text="streamed")
            await made.stop()


async def hang_up(playground: Playground) -> None:
    """End the sockets, so that a client that waits for a message need not wait any longer."""
    for line in list(playground.board.lines):
        await playground.board.end(line, "abort")


@asynccontextmanager
async def synchronous(playground: Playground, kind: Callable[..., Client]) -> AsyncGenerator[None]:
    """Run a client of threads."""
    web = WebClient(token=playground.bot_token, base_url=playground.api_url)
    ids = {"team": playground.workspace.team.id}
    client: Client = kind(app_token=playground.app_token, web_client=web)

    def hear(socket: Client, request: Client) -> None:
        answer = answer_to(request.payload, request.type)
        socket.send_socket_mode_response(SocketModeResponse(request.envelope_id, answer))
        act(web, request.payload, ids)

    client.socket_mode_request_listeners.append(hear)
    await asyncio.to_thread(client.connect)
    try:
        yield
    finally:
        client.auto_reconnect_enabled = False
        await hang_up(playground)
        await asyncio.to_thread(client.close)


@asynccontextmanager
async def asynchronous(playground: Playground, kind: Callable[..., Client]) -> AsyncGenerator[None]:
    """Run a client of the event loop."""
    web = AsyncWebClient(token=playground.bot_token, base_url=playground.api_url)
    ids = {"team": playground.workspace.team.id}
    client: Client = kind(app_token=playground.app_token, web_client=web)

    async def hear(socket: Client, request: Client) -> None:
        answer = answer_to(request.payload, request.type)
        await socket.send_socket_mode_response(SocketModeResponse(request.envelope_id, answer))
        await act_async(web, request.payload, ids)

    client.socket_mode_request_listeners.append(hear)
    await client.connect()
    try:
        yield
    finally:
        await client.close()


@asynccontextmanager
async def bolt(playground: Playground, _kind: object) -> AsyncGenerator[None]:
    """Run Bolt's synchronous App; AsyncApp is in every other file."""
    web = WebClient(token=playground.bot_token, base_url=playground.api_url)
    ids = {"team": playground.workspace.team.id}
    app: Any = await asyncio.to_thread(SyncApp, client=web)

    def hear(ack: Client, body: Json) -> None:
        ack(*([{"text": f"you said {body['text']}"}] if "command" in body else []))
        act(web, body, ids)

    def clear(ack: Client) -> None:
        ack(response_action="clear")

    for kind in ("app_mention", "message", "app_home_opened", "reaction_added", "file_shared"):
        app.event(kind)(hear)
    app.command("/deskmate")(hear)
    app.shortcut("ask")(hear)
    app.view("change")(clear)
    handler: Any = SocketModeHandler(app, playground.app_token)
    await asyncio.to_thread(handler.connect)
    try:
        yield
    finally:
        handler.client.auto_reconnect_enabled = False
        await hang_up(playground)
        await asyncio.to_thread(handler.close)


CLIENTS = [
    (synchronous, BuiltinClient),
    (asynchronous, AiohttpClient),
    (asynchronous, WebsocketsClient),
    (bolt, SyncApp),
]
NAMES = ["builtin", "aiohttp", "websockets", "bolt"]


@pytest.mark.parametrize(("run", "kind"), CLIENTS, ids=NAMES)
async def test_a_day_in_the_workspace(playground: Playground, run: Any, kind: Any) -> None:  # noqa: ANN401
    """Posts, threads, streams, reacts, uploads, opens a modal, answers a command, shows Home."""
    playground.app.shortcuts.append(Shortcut("global", "ask", "Ask"))
    people, place = playground.people, playground.channel("api")
    ann = playground.workspace.user_named("ann").id
    stacks = playground.workspace.modals
    async with run(playground, kind):
        await wait_until(lambda: bool(playground.board.lines))
        root = await people.post("ann", "#api", "@Deskmate hello")
        await wait_until(lambda: len(place.replies(root)) == 3)
        await wait_until(lambda: place.replies(root)[-1].text == "streamed")
        await people.command("ann", "#api", "/deskmate", "hi")
        await wait_until(lambda: bool(place.ephemerals))
        await people.shortcut("ann", "ask")
        await wait_until(lambda: bool(stacks.get(ann)))
        await people.submit("ann", values={"why": {"text": "because"}})
        await wait_until(lambda: not stacks[ann])
        await people.open_home("ann")
        await wait_until(lambda: bool(playground.workspace.homes))

    said, file, _ = place.replies(root)
    assert (said.text, file.files[0].content) == ("here", b"a,b")
    assert place.messages[root].reactions == {"eyes": [playground.app.user.id]}
    assert [m.text for m in place.ephemerals.values()] == ["you said hi"]
    assert playground.journal.of("unacknowledged") == []
