"""The control API under /_playground/: act as a person, break things, read the journal.

Not part of Slack and never used by the bot. Every request needs `Authorization: Bearer TOKEN` and
this server's own Host, since any web page can post to 127.0.0.1. Actions are POSTs of JSON with
`user` and answer `{ok: true, ...}` or `{ok: false, error}`; `ACTS` lists those of people, `KNOBS`
the others. `upload` is multipart: the same fields, and a part per file.
"""

import hmac
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast, get_args

from aiohttp import web

from bot.playground.chaos import weather
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.faults import Fault
from bot.playground.sockets import Ending, Switchboard
from bot.playground.workspace import Workspace

_LOCAL = ("127.0.0.1", "localhost")
_ENDINGS: frozenset[str] = frozenset(get_args(Ending))


@dataclass(frozen=True, slots=True)
class Act:
    """One thing a person does: its required fields in order, the others, and what comes back."""

    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()
    gives: str = ""


_MESSAGE = ("user", "channel", "ts")
ACTS = {
    "post": Act(("user", "channel", "text"), ("thread_ts", "broadcast"), "ts"),
    "edit": Act((*_MESSAGE, "text")),
    "delete": Act(_MESSAGE),
    "react": Act((*_MESSAGE, "name")),
    "unreact": Act((*_MESSAGE, "name")),
    "upload": Act(("user", "channel", "files"), ("text", "thread_ts"), "ts"),
    "click": Act(_MESSAGE, ("block_id", "action_id", "value")),
    "command": Act(("user", "channel", "command"), ("text", "thread_ts")),
    "stop": Act(("user", "channel", "thread_ts")),
    "open_dm": Act(("user", "users"), (), "channel"),
    "join": Act(("user", "channel")),
    "select": Act(("user", "action_id"), ("view", "channel", "ts", "block_id", "value", "values")),
    "submit": Act(("user",), ("view", "values")),
    "close_view": Act(("user",), ("view", "all")),
    "open_home": Act(("user",), ("app",)),
    "shortcut": Act(("user", "callback_id"), ("channel", "ts")),
    "allow": Act(("user", "url"), ("everywhere", "webhook"), "redirect"),
    "uninstall": Act(("user",), ("app",)),
    "use_http": Act(("events",), ("interactivity", "commands"), "signing_secret"),
}

Hand = Callable[..., Awaitable[object]]
Hands = Callable[[str, str], Hand]


class Control:
    """Answers the control API; `hands` gives who does an act of `ACTS` for a user."""

    def __init__(self, workspace: Workspace, board: Switchboard, hands: Hands, token: str) -> None:
        self._workspace = workspace
        self._board = board
        self._hands = hands
        self._token = token

    def check(self, request: web.Request, *, query_too: bool = False) -> None:
        """Refuse a request without the token, or sent to another Host (a rebound DNS entry)."""
        check_host(request)
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if query_too:
            given = request.query.get("token", given)
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            raise web.HTTPForbidden(text='{"ok": false, "error": "invalid_control_token"}')

    async def act(self, request: web.Request) -> web.Response:
        """Do one action; what Slack would refuse comes back as `{ok: false, error}`."""
        self.check(request)
        try:
            fields = await _fields(request)
            answer = await self._answer(request.match_info["action"], fields)
        except SlackError as refused:
            return web.json_response(refused.body())
        return web.json_response({"ok": True, **answer})

    def journal(self, request: web.Request) -> web.Response:
        """Give the entries after `since`, one JSON object a line."""
        self.check(request)
        entries = self._workspace.journal.since(int(request.query.get("since", "0")))
        lines = (json.dumps(entry, ensure_ascii=False, default=str) + "\n" for entry in entries)
        return web.Response(text="".join(lines), content_type="application/x-ndjson")

    async def _answer(self, name: str, fields: Json) -> Json:
        knob, act = KNOBS.get(name), ACTS.get(name)
        if knob is not None:
            return await knob(self._workspace, self._board, fields)
        if act is None:
            raise SlackError("unknown_action")
        missing = [f"missing required field: {key}" for key in act.needs if not fields.get(key)]
        if missing:
            raise invalid_arguments(*missing)
        needed = [fields[key] for key in act.needs]
        given = {key: fields[key] for key in act.takes if fields.get(key) is not None}
        shown = {key: value for key, value in fields.items() if key != "files"}
        self._workspace.journal.add("act", action=name, args=shown)
        result = await self._hands(name, str(fields.get("user", "")))(*needed, **given)
        return {act.gives: result} if act.gives else {}


def check_host(request: web.Request) -> None:
    """Refuse a request that was sent to another name than this computer's own."""
    host = request.headers.get("Host", "")
    if host.rpartition(":")[0] not in _LOCAL:
        raise web.HTTPForbidden(text="this playground answers to 127.0.0.1 only")


async def _fields(request: web.Request) -> Json:
    if request.content_type == "multipart/form-data":
        form = await request.post()
        fields: Json = {key: value for key, value in form.items() if isinstance(value, str)}
        parts = [value for value in form.values() if isinstance(value, web.FileField)]
        return fields | {"files": [(part.filename, part.file.read()) for part in parts]}
    try:
        value: Any = await request.json() if request.can_read_body else {}
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(value, dict):
        raise SlackError("json_not_object")
    return cast("Json", value)


async def _faults(workspace: Workspace, _board: Switchboard, fields: Json) -> Json:
    """Set a fault (its fields as in `Fault`), or forget all by `{"clear": true}`; lists them.

    `{"dial": 0 to 10}` sets the weather instead.
    """
    if fields.get("clear"):
        workspace.faults.clear()
    elif "dial" in fields:
        try:
            level = int(str(fields["dial"]))
            workspace.faults.set_dial(level, weather(level))
        except ValueError:
            raise invalid_arguments("invalid value: dial") from None
    elif fields:
        try:
            workspace.faults.add(Fault(**fields))
        except TypeError:
            raise invalid_arguments("not a fault") from None
    return {"faults": workspace.faults.listed(), "dial": workspace.faults.dial}


async def _clock(workspace: Workspace, _board: Switchboard, fields: Json) -> Json:
    """Set `scale` (how many times as fast as the wall), then `advance` by seconds."""
    for name, turn in (("scale", workspace.clock.set_scale), ("advance", workspace.clock.advance)):
        value = fields.get(name)
        if value is not None and (not isinstance(value, int | float) or value < 0):
            raise invalid_arguments(f"must be a number of at least 0: {name}")
        if value is not None:
            turn(float(value))
    return {"now": workspace.clock.now(), "scale": workspace.clock.scale}


async def _sockets(_workspace: Workspace, board: Switchboard, fields: Json) -> Json:
    """List the sockets, after ending `line` (default: all of them) in the way `end` says."""
    how = fields.get("end")
    if how is not None and how not in _ENDINGS:
        raise invalid_arguments("invalid value: end")
    for line in list(board.lines) if how else []:
        if fields.get("line") in (None, line.number):
            await board.end(line, cast("Ending", how))
    lines = [{"line": x.number, "app": x.app.name, "muted": x.muted} for x in board.lines]
    return {"sockets": lines}


KNOBS = {"faults": _faults, "clock": _clock, "sockets": _sockets}
