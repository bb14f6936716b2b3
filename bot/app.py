"""The composition root: builds everything from settings, top to bottom, and owns its lifetime.

Read this file to see what exists. With `bot/cli/` it is the only place that constructs stores.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp
from pydantic import SecretStr
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot import listeners
from bot.access import Access
from bot.delivery import Slack
from bot.gateway.ingress import Gestures, Identity, Ingress
from bot.gateway.preflight import Ready, StartError, check_slack, open_ticket
from bot.gateway.socket_mode import SocketGateway
from bot.health import HealthServer, Metrics
from bot.lookups import Lookups
from bot.people import People, Person
from bot.projects import Projects
from bot.readiness import Readiness
from bot.reply import Reply, Target
from bot.rooms import NOTICE_SECONDS, Rooms
from bot.settings import REHEARSAL, Settings
from bot.storekeeper import kept_alive
from bot.threads import Threads
from bot.turns import Desk, Running, Turns
from bot.worker import Worker
from harness.agent import Agent
from harness.chat.openai_chat import OpenAIChat
from harness.chat.rehearsal import Rehearsal
from harness.ports import ChatModel
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from storage.client import Store
from storage.heartbeat import Heartbeat
from storage.ledger import Ledger
from storage.notices import once
from storage.projects import ProjectStore
from storage.queue import Queue
from storage.server import embedded
from storage.sessions import SessionStore
from storage.workers import Registration

CONNECT_SECONDS = 30.0


class App:
    """Deskmate as one process: `async with App(settings)` is a running bot.

    `model` replaces the configured one. Raises `StartError` or `StoreUnavailable`, one sentence.
    """

    def __init__(self, settings: Settings, *, model: ChatModel | None = None) -> None:
        self._settings = settings
        self._model = model or _model_of(settings)
        self._stack = AsyncExitStack()
        self.metrics = Metrics()

    async def __aenter__(self) -> Self:
        async with self._stack as opened:
            await self._build(opened)
            self._stack = opened.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def connected(self) -> None:
        """Wait for the first socket to be open. Raises `StartError` if none is in time."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self.gateway.connected.wait()
        except TimeoutError:
            raise StartError("Slack opened no socket in time; see the log for why.") from None

    async def run_until(self, stop: asyncio.Event) -> None:
        """Run until told to stop; a loop of ours that ends is a bug, and ends the process."""
        working = asyncio.create_task(self.worker.wait())
        working.add_done_callback(lambda _: stop.set())
        await stop.wait()
        if working.done():
            working.result()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    async def _build(self, opened: AsyncExitStack) -> None:
        """Build from the ends inwards; what is opened here is closed in reverse order."""
        settings = self._settings
        http = await opened.enter_async_context(aiohttp.ClientSession(trust_env=True))
        token = _secret(settings.slack_bot_token)
        client = AsyncWebClient(token, settings.slack_api_url, session=http)
        store, ready = await self._open_ends(opened, client)
        me = self.me = ready.me
        if isinstance(self._model, OpenAIChat):
            opened.push_async_callback(self._model.close)
        registration = opened.enter_context(_register(settings.deskmate_home))
        lease = settings.deskmate_lease_seconds
        queue = Queue(store, worker=registration.worker, lease_seconds=lease)
        opened.push_async_callback(queue.leave)
        slack = Slack(client, bot_user=me.user)
        opened.push_async_callback(slack.close)
        lookups = Lookups(slack)
        people = People(lookups.user, time.monotonic)
        access = Access(people, me.team, settings.deskmate_allowed_users)
        threads = Threads(lookups.replies, people, self.me)
        rooms = Rooms(slack, partial(once, store, ttl_seconds=NOTICE_SECONDS), time.time)
        desk = Desk(
            queue=queue,
            sessions=SessionStore(store),
            projects=Projects(settings, ProjectStore(store)),
            agent=Agent(self._model, Toolset(FILE_TOOLS)),
            access=access,
            threads=threads,
            rooms=rooms,
            open_reply=partial(self._open_reply, slack, store),
            metrics=self.metrics,
            zone=settings.deskmate_timezone,
            now=time.time,
        )
        self.worker = Worker(queue, Turns(desk), registration)
        heartbeat = Heartbeat(
            store,
            worker=registration.worker,
            lease_seconds=lease,
            on_lost=self.worker.on_lost,
            on_stop=self.worker.on_stop,
        )
        shows = Gestures(rooms.seen, rooms.nothing_to_stop)
        ingress = Ingress(queue, me, settings.project, access.may, shows, time.time)
        bolt = _bolt(client, me, listeners.Doors(ingress, threads.session_of, self.metrics))
        tickets = _tickets(client, _secret(settings.slack_app_token), ready.ticket)
        self.gateway = SocketGateway(bolt, tickets)
        await self._serve_health(opened, Readiness(queue, self.gateway, self.metrics))
        await self._start(opened, heartbeat)

    async def _start(self, opened: AsyncExitStack, heartbeat: Heartbeat) -> None:
        """Set everything in motion, the socket last: what it brings finds a worker."""
        await opened.enter_async_context(heartbeat)
        opened.push_async_callback(self.worker.drain)
        await self.worker.start(heartbeat)
        opened.push_async_callback(self.gateway.close)
        await self.gateway.start()
        if isinstance(self._model, OpenAIChat):
            # Its SDK takes half a second to import: beside the dial, not in somebody's first turn.
            self._preparing = asyncio.create_task(self._model.prepare())

    async def _open_ends(
        self, opened: AsyncExitStack, client: AsyncWebClient
    ) -> tuple[Store, Ready]:
        """Open the store and try Slack's tokens side by side; both have to be in order."""
        checking = asyncio.create_task(check_slack(client, _secret(self._settings.slack_app_token)))
        try:
            if self._settings.redis_url is not None:
                url, password = _secret(self._settings.redis_url), None
            else:
                server = await opened.enter_async_context(embedded(self._settings.deskmate_home))
                await opened.enter_async_context(kept_alive(server))
                url, password = server.url, server.password
            store = await opened.enter_async_context(Store.connect(url, password))
            return store, await checking
        finally:
            checking.cancel()
            await asyncio.gather(checking, return_exceptions=True)

    def _open_reply(self, slack: Slack, store: Store, running: Running, person: Person) -> Reply:
        lease, incoming = running.lease, running.lease.incoming
        target = Target(
            channel=lease.session.channel,
            thread_ts=lease.session.thread,
            user=incoming.user,
            user_team=incoming.user_team or person.team or self.me.team,
            is_dm=incoming.channel_kind == "im",
            turn_id=lease.turn,
            asked_ts=incoming.id,
            lang=person.locale,
        )
        may_ping = frozenset({str(incoming.user)})
        return Reply(slack, Ledger(store, lease), target, may_ping=may_ping, on_stop=running.stop)

    async def _serve_health(self, opened: AsyncExitStack, readiness: Readiness) -> None:
        address = self._settings.deskmate_http
        self.health = HealthServer(self.metrics, ready=readiness.reasons, refresh=readiness.refresh)
        opened.push_async_callback(self.health.close)
        if address is None:
            return
        try:
            await self.health.start(address)
        except OSError as err:
            raise StartError(
                f"I can't listen on {address.host}:{address.port} ({_reason(err)}). "
                "Set DESKMATE_HTTP to another HOST:PORT, or to off."
            ) from None


def _reason(err: OSError) -> str:
    """Say what the system says, without asyncio's own words around it."""
    return os.strerror(err.errno).lower() if err.errno else str(err)


def _register(home: Path) -> Registration:
    try:
        return Registration(home / "workers")
    except OSError as err:
        raise StartError(
            f"I can't write to {home} ({_reason(err)}). Set DESKMATE_HOME to a folder of mine."
        ) from None


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


def _model_of(settings: Settings) -> ChatModel:
    if settings.deskmate_model == REHEARSAL:
        return Rehearsal()
    return OpenAIChat(_secret(settings.openai_api_key), settings.openai_base_url)


def _bolt(client: AsyncWebClient, me: Identity, doors: listeners.Doors) -> AsyncApp:
    """Wire Slack's surfaces; Bolt runs a listener to its end before it acknowledges."""

    async def authorize() -> AuthorizeResult:
        # The preflight has asked already; Bolt by itself would ask again with the first event.
        return AuthorizeResult(
            enterprise_id=None,
            team_id=me.team,
            bot_user_id=me.user,
            bot_id=me.bot,
            bot_token=client.token,
        )

    bolt = AsyncApp(
        # Without a token of its own: what `authorize` says is the one that counts.
        client=AsyncWebClient(base_url=client.base_url, session=client.session),
        authorize=authorize,
        process_before_response=True,
        ignoring_self_events_enabled=False,
        request_verification_enabled=False,
    )
    listeners.register(bolt, doors)
    return bolt


def _tickets(client: AsyncWebClient, app_token: str, first: str) -> Callable[[], Awaitable[str]]:
    """Give the preflight's ticket to the first dial and a fresh one to every later one."""
    unused = [first]

    async def ticket() -> str:
        return unused.pop() if unused else await open_ticket(client, app_token)

    return ticket
