"""Socket Mode as Bolt sees it: mentions, own messages, acknowledgements."""

from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground
from tests.support import wait_until


async def test_a_mention_arrives_as_a_pair(playground: Playground, client: AsyncWebClient) -> None:
    """A mention in a channel comes as message and app_mention: two event ids, one ts."""
    app, heard = AsyncApp(client=client), list[tuple[str, dict[str, Any]]]()

    @app.event("message")
    async def on_message(event: dict[str, Any], body: dict[str, Any]) -> None:
        heard.append((body["event_id"], event))

    @app.event("app_mention")
    async def on_mention(event: dict[str, Any], body: dict[str, Any]) -> None:
        heard.append((body["event_id"], event))

    handler = AsyncSocketModeHandler(app, playground.app_token)
    await handler.connect_async()
    ts = await playground.people.post("ann", "#api", "@Deskmate hello")
    await wait_until(lambda: len(heard) == 2)
    await handler.close_async()

    assert {event["type"] for _, event in heard} == {"message", "app_mention"}
    assert {event["ts"] for _, event in heard} == {ts}
    assert heard[0][0] != heard[1][0]
    assert heard[0][1]["text"] == f"<@{playground.app.user.id}> hello"
