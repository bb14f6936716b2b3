"""From a request to an answer: token, scope, rate, faults, method, journal, in Slack's order.

The table of methods is given; `methods` lists it, each group's file says what they do.
"""

import asyncio
import json
import time
from collections.abc import Mapping

from aiohttp import web

from bot.playground.errors import Json, SlackError
from bot.playground.faults import CALL_FAULTS, Fault
from bot.playground.methods.table import Method
from bot.playground.wire import Call, read_call
from bot.playground.workspace import Workspace

_NEEDS_TEAM = frozenset(
    (
        "conversations.list",
        "conversations.create",
        "users.list",
        "users.conversations",
        "users.lookupByEmail",
        "usergroups.list",
        "emoji.list",
        "team.info",
    )
)
_SECRETS = frozenset({"client_secret", "refresh_token", "code", "action_token"})


class Answer(web.Response):
    """Slack's JSON answer with Slack's headers."""

    def __init__(
        self, body: Json, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(
            text=json.dumps(body, ensure_ascii=False),
            status=status,
            headers=headers,
            content_type="application/json",
            charset="utf-8",
        )


async def answer(
    workspace: Workspace, table: Mapping[str, Method], request: web.Request
) -> web.StreamResponse:
    """Answer one Web API request, with whatever goes wrong on purpose."""
    name = request.match_info["method"]
    started = time.perf_counter()
    fault = workspace.faults.take(name, CALL_FAULTS)
    if fault is not None:
        workspace.journal.add("fault", target=name, fault=fault.kind)
    if fault is not None and fault.kind == "timeout":
        return await _stay_silent(request, fault)
    if fault is not None and fault.kind == "delay":
        await asyncio.sleep(fault.seconds)
    call = Call(name, "query", "", {})
    headers = {"x-slack-req-id": workspace.ids.token(32)}
    try:
        call = await read_call(request, name)
        workspace = place_of(workspace, call)
        status, body = 200, perform(workspace, table, call, headers, fault)
    except SlackError as refused:
        status, body = _refuse(refused, headers)
    response = Answer(body, status, headers)
    _record(workspace, call, response, body, time.perf_counter() - started)
    if fault is not None and fault.kind == "lost" and request.transport is not None:
        request.transport.abort()
    return response


def _refuse(refused: SlackError, headers: dict[str, str]) -> tuple[int, Json]:
    """Turn a refusal into its status and body; what belongs into headers goes there."""
    status = refused.extra.pop("status", 200)
    retry_after = refused.extra.pop("retry_after", None)
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return int(str(status)), refused.body()


def place_of(home: Workspace, call: Call) -> Workspace:
    """Give the workspace a call is about: its token's; an organisation's token needs more.

    Such a call names `team_id`, or a channel or user that is in one workspace only.
    """
    mine = [w for w in home.org.workspaces.values() if call.token in w.grants]
    if len(mine) <= 1 or mine[0].grants[call.token].kind == "app":
        return mine[0] if mine else home
    team = call.text("team_id")
    channel = call.text("channel") or call.text("channel_id")
    for workspace in mine:
        if workspace.team.id == team or (not team and channel in workspace.channels):
            return workspace
    if team:
        raise SlackError("team_access_not_granted")
    if call.method in _NEEDS_TEAM:
        raise SlackError("missing_argument", arg="team_id")
    return mine[0]


def perform(
    workspace: Workspace,
    table: Mapping[str, Method],
    call: Call,
    headers: dict[str, str],
    fault: Fault | None = None,
) -> Json:
    """Run one call, or fail as the fault says; raises `SlackError`."""
    if fault is not None:
        _fail(fault)
    method = table.get(call.method)
    if method is None:
        raise SlackError("unknown_method", req_method=call.method)
    if method.caller is not None:
        _authorize(workspace, call, method, headers)
    if call.encoding == "json" and not method.json:
        call.args = {}
    if workspace.rules.rate_limits:
        _pace(workspace, call, method)
    body: Json = {"ok": True, **method.run(workspace, call)}
    if call.warnings:
        body["warning"] = ",".join(call.warnings)
        body.setdefault("response_metadata", {})["warnings"] = call.warnings
    return body


def _authorize(workspace: Workspace, call: Call, method: Method, headers: dict[str, str]) -> None:
    if not call.token:
        raise SlackError("not_authed")
    grant = workspace.grants.get(call.token)
    if grant is None:
        raise SlackError("invalid_auth")
    if grant.error:
        raise SlackError(grant.error)
    if grant.until is not None and workspace.clock.now() > grant.until:
        raise SlackError("token_expired")
    if grant.kind != method.caller:
        raise SlackError("not_allowed_token_type")
    call.grant = grant
    scopes = grant.app.scopes if grant.kind == "bot" else ["connections:write"]
    headers["x-oauth-scopes"] = ",".join(scopes)
    headers["x-accepted-oauth-scopes"] = ",".join(method.scopes)
    if method.scopes and not set(method.scopes) & set(scopes):
        raise SlackError("missing_scope", needed=method.scopes[0], provided=",".join(scopes))


def _pace(workspace: Workspace, call: Call, method: Method) -> None:
    keys = [(method.tier, call.method, call.app.id if call.grant else "")]
    if method.also is not None:
        tier, argument, second = method.also
        keys.append((tier, call.method, f"{call.text(argument)} {call.text(second)}"))
    for key in keys:
        wait = workspace.rates.wait(*key)
        if wait:
            raise SlackError(
                "ratelimited", status=429, retry_after=workspace.rates.retry_after(wait)
            )


def _fail(fault: Fault) -> None:
    if fault.kind == "error":
        raise SlackError(fault.error)
    if fault.kind == "rate_limited":
        raise SlackError("ratelimited", status=429, retry_after=max(0, round(fault.seconds)))
    if fault.kind == "status":
        raise SlackError(fault.error, status=fault.status)


async def _stay_silent(request: web.Request, fault: Fault) -> web.StreamResponse:
    """Hold the line without an answer for the fault's seconds, then cut it."""
    await asyncio.sleep(fault.seconds)
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


def _record(
    workspace: Workspace, call: Call, response: web.Response, body: Json, seconds: float
) -> None:
    workspace.journal.add(
        "call",
        method=call.method,
        app=call.grant.app.id if call.grant else None,
        encoding=call.encoding,
        team=workspace.team.id,
        args={name: value for name, value in call.args.items() if name not in _SECRETS},
        ok=body["ok"],
        error=body.get("error"),
        status=response.status,
        ts=body.get("ts"),
        bytes_in=call.bytes_in,
        bytes_out=len(response.body) if isinstance(response.body, bytes) else 0,
        ms=round(seconds * 1000, 3),
    )
