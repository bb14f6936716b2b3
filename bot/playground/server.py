"""The playground as one object: builds the workspace, listens on 127.0.0.1, stops cleanly.

`async with Playground() as playground:` is all a test or the demo needs.
"""

import asyncio
import secrets
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.playground import installs, routes
from bot.playground.chaos import shake, weather
from bot.playground.clock import Clock
from bot.playground.control import Control, Hand
from bot.playground.deliveries import Deliveries
from bot.playground.errors import SlackError
from bot.playground.faults import Faults
from bot.playground.feed import Feed
from bot.playground.fixture import furnish, furnish_second
from bot.playground.ids import Ids
from bot.playground.journal import Journal
from bot.playground.methods import TABLE
from bot.playground.model import App, Channel, Endpoint, Team
from bot.playground.pages import Page
from bot.playground.people import People
from bot.playground.rates import Rates
from bot.playground.rules import Rules
from bot.playground.sockets import Switchboard
from bot.playground.workspace import Org, Workspace

OWN = frozenset({"use_http"})
HOST = "127.0.0.1"


class Playground:
    """A Slack-compatible workspace on a local port, and a `second` one beside it.

    `port=0` takes any free port; entering raises `OSError` when the port is taken.

    `journal_file` gets every journal entry as a JSON line; `model` is what the page says answers.
    """

    def __init__(
        self,
        port: int = 0,
        *,
        seed: int = 1,
        clock: Clock | None = None,
        rules: Rules | None = None,
        journal_file: Path | None = None,
        model: str = "",
    ) -> None:
        self._port = port
        self._model = model
        self.control_token = secrets.token_urlsafe(24)
        self._build(seed, clock or Clock(), rules or Rules(), journal_file)
        self.app: App = furnish(self.workspace)
        furnish_second(self.second)
        self.workspace.ids.renew(self.workspace.clock.now())
        self.people = People(self.workspace)
        self.second_people = People(self.second)
        self._runner: web.AppRunner | None = None
        self._loops: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        site = web.Application(client_max_size=64 * 1024 * 1024)
        self._add_routes(site)
        self._runner = web.AppRunner(site, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        listener = web.TCPSite(self._runner, HOST, self._port)
        try:
            await listener.start()
        except OSError:
            await self._runner.cleanup()
            raise
        port = self._runner.addresses[0][1]
        for workspace in self.workspace.org.workspaces.values():
            workspace.base_url = f"http://{HOST}:{port}"
        faults = self.workspace.faults
        shaking = shake(self.board, lambda: faults.dial, self.workspace.ids.dice)
        self._loops = [asyncio.create_task(each) for each in (self.board.ping_all(), shaking)]
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.deliveries.close()
        await self.deliveries.callbacks.close()
        for workspace in self.workspace.org.workspaces.values():
            workspace.feed.end()
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await self.board.close()
        if self._runner:
            await self._runner.cleanup()
        self.workspace.clock.close()
        self.workspace.journal.close()

    def set_dial(self, level: int) -> None:
        """Let things go wrong by chance, from 0 (never) to 10; the page's chaos dial."""
        self.workspace.faults.set_dial(level, weather(level))

    @property
    def api_url(self) -> str:
        return f"{self.workspace.base_url}/api/"

    @property
    def page_url(self) -> str:
        return f"{self.workspace.base_url}/"

    @property
    def bot_token(self) -> str:
        return self.app.bot_token

    @property
    def app_token(self) -> str:
        return self.app.app_token

    def channel(self, name: str) -> Channel:
        return self.workspace.channel_named(name)

    async def use_http(self, events: str, interactivity: str = "", commands: str = "") -> str:
        """Send to request URLs from now on, and close the sockets; returns the signing secret.

        `events` is asked for its challenge and takes everything that has no URL of its own;
        raises `url_verification_failed`.
        """
        if not await self.deliveries.callbacks.verify(self.app, events):
            raise SlackError("url_verification_failed")
        endpoint = Endpoint(events, interactivity or events, commands or events)
        for app in installs.everywhere(self.workspace, self.app.id):
            app.endpoint, app.socket_mode = endpoint, False
        for line in self.board.lines_of(self.app):
            await self.board.end(line, "link_disabled")
        return self.app.signing_secret

    def _build(self, seed: int, clock: Clock, rules: Rules, file: Path | None) -> None:
        ids = Ids(seed)
        self.journal = Journal(clock, file, rules.journal_entries)
        self.faults = Faults(ids.dice)
        self.board = Switchboard(self.journal, self.faults, rules, ids.dice)
        self.deliveries = Deliveries(clock, ids, self.journal, self.faults, self.board, rules)
        org = Org(ids.named("E", "org"), "Playground Org")
        home = Team(ids.make("T"), "Playground", "playground")
        second = Team(ids.named("T", "second"), "Harbour", "harbour")
        for team in (home, second):
            org.workspaces[team.id] = Workspace(
                base_url="",
                team=team,
                clock=clock,
                ids=ids,
                journal=self.journal,
                rules=rules,
                rates=Rates(clock),
                faults=self.faults,
                feed=Feed(),
                send=self.deliveries.send,
                org=org,
                tickets=self.board.tickets,
            )
        self.workspace, self.second = org.workspaces.values()

    def _hand(self, act: str, user: str) -> Hand:
        """Give who does an act: the people of the user's workspace, or the playground itself."""
        if act in OWN:
            return getattr(self, act)
        home = self.workspace.org.holding(lambda w: w.has_user(user))
        people = self.second_people if home is self.second else self.people
        return getattr(people, act)

    def _add_routes(self, site: web.Application) -> None:
        control = Control(self.workspace, self.board, self._hand, self.control_token)
        page = Page(self.control_token, self._model)
        routes.add_slack(site, self.workspace, TABLE)
        routes.add_oauth(site, self.workspace)
        routes.add_page(site, page, self.workspace, control)
        routes.add_control(site, control)
        site.router.add_get("/link/", self.board.connect)
