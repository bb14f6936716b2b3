"""Who am I, does it work, and where to dial for Socket Mode."""

import time

from bot.playground import installs
from bot.playground.errors import Json, SlackError
from bot.playground.methods.paging import metadata, page
from bot.playground.methods.table import Method
from bot.playground.wire import Call
from bot.playground.workspace import Workspace


def auth_test(workspace: Workspace, call: Call) -> Json:
    app = call.app
    return {
        "url": f"{workspace.base_url}/",
        "team": workspace.team.name,
        "user": app.user.name,
        "team_id": workspace.team.id,
        "user_id": app.user.id,
        "bot_id": app.user.bot_id,
        "is_enterprise_install": app.everywhere,
        **({"enterprise_id": workspace.org.id} if app.everywhere else {}),
    }


def api_test(_workspace: Workspace, call: Call) -> Json:
    error = call.text("error")
    if error:
        raise SlackError(error, args=call.args)
    return {"args": call.args} if call.args else {}


def auth_revoke(workspace: Workspace, call: Call) -> Json:
    if call.flag("test"):
        return {"revoked": False}
    installs.revoke(workspace, call.app, "token_revoked")
    return {"revoked": True}


def teams_list(workspace: Workspace, call: Call) -> Json:
    """List the workspaces this token is good for."""
    places = workspace.org.workspaces.values()
    mine = [w.team for w in places if call.token in w.grants]
    some, cursor = page(mine, call, 100, 1000)
    return {"teams": [{"id": team.id, "name": team.name} for team in some], **metadata(cursor)}


def connections_open(workspace: Workspace, call: Call) -> Json:
    app = call.app
    if not app.socket_mode:
        raise SlackError("not_allowed_token_type")
    ticket = workspace.ids.uuid()
    workspace.tickets[ticket] = (app, time.monotonic() + workspace.rules.ticket_seconds)
    host = workspace.base_url.removeprefix("http")
    return {"url": f"ws{host}/link/?ticket={ticket}&app_id={app.id}"}


METHODS = (
    Method("auth.test", auth_test, tier="busy"),
    Method("api.test", api_test, tier="busy", caller=None),
    Method("auth.revoke", auth_revoke, json=False),
    Method("auth.teams.list", teams_list, tier="2"),
    Method("apps.connections.open", connections_open, ("connections:write",), "1", caller="app"),
)
