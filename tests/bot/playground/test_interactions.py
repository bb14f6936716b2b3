"""Buttons and slash commands, as Bolt hears and answers them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.playground import Playground, SlackError
from tests.bot.playground.clients import Api, Json
from tests.support import wait_until

Ack = Callable[..., Awaitable[None]]
Bolt = Any  # the SDK is not typed
BUTTON = {
    "type": "actions",
    "block_id": "choice",
    "elements": [
        {
            "type": "button",
            "action_id": "yes",
            "text": {"type": "plain_text", "text": "Yes"},
            "value": "v1",
        }
    ],
}


@asynccontextmanager
async def running(playground: Playground, app: Bolt) -> AsyncGenerator[None]:
    handler: Any = AsyncSocketModeHandler(app, playground.app_token)
    await handler.connect_async()
    try:
        yield
    finally:
        await handler.close_async()


@pytest.fixture
def bolt(api: Api) -> Bolt:
    return AsyncApp(client=api.client)


def ephemerals(playground: Playground, channel: str = "api") -> list[str]:
    return [message.text for message in playground.channel(channel).ephemerals.values()]


async def test_a_click_reaches_its_listener(
    playground: Playground, api: Api, channel: str, bolt: Bolt
) -> None:
    """The payload names person, message and action; the response_url replaces the message."""
    heard = list[Json]()

    @bolt.action("yes")
    async def on_yes(ack: Ack, body: Json, respond: Ack) -> None:
        await ack()
        heard.append(body)
        await respond(text="chosen", replace_original=True)

    root = await playground.people.post("ann", "#api", "root")
    posted = await api(
        "chat.postMessage", channel=channel, text="?", blocks=[BUTTON], thread_ts=root
    )
    async with running(playground, bolt):
        await playground.people.click("ben", "#api", posted["ts"], action_id="yes")
        message = playground.channel("api").messages[posted["ts"]]
        await wait_until(lambda: message.text == "chosen")

    body = heard[0]
    assert body["user"]["id"] == playground.workspace.user_named("ben").id
    assert body["container"]["message_ts"] == body["message"]["ts"] == posted["ts"]
    assert body["container"]["thread_ts"] == body["message"]["thread_ts"] == root
    assert (body["actions"][0]["block_id"], body["actions"][0]["value"]) == ("choice", "v1")
    assert message.blocks == []


async def test_only_what_is_there_can_be_pressed(
    playground: Playground, api: Api, channel: str
) -> None:
    """A button that the message does not have is invalid_action."""
    posted = await api("chat.postMessage", channel=channel, text="?", blocks=[BUTTON])

    with pytest.raises(SlackError, match="invalid_action"):
        await playground.people.click("ben", "#api", posted["ts"], action_id="no")


async def test_a_click_nobody_hears_is_told(playground: Playground, api: Api, channel: str) -> None:
    """Without a socket the person sees that the app did not answer, and nothing is sent again."""
    posted = await api("chat.postMessage", channel=channel, text="?", blocks=[BUTTON])
    ann = playground.workspace.user_named("ann")
    reader = playground.workspace.feed.open(ann.id, None)

    await playground.people.click("ann", "#api", posted["ts"], action_id="yes")

    assert "operation_timeout" in str(reader.queue.get_nowait())
    assert len(playground.journal.of("undelivered", envelope="interactive")) == 1


async def test_feedback_buttons_carry_the_choice(
    playground: Playground, api: Api, channel: str, bolt: Bolt
) -> None:
    """context_actions with feedback_buttons send the value that was pressed."""
    heard = list[Json]()

    @bolt.action("feedback")
    async def on_feedback(ack: Ack, action: Json) -> None:
        await ack()
        heard.append(action)

    sides = {
        f"{side}_button": {"text": {"type": "plain_text", "text": side}, "value": side}
        for side in ("positive", "negative")
    }
    element = {"type": "feedback_buttons", "action_id": "feedback", **sides}
    block = {"type": "context_actions", "elements": [element]}
    posted = await api("chat.postMessage", channel=channel, text="?", blocks=[block])
    async with running(playground, bolt):
        await playground.people.click(
            "ann", "#api", posted["ts"], action_id="feedback", value="negative"
        )
        await wait_until(lambda: bool(heard))

    assert (heard[0]["type"], heard[0]["value"]) == ("feedback_buttons", "negative")


async def test_a_command_is_answered_in_private(playground: Playground, bolt: Bolt) -> None:
    """The text of the acknowledgement and of respond() are seen by the person alone."""

    @bolt.command("/deskmate")
    async def on_command(ack: Ack, command: Json, respond: Ack) -> None:
        await ack(f"one moment: {command['text']}")
        await respond("here you are")

    async with running(playground, bolt):
        await playground.people.command("ann", "#api", "/deskmate help me")
        await wait_until(lambda: len(ephemerals(playground)) == 2)

    assert set(ephemerals(playground)) == {"one moment: help me", "here you are"}


async def test_an_answer_for_everybody(playground: Playground, bolt: Bolt, channel: str) -> None:
    """response_type in_channel posts an ordinary message."""

    @bolt.command("/deskmate")
    async def on_command(ack: Ack) -> None:
        await ack({"response_type": "in_channel", "text": "hello all"})

    async with running(playground, bolt):
        await playground.people.command("ann", channel, "/deskmate")
        await wait_until(lambda: len(playground.channel("api").messages) == 1)

    assert [m.text for m in playground.channel("api").messages.values()] == ["hello all"]


@pytest.mark.parametrize(
    ("said", "in_thread", "error"),
    [
        ("/deskmate help", True, "command_not_supported_in_threads"),
        ("/nobody", False, "invalid_command"),
    ],
)
async def test_commands_slack_refuses(
    playground: Playground, said: str, *, in_thread: bool, error: str
) -> None:
    """There are no slash commands in threads, and unknown ones are unknown."""
    root = await playground.people.post("ann", "#api", "root")

    with pytest.raises(SlackError, match=error):
        await playground.people.command("ann", "#api", said, thread_ts=root if in_thread else "")


async def test_a_response_url_wears_out(playground: Playground, bolt: Bolt) -> None:
    """Five uses, then used_url; half an hour, then expired_url."""
    urls = list[str]()

    @bolt.command("/deskmate")
    async def on_command(ack: Ack, command: Json) -> None:
        await ack()
        urls.append(command["response_url"])

    async with running(playground, bolt):
        await playground.people.command("ann", "#api", "/deskmate")
        await playground.people.command("ann", "#api", "/deskmate")
        await wait_until(lambda: len(urls) == 2)

    async with aiohttp.ClientSession() as session:

        async def use(url: str) -> tuple[int, str]:
            async with session.post(url, json={"text": "hi"}) as answer:
                return answer.status, await answer.text()

        uses = [await use(urls[0]) for _ in range(6)]
        playground.workspace.clock.advance(1801)
        late = await use(urls[1])

    assert uses[:5] == [(200, "ok")] * 5
    assert (uses[5][0], "used_url" in uses[5][1]) == (404, True)
    assert (late[0], "expired_url" in late[1]) == (404, True)
