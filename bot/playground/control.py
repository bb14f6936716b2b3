"""The control API under /_playground/: act as a person, break things, read the journal.

Not part of Slack and never used by the bot. Every request needs `Authorization: Bearer TOKEN` and
this server's own Host, since any web page can post to 127.0.0.1. Actions are POSTs of JSON with
`user` and answer `{ok: true, ...}` or `{ok: false, error}`; the table at the end lists them.
`upload` is multipart: the same fields, and a part per file.
"""

import hmac
import json
from collections.abc import Awaitable, Callable
from typing import Any, cast, get_args

from aiohttp import web

from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.faults import Fault
from bot.playground.people import People
from bot.playground.sockets import Ending
from bot.playground.workspace import Workspace

_LOCAL = ("127.0.0.1", "localhost")
_ENDINGS: frozenset[str] = frozenset(get_args(Ending))


def check_host(request: web.Request) -> None:
    """Refuse a request that was sent to another name: the trick of a rebound DNS entry."""
    host = request.headers.get("Host", "")
    if host.rpartition(":")[0] not in _LOCAL:
        raise web.HTTPForbidden(text="this playground answers to 127.0.0.1 only")


def check_token(request: web.Request, token: str, *, in_query: bool = False) -> None:
    """Refuse a request without the control token."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if in_query:
        given = request.query.get("token", given)
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise web.HTTPForbidden(text='{"ok": false, "error": "invalid_control_token"}')


class Body:
    """The fields of an action."""

    def __init__(self, fields: Json, files: list[tuple[str, bytes]] | None = None) -> None:
        self.fields = fields
        self.files = files or []

    def need(self, name: str) -> str:
        value = self.fields.get(name)
        if not isinstance(value, str) or not value:
            raise invalid_arguments(f"missing required field: {name}")
        return value

    def text(self, name: str) -> str:
        return str(self.fields.get(name) or "")

    def number(self, name: str, default: float) -> float:
        value = self.fields.get(name)
        return float(value) if isinstance(value, int | float) else default


Act = Callable[[People, Workspace, Body], Awaitable[Json]]


async def act(people: People, workspace: Workspace, request: web.Request) -> web.Response:
    """Do one action; what Slack would refuse comes back as `{ok: false, error}`."""
    name = request.match_info["action"]
    try:
        body = await _body(request)
        action = ACTIONS.get(name, _unknown)
        workspace.journal.add("act", action=name, args=body.fields)
        return web.json_response({"ok": True, **await action(people, workspace, body)})
    except SlackError as refused:
        return web.json_response(refused.body())


def json_lines(entries: list[Json]) -> web.Response:
    """Give journal entries, one JSON object a line."""
    text = "".join(json.dumps(entry, ensure_ascii=False, default=str) + "\n" for entry in entries)
    return web.Response(text=text, content_type="application/x-ndjson")


async def _body(request: web.Request) -> Body:
    if request.content_type == "multipart/form-data":
        form = await request.post()
        fields: Json = {key: value for key, value in form.items() if isinstance(value, str)}
        parts = [value for value in form.values() if isinstance(value, web.FileField)]
        return Body(fields, [(part.filename, part.file.read()) for part in parts])
    try:
        value: Any = await request.json() if request.can_read_body else {}
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(value, dict):
        raise SlackError("json_not_object")
    return Body(cast("Json", value))


async def _unknown(_people: People, _workspace: Workspace, _body: Body) -> Json:
    raise SlackError("unknown_action")


async def _post(people: People, _workspace: Workspace, body: Body) -> Json:
    ts = await people.post(
        body.need("user"),
        body.need("channel"),
        body.need("text"),
        thread_ts=body.text("thread_ts"),
        broadcast=bool(body.fields.get("broadcast")),
    )
    return {"ts": ts}


async def _edit(people: People, _workspace: Workspace, body: Body) -> Json:
    await people.edit(body.need("user"), body.need("channel"), body.need("ts"), body.need("text"))
    return {}


async def _delete(people: People, _workspace: Workspace, body: Body) -> Json:
    await people.delete(body.need("user"), body.need("channel"), body.need("ts"))
    return {}


async def _react(people: People, _workspace: Workspace, body: Body) -> Json:
    await people.react(body.need("user"), body.need("channel"), body.need("ts"), body.need("name"))
    return {}


async def _unreact(people: People, _workspace: Workspace, body: Body) -> Json:
    await people.unreact(
        body.need("user"), body.need("channel"), body.need("ts"), body.need("name")
    )
    return {}


async def _upload(people: People, _workspace: Workspace, body: Body) -> Json:
    if not body.files:
        raise SlackError("no_file_data")
    ts = await people.upload(
        body.need("user"),
        body.need("channel"),
        body.files,
        text=body.text("text"),
        thread_ts=body.text("thread_ts"),
    )
    return {"ts": ts}


async def _click(people: People, _workspace: Workspace, body: Body) -> Json:
    pressed = {name: body.fields.get(name) for name in ("block_id", "action_id", "value")}
    await people.click(body.need("user"), body.need("channel"), body.need("ts"), **pressed)
    return {}


async def _command(people: People, _workspace: Workspace, body: Body) -> Json:
    said = f"{body.need('command')} {body.text('text')}".strip()
    await people.command(
        body.need("user"), body.need("channel"), said, thread_ts=body.text("thread_ts")
    )
    return {}


async def _stop(people: People, _workspace: Workspace, body: Body) -> Json:
    await people.stop(body.need("user"), body.need("channel"), body.need("thread_ts"))
    return {}


async def _open_dm(people: People, _workspace: Workspace, body: Body) -> Json:
    others = cast("list[str]", body.fields.get("users") or [])
    return {"channel": await people.open_dm(body.need("user"), *others)}


async def _join(people: People, _workspace: Workspace, body: Body) -> Json:
    await people.join(body.need("user"), body.need("channel"))
    return {}


async def _faults(_people: People, workspace: Workspace, body: Body) -> Json:
    """Set a fault (its fields as in `Fault`), or `{"clear": true}`."""
    if body.fields.get("clear"):
        workspace.faults.clear()
    else:
        try:
            workspace.faults.add(Fault(**body.fields))
        except TypeError:
            raise invalid_arguments("not a fault") from None
    return {"faults": workspace.faults.listed()}


async def _clock(_people: People, workspace: Workspace, body: Body) -> Json:
    if "scale" in body.fields:
        workspace.clock.set_scale(body.number("scale", 1.0))
    if "advance" in body.fields:
        workspace.clock.advance(body.number("advance", 0.0))
    return {"now": workspace.clock.now(), "scale": workspace.clock.scale}


async def _sockets(_people: People, workspace: Workspace, body: Body) -> Json:
    """List the sockets, after ending `line` (or `all`) `how`."""
    how = body.text("end")
    if how:
        if how not in _ENDINGS:
            raise invalid_arguments("invalid value: end")
        for line in list(workspace.board.lines):
            if body.text("line") in {"", "all", line.number}:
                await workspace.board.end(line, cast("Ending", how))
    return {
        "sockets": [
            {"line": line.number, "app": line.app.name, "muted": line.muted}
            for line in workspace.board.lines
        ]
    }


ACTIONS: dict[str, Act] = {
    "post": _post,
    "edit": _edit,
    "delete": _delete,
    "react": _react,
    "unreact": _unreact,
    "upload": _upload,
    "click": _click,
    "command": _command,
    "stop": _stop,
    "open_dm": _open_dm,
    "join": _join,
    "faults": _faults,
    "clock": _clock,
    "sockets": _sockets,
}
