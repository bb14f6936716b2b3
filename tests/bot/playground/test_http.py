"""HTTP mode: signed posts to request URLs, retries with their headers, and when Slack gives up."""

import asyncio
import json
import random
import threading
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from slack_bolt.app.app import App as SyncApp
from slack_bolt.app.app import SlackAppDevelopmentServer
from slack_bolt.async_app import AsyncApp
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier

from bot.playground import Clock, Playground, Rules, SlackError
from bot.playground.model import Shortcut
from tests.bot.playground.clients import Api, Json
from tests.bot.playground.test_views import modal
from tests.support import wait_until

Ack = Callable[..., Awaitable[None]]


class Site:
    """A bare request URL: verifies signatures, and answers as the test wants."""

    def __init__(self, secret: str) -> None:
        self._verifier = SignatureVerifier(secret)
        self.status, self.seconds, self.headers = 200, 0.0, dict[str, str]()
        self.body = ""
        self.heard = list[tuple[Json, dict[str, str]]]()
        self.forged = 0

    async def take(self, request: web.Request) -> web.Response:
        body = await request.text()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.forged += not self._verifier.is_valid_request(body, headers)
        shape: Json = _shape(body)
        if shape.get("type") == "url_verification":
            return web.json_response({"challenge": shape["challenge"]})
        self.heard.append((shape, headers))
        await asyncio.sleep(self.seconds)
        return web.Response(status=self.status, text=self.body, headers=self.headers)


def _shape(body: str) -> Json:
    if body.startswith("{"):
        return json.loads(body)
    fields = {name: values[0] for name, values in parse_qs(body).items()}
    return json.loads(fields["payload"]) if "payload" in fields else fields


@asynccontextmanager
async def served(take: Callable[[web.Request], Any]) -> AsyncGenerator[str]:
    application = web.Application()
    application.router.add_post("/slack/events", take)
    runner = web.AppRunner(application, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def connected(**rules: Any) -> AsyncGenerator[tuple[Playground, Site]]:  # noqa: ANN401
    """Run a playground that is impatient, and a site it posts to."""
    bent = Rules(ack_seconds=0.3, **rules)
    async with Playground(clock=Clock(scale=0), rules=bent) as playground:
        site = Site(playground.app.signing_secret)
        async with served(site.take) as url:
            await playground.use_http(url)
            yield playground, site


async def test_an_event_comes_signed() -> None:
    """The signature is of the raw body; there is no retry header on the first try."""
    async with connected() as (playground, site):
        await playground.people.post("ann", "#general", "hello \N{EYES}")
        await wait_until(lambda: len(playground.journal.of("ack")) == 1)

    payload, headers = site.heard[0]
    assert payload["event"]["text"] == "hello \N{EYES}"
    assert (headers["content-type"], site.forged) == ("application/json", 0)
    assert "x-slack-retry-num" not in headers


@pytest.mark.parametrize(("status", "seconds"), [(500, 0.0), (200, 0.6)])
async def test_what_is_not_taken_comes_again(status: int, seconds: float) -> None:
    """An error or silence: at once, after a minute, after five, each try numbered with a reason."""
    async with connected() as (playground, site):
        site.status, site.seconds = status, seconds
        await playground.people.post("ann", "#general", "hello")
        for tries, wait in ((2, 60), (3, 300), (4, 0)):
            await wait_until(lambda n=tries: len(playground.journal.of("unacknowledged")) == n)
            playground.workspace.clock.advance(wait)
        await wait_until(lambda: len(playground.journal.of("gave_up")) == 1)

    numbers = [headers.get("x-slack-retry-num") for _, headers in site.heard]
    reason = "http_timeout" if seconds else "http_error"
    assert numbers == [None, "1", "2", "3"]
    assert {h["x-slack-retry-reason"] for _, h in site.heard[1:]} == {reason}
    assert len({payload["event_id"] for payload, _ in site.heard}) == 1


async def test_an_app_may_ask_for_no_retry() -> None:
    """x-slack-no-retry on a failure is obeyed."""
    async with connected() as (playground, site):
        site.status, site.headers = 503, {"x-slack-no-retry": "1"}
        await playground.people.post("ann", "#general", "hello")
        await wait_until(lambda: len(playground.journal.of("gave_up")) == 1)
        playground.workspace.clock.advance(600)

    assert len(site.heard) == 1


async def test_a_wrong_url_is_not_taken(playground: Playground) -> None:
    """A URL that does not answer the challenge is refused; so is one nobody listens on."""

    async def take(_request: web.Request) -> web.Response:
        return web.Response(text="hello")

    async with served(take) as url:
        with pytest.raises(SlackError, match="url_verification_failed"):
            await playground.use_http(url)
    with pytest.raises(SlackError, match="url_verification_failed"):
        await playground.use_http(url)
    assert playground.app.socket_mode


async def test_an_app_that_takes_nothing_is_switched_off() -> None:
    """Under five in a hundred over an hour: no more events, though people may still press."""
    async with connected(switch_off_events=6, retry_delays=()) as (playground, site):
        site.status = 500
        for n in range(6):
            await playground.people.post("ann", "#general", f"hello {n}")
        await wait_until(lambda: len(playground.journal.of("switched_off")) == 1)
        site.status = 200
        await playground.people.post("ann", "#general", "anybody?")
        await playground.people.command("ann", "#general", "/deskmate")
        await wait_until(lambda: len(site.heard) == 7)

    assert site.heard[-1][0]["command"] == "/deskmate"


async def test_too_many_events_in_an_hour() -> None:
    """Past the limit the app is told once a minute instead."""
    async with connected(events_per_hour=2) as (playground, site):
        for n in range(5):
            await playground.people.post("ann", "#general", f"hello {n}")
        await wait_until(lambda: len(playground.journal.of("ack")) == 3)

    kinds = sorted(payload["type"] for payload, _ in site.heard)
    assert kinds == ["app_rate_limited", "event_callback", "event_callback"]


async def test_a_silent_command_is_told_and_not_repeated() -> None:
    """Nobody presses twice for a person."""
    async with connected() as (playground, site):
        site.status = 500
        ann = playground.workspace.user_named("ann").id
        reader = playground.workspace.feed.open(ann, None)
        await playground.people.command("ann", "#general", "/deskmate")
        await wait_until(lambda: not reader.queue.empty())
        assert "operation_timeout" in str(reader.queue.get_nowait())

    assert len(site.heard) == 1


@pytest.mark.parametrize("body", ["hi there", '{"text": "hi there"}'])
async def test_a_command_is_answered_in_the_response(body: str) -> None:
    """Plain text and JSON both become the private answer."""
    async with connected() as (playground, site):
        site.body = body
        await playground.people.command("ann", "#general", "/deskmate")
        kept = playground.channel("general").ephemerals
        await wait_until(lambda: bool(kept))

    assert [message.text for message in kept.values()] == ["hi there"]


async def test_bolt_over_http(playground: Playground, api: Api) -> None:
    """AsyncApp on its own server: an event, a command, a shortcut, a modal and its errors."""
    playground.app.shortcuts.append(Shortcut("global", "ask", "Ask"))
    app: Any = AsyncApp(client=api.client, signing_secret=playground.app.signing_secret)
    heard = list[Json]()

    @app.event("message")
    async def on_message(event: Json) -> None:
        heard.append(event)

    @app.command("/deskmate")
    async def on_command(ack: Ack) -> None:
        await ack("one moment")

    @app.shortcut("ask")
    async def on_ask(ack: Ack, body: Json, client: Any) -> None:  # noqa: ANN401 - untyped SDK
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal())

    @app.view("change")
    async def on_change(ack: Ack) -> None:
        await ack(response_action="update", view=modal("Again"))

    ann = playground.workspace.user_named("ann").id
    stacks = playground.workspace.modals
    async with served(app.server(port=0, path="/slack/events").handle_post_requests) as url:
        await playground.use_http(url)
        await playground.people.post("ann", "#general", "hello")
        await playground.people.command("ann", "#general", "/deskmate")
        await playground.people.shortcut("ann", "ask")
        await wait_until(lambda: bool(heard and stacks.get(ann)))
        await wait_until(lambda: bool(playground.channel("general").ephemerals))
        await playground.people.submit("ann", values={"why": {"text": "x"}})
        await wait_until(lambda: stacks[ann][0].shape["title"]["text"] == "Again")

    assert heard[0]["text"] == "hello"


async def test_bolt_s_synchronous_app_over_http(playground: Playground) -> None:
    """App on Bolt's development server hears the mention and answers in the thread."""
    client = WebClient(token=playground.bot_token, base_url=playground.api_url)
    secret = playground.app.signing_secret
    app: Any = await asyncio.to_thread(SyncApp, client=client, signing_secret=secret)

    @app.event("app_mention")
    def on_mention(event: Json, say: Callable[..., None]) -> None:
        say(text="here", thread_ts=event["ts"])

    @app.event("message")
    def on_message() -> None:
        """Acknowledge by being there."""

    server: Any = SlackAppDevelopmentServer(0, "/slack/events", app)
    port = server._server.server_address[1]
    thread = threading.Thread(target=server._server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        await playground.use_http(f"http://127.0.0.1:{port}/slack/events")
        root = await playground.people.post("ann", "#api", "@Deskmate hello")
        await wait_until(lambda: bool(playground.channel("api").replies(root)))
    finally:
        await asyncio.to_thread(server._server.shutdown)
        server._server.server_close()

    assert playground.channel("api").replies(root)[0].text == "here"


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_the_app_answers(seed: int) -> None:
    """At most four tries of an event, each numbered; what was taken never returns."""
    dice = random.Random(seed)
    async with connected(retry_delays=(0.0, 0.0, 0.0), switch_off_events=10_000) as (play, site):

        async def moody(request: web.Request) -> web.Response:
            site.status = dice.choice((200, 200, 404, 500, 503))
            site.headers = {"x-slack-no-retry": "1"} if dice.random() < 0.2 else {}
            return await site.take(request)

        async with served(moody) as url:
            endpoint = play.app.endpoint
            assert endpoint
            endpoint.events = url
            for n in range(20):
                await play.people.post("ann", "#general", f"{n} @Deskmate")
            await wait_until(lambda: play.deliveries.waiting == 0)

    tries = defaultdict[str, list[int]](list)
    for entry in play.journal.of("delivery"):
        tries[entry["event_id"]].append(entry["attempt"])
    assert (site.forged, len(tries)) == (0, 40)
    assert all(numbers == list(range(4))[: len(numbers)] for numbers in tries.values())
    for payload, headers in site.heard:
        assert int(headers.get("x-slack-retry-num", 0)) in tries[payload["event_id"]]
    taken = {entry["event_id"]: entry["seq"] for entry in play.journal.of("ack")}
    for entry in play.journal.of("delivery"):
        assert entry["seq"] <= taken.get(entry["event_id"], entry["seq"])
