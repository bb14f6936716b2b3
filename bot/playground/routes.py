"""Which address leads where: the Slack surface, the page, and the control API behind its token."""

from collections.abc import Mapping

from aiohttp import web

from bot.playground import control, dispatch, oauth_pages, pages, response_urls, uploads
from bot.playground.control import Control
from bot.playground.errors import SlackError
from bot.playground.methods.table import Method
from bot.playground.model import User
from bot.playground.workspace import Workspace


def add_slack(site: web.Application, workspace: Workspace, table: Mapping[str, Method]) -> None:
    """Add what Slack has: the Web API, uploads, private files, response URLs."""

    async def api(request: web.Request) -> web.StreamResponse:
        return await dispatch.answer(workspace, table, request)

    async def upload(request: web.Request) -> web.Response:
        return await uploads.receive(workspace, request)

    async def private_file(request: web.Request) -> web.Response:
        return await uploads.serve(workspace, request)

    async def respond(request: web.Request) -> web.Response:
        return await response_urls.take(workspace, request)

    site.router.add_route("*", "/api/{method}", api)
    site.router.add_post("/upload/v1/{file}", upload)
    site.router.add_get("/files-pri/{place}/{name}", private_file)
    site.router.add_post("/response/{app}/{key}", respond)


def add_page(site: web.Application, page: pages.Page, workspace: Workspace, guard: Control) -> None:
    """Add the web page and what it reads."""

    async def index(request: web.Request) -> web.Response:
        control.check_host(request)
        return page.index()

    async def asset(request: web.Request) -> web.StreamResponse:
        return pages.asset(request.match_info["name"])

    async def state(request: web.Request) -> web.Response:
        guard.check(request)
        return dispatch.Answer(page.snapshot(*_reader(workspace, request)))

    async def events(request: web.Request) -> web.StreamResponse:
        guard.check(request)
        place, user = _reader(workspace, request)
        return await pages.stream_events(place, request, user)

    async def file(request: web.Request) -> web.Response:
        guard.check(request, query_too=True)
        file_id = request.match_info["file"]
        place = workspace.org.holding(lambda w: file_id in w.files)
        return pages.download(place, file_id)

    site.router.add_get("/", index)
    site.router.add_get("/static/{name}", asset)
    site.router.add_get("/_playground/state", state)
    site.router.add_get("/_playground/events", events)
    site.router.add_get("/_playground/files/{file}", file)


def add_control(site: web.Application, guard: Control) -> None:
    """Add the control API."""

    async def journal(request: web.Request) -> web.Response:
        return guard.journal(request)

    site.router.add_get("/_playground/journal", journal)
    site.router.add_post("/_playground/{action}", guard.act)


def add_oauth(site: web.Application, workspace: Workspace) -> None:
    """Add the page where a person allows an app in, and webhooks."""

    async def ask(request: web.Request) -> web.Response:
        control.check_host(request)
        return oauth_pages.ask(workspace, request)

    async def decide(request: web.Request) -> web.Response:
        control.check_host(request)
        return await oauth_pages.decide(workspace, request)

    async def webhook(request: web.Request) -> web.Response:
        return await response_urls.take_webhook(workspace, request)

    site.router.add_get("/oauth/v2/authorize", ask)
    site.router.add_post("/oauth/v2/authorize", decide)
    site.router.add_post("/services/{team}/{bot}/{key}", webhook)


def _reader(home: Workspace, request: web.Request) -> tuple[Workspace, User]:
    """Give the person the page acts as, and their workspace."""
    name = request.query.get("as", "ann")
    workspace = home.org.holding(lambda w: w.has_user(name))
    try:
        return workspace, workspace.user_named(name)
    except SlackError as unknown:
        raise web.HTTPNotFound(text=unknown.error) from None
