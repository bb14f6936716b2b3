"""oauth.v2.*: codes and refresh tokens against access tokens; apps.uninstall."""

from bot.playground import installs
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.methods.table import Method
from bot.playground.model import App, Channel
from bot.playground.wire import Call
from bot.playground.workspace import Workspace


def _client(workspace: Workspace, call: Call) -> App:
    """Give the app that calls, by client id and secret: HTTP Basic, or arguments."""
    client_id, secret = call.basic or (call.text("client_id"), call.text("client_secret"))
    app = installs.app_by_client(workspace, client_id)
    if secret != app.client_secret:
        raise SlackError("bad_client_secret")
    return app


def access(workspace: Workspace, call: Call) -> Json:
    app = _client(workspace, call)
    if call.text("grant_type") == "refresh_token":
        if not app.rotates:
            raise SlackError("token_rotation_not_enabled")
        pair, teams = installs.renew(workspace, app, call.need("refresh_token"))
        return _answer(workspace, app, teams, pair)
    now = workspace.clock.now()
    code, redirect_uri = call.need("code"), call.text("redirect_uri")
    consent = installs.redeem(workspace.org, app, code, redirect_uri, now)
    places = [workspace.org.workspaces[team] for team in consent.teams]
    apps = [installs.install(place, app, consent) for place in places]
    pair = installs.issue(workspace, apps, consent.teams)
    answer = _answer(workspace, app, consent.teams, pair)
    answer["authed_user"] = {"id": consent.user}
    if "incoming-webhook" in consent.scopes:
        channel = places[0].channel_named(consent.webhook or "general")
        answer["incoming_webhook"] = _webhook(places[0], apps[0], channel)
    return answer


def _answer(workspace: Workspace, app: App, teams: list[str], pair: Json) -> Json:
    place = workspace.org.workspaces[teams[0]]
    installed = place.apps[app.id]
    team = {"id": place.team.id, "name": place.team.name}
    org = {"id": workspace.org.id, "name": workspace.org.name}
    return {
        "app_id": app.id,
        "authed_user": {},
        "scope": ",".join(installed.scopes),
        "token_type": "bot",
        **pair,
        "bot_user_id": installed.user.id,
        "team": None if installed.everywhere else team,
        "enterprise": org if installed.everywhere else None,
        "is_enterprise_install": installed.everywhere,
    }


def _webhook(workspace: Workspace, app: App, channel: Channel) -> Json:
    """Make the address of an incoming webhook into one channel."""
    key = workspace.ids.token(24)
    workspace.webhooks[key] = (app, channel)
    base = workspace.base_url
    return {
        "channel": f"#{channel.name}",
        "channel_id": channel.id,
        "configuration_url": f"{base}/services/{app.user.bot_id}",
        "url": f"{base}/services/{workspace.team.id}/{app.user.bot_id}/{key}",
    }


def exchange(workspace: Workspace, call: Call) -> Json:
    """Trade a token that lasts for one that must be renewed."""
    app = _client(workspace, call)
    if not app.rotates:
        raise SlackError("token_rotation_not_enabled")
    places = workspace.org.workspaces.values()
    token = call.token or call.need("token")
    held = [place for place in places if token in place.grants]
    if not held or any(place.grants[token].until is not None for place in held):
        raise SlackError("invalid_token")
    teams = [place.team.id for place in held]
    apps = [place.apps[app.id] for place in held]
    for place in held:
        place.grants[token].error = "token_revoked"
    return _answer(workspace, app, teams, installs.issue(workspace, apps, teams))


def uninstall(workspace: Workspace, call: Call) -> Json:
    app = _client(workspace, call)
    if call.app.id != app.id:
        raise invalid_arguments("token and client do not match")
    installs.revoke(workspace, call.app, "account_inactive")
    return {}


METHODS = (
    Method("oauth.v2.access", access, tier="4", caller=None, json=False),
    Method("oauth.v2.exchange", exchange, tier="4", caller=None, json=False),
    Method("apps.uninstall", uninstall, tier="1", json=False),
)
