"""slack_sdk and Bolt as the tests hold them: real clients, typed at this edge."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground

Json = dict[str, Any]


class Api:
    """slack_sdk's own method for each Web API name: `await api("chat.postMessage", ...)`."""

    def __init__(self, playground: Playground, token: str | None = None) -> None:
        self.client = AsyncWebClient(
            token=playground.bot_token if token is None else token, base_url=playground.api_url
        )

    async def __call__(self, method: str, **arguments: object) -> Json:
        client: Any = self.client
        answer: Any = await getattr(client, _function(method))(**arguments)
        return answer.data

    async def raw(self, method: str, **arguments: object) -> Any:  # noqa: ANN401 - untyped SDK
        """Call and give the whole answer, with status and headers."""
        client: Any = self.client
        return await getattr(client, _function(method))(**arguments)

    async def refused(self, method: str, **arguments: object) -> str:
        """Call, expecting a refusal; gives Slack's error name."""
        return (await self.refusal(method, **arguments))["error"]

    async def refusal(self, method: str, **arguments: object) -> Json:
        """Call, expecting a refusal; gives the whole body."""
        try:
            await self(method, **arguments)
        except SlackApiError as error:
            response: Any = error.response  # pyright: ignore[reportUnknownMemberType] - untyped SDK
            return response.data
        raise AssertionError(f"{method} was not refused")


def _function(method: str) -> str:
    """Turn `conversations.list` into `conversations_list`, `users.lookupByEmail` likewise."""
    return method.replace(".", "_")


@asynccontextmanager
async def listening(playground: Playground) -> AsyncGenerator[list[Json]]:
    """Run a Bolt app over Socket Mode; gives the bodies of the events it hears, as they come."""
    heard = list[Json]()
    app: Any = AsyncApp(
        client=AsyncWebClient(token=playground.bot_token, base_url=playground.api_url),
        ignoring_self_events_enabled=False,
    )

    @app.middleware
    async def remember(body: Json, next_: Callable[[], Awaitable[None]]) -> None:
        heard.append(body)
        await next_()

    async def take() -> None:
        """Acknowledge by being there."""

    for kind in playground.app.events:
        app.event(kind.partition(".")[0])(take)
    handler: Any = AsyncSocketModeHandler(app, playground.app_token, ping_interval=0.5)
    await handler.connect_async()
    try:
        yield heard
    finally:
        await handler.close_async()


def events(heard: list[Json], kind: str) -> list[Json]:
    """Give the events of one type among what was heard."""
    return [body["event"] for body in heard if body.get("event", {}).get("type") == kind]
