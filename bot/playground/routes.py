"""Which address leads where: the Slack surface, the page, and the control API behind its token."""

from aiohttp import web

from bot.playground import control, dispatch, pages, response_urls, uploads
from bot.playground.errors import SlackError
from bot.playground.model import User
from bot.playground.people import People
from bot.playground.workspace import Workspace


def add(
    site: web.Application, workspace: Workspace, people: People, token: str, model: str
) -> None:
    """Add all routes to the site."""
    _add_slack(site, workspace)
    _add_page(site, workspace, token, model)
    _add_control(site, workspace, people, token)


def _add_slack(site: web.Application, workspace: Workspace) -> None:
    async def api(request: web.Request) -> web.StreamResponse:
        return await dispatch.answer(workspace, request)

    async def upload(request: web.Request) -> web.Response:
        return await uploads.receive(workspace, request)

    async def private_file(request: web.Request) -> web.Response:
        return await uploads.serve(workspace, request)

    async def respond(request: web.Request) -> web.Response:
        return await response_urls.take(workspace, request)

    site.router.add_route("*", "/api/{method}", api)
    site.router.add_get("/link/", workspace.board.connect)
    site.router.add_post("/upload/v1/{file}", upload)
    site.router.add_get("/files-pri/{place}/{name}", private_file)
    site.router.add_post("/response/{app}/{key}", respond)


def _add_page(site: web.Application, workspace: Workspace, token: str, model: str) -> None:
    async def index(request: web.Request) -> web.Response:
        control.check_host(request)
        return pages.index(token)

    async def asset(request: web.Request) -> web.StreamResponse:
        return pages.asset(request.match_info["name"])

    async def state(request: web.Request) -> web.Response:
        _check(request, token)
        return dispatch.Answer(pages.snapshot(workspace, _reader(workspace, request), model))

    async def events(request: web.Request) -> web.StreamResponse:
        _check(request, token)
        return await pages.stream_events(workspace, request, _reader(workspace, request))

    async def file(request: web.Request) -> web.Response:
        control.check_host(request)
        control.check_token(request, token, in_query=True)
        return pages.download(workspace, request.match_info["file"])

    site.router.add_get("/", index)
    site.router.add_get("/static/{name}", asset)
    site.router.add_get("/_playground/state", state)
    site.router.add_get("/_playground/events", events)
    site.router.add_get("/_playground/files/{file}", file)


def _add_control(site: web.Application, workspace: Workspace, people: People, token: str) -> None:
    async def act(request: web.Request) -> web.Response:
        _check(request, token)
        return await control.act(people, workspace, request)

    async def journal(request: web.Request) -> web.Response:
        _check(request, token)
        newer = workspace.journal.since(int(request.query.get("since", "0")))
        return control.json_lines(newer)

    site.router.add_get("/_playground/journal", journal)
    site.router.add_post("/_playground/{action}", act)


def _reader(workspace: Workspace, request: web.Request) -> User:
    """Give the person the page acts as."""
    try:
        return workspace.user_named(request.query.get("as", "ann"))
    except SlackError as unknown:
        raise web.HTTPNotFound(text=unknown.error) from None


def _check(request: web.Request, token: str) -> None:
    control.check_host(request)
    control.check_token(request, token)
