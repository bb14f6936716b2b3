"""How an app gets into a workspace and out again: consent, codes, tokens, rotation, revocation.

The page a person sees is `oauth_pages`; what an app calls is `methods.oauth`.
"""

import copy
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from bot.playground.errors import Json, SlackError
from bot.playground.events import emit
from bot.playground.model import App, Consent, Grant, User
from bot.playground.workspace import Org, Workspace

CODE_SECONDS = 600.0
TOKEN_SECONDS = 43_200
_LOOPBACK = frozenset({"127.0.0.1", "localhost"})
Request = dict[str, str]


@dataclass(frozen=True, slots=True)
class Grants:
    """What a person chose on the page: the whole organisation, a channel for a webhook."""

    everywhere: bool = False
    webhook: str = ""


def everywhere(workspace: Workspace, app_id: str) -> Iterator[App]:
    """Give an app as it is in each workspace that has it."""
    for place in workspace.org.workspaces.values():
        if app_id in place.apps:
            yield place.apps[app_id]


def app_by_client(workspace: Workspace, client_id: str) -> App:
    for place in workspace.org.workspaces.values():
        for app in place.apps.values():
            if client_id and app.client_id == client_id:
                return app
    raise SlackError("invalid_client_id")


def checked_request(workspace: Workspace, query: Request) -> Request:
    """Give the query of an authorize address once Slack would show its page."""
    app_by_client(workspace, query.get("client_id", ""))
    if not query.get("scope"):
        raise SlackError("invalid_scope")
    target = urlsplit(query.get("redirect_uri", ""))
    if target.scheme != "https" and target.hostname not in _LOOPBACK:
        raise SlackError("bad_redirect_uri")
    if query.get("team") and query["team"] not in workspace.org.workspaces:
        raise SlackError("invalid_team")
    return query


def allow(workspace: Workspace, user: User, asked: Request, given: Grants) -> str:
    """Write down what a person allowed; returns where their browser goes with the code."""
    if user.rank not in {"admin", "member"}:
        raise SlackError("restricted_action")
    if given.everywhere and user.rank != "admin":
        raise SlackError("restricted_action")
    teams = list(workspace.org.workspaces) if given.everywhere else [workspace.team.id]
    consent = Consent(
        code=f"{workspace.ids.number('code')}.{secrets.token_hex(16)}",
        app_id=app_by_client(workspace, asked["client_id"]).id,
        user=user.id,
        teams=teams,
        scopes=[s.strip() for s in asked["scope"].split(",") if s.strip()],
        redirect_uri=asked["redirect_uri"],
        until=workspace.clock.now() + CODE_SECONDS,
        everywhere=given.everywhere,
        webhook=given.webhook,
    )
    workspace.org.consents[consent.code] = consent
    return sent_back(asked, code=consent.code)


def sent_back(asked: Request, **answer: str) -> str:
    """Build the address a browser returns to, with the state it came with."""
    target = asked["redirect_uri"]
    query = urlencode({**answer, "state": asked.get("state", "")})
    return f"{target}{'&' if '?' in target else '?'}{query}"


def redeem(org: Org, app: App, code: str, redirect_uri: str, now: float) -> Consent:
    """Use a code up; raises Slack's error for what is wrong with it."""
    consent = org.consents.get(code)
    if consent is None or consent.app_id != app.id or now > consent.until:
        raise SlackError("invalid_code")
    if consent.used:
        raise SlackError("code_already_used")
    if redirect_uri and redirect_uri != consent.redirect_uri:
        raise SlackError("bad_redirect_uri")
    consent.used = True
    return consent


def install(workspace: Workspace, template: App, consent: Consent) -> App:
    """Put an app into a workspace, or widen what it may where it already is."""
    app = workspace.apps.get(template.id)
    if app is None:
        app = _newcomer(workspace, template)
    elif not app.installed:
        app.scopes = []
    app.installed, app.user.deleted = True, False
    app.everywhere = consent.everywhere
    app.scopes += [scope for scope in consent.scopes if scope not in app.scopes]
    return app


def _newcomer(workspace: Workspace, template: App) -> App:
    """Make the app's bot user in a workspace that has never seen it."""
    user, key = copy.copy(template.user), f"{template.id} {workspace.team.id}"
    user.id, user.bot_id = workspace.ids.named("U", key), workspace.ids.named("B", key)
    user.team, user.deleted = workspace.team.id, False
    app = copy.copy(template)
    app.user, app.scopes, app.bot_token = user, [], ""
    workspace.users[user.id] = user
    workspace.apps[app.id] = app
    return app


def issue(workspace: Workspace, apps: list[App], teams: list[str]) -> Json:
    """Give a token for an app in these workspaces: a lasting one, or one that must be renewed."""
    app, org = apps[0], workspace.org
    rotates = app.rotates
    lasting = next((a.bot_token for a in apps if _is_good(org, teams, a)), "")
    token = f"xoxe.xoxb-1-{secrets.token_hex(24)}" if rotates else lasting
    token = token or f"xoxb-{secrets.token_hex(16)}"
    until = workspace.clock.now() + TOKEN_SECONDS if rotates else None
    for team, installed in zip(teams, apps, strict=True):
        org.workspaces[team].grants[token] = Grant(installed, "bot", until=until)
        installed.bot_token = token
    if not rotates:
        return {"access_token": token}
    refresh = f"xoxe-1-{secrets.token_hex(24)}"
    org.refresh[refresh] = (app.id, teams)
    return {"access_token": token, "refresh_token": refresh, "expires_in": TOKEN_SECONDS}


def _is_good(org: Org, teams: list[str], app: App) -> bool:
    """Say whether an app still has a token for exactly these workspaces."""
    held = [w.grants.get(app.bot_token) for w in org.workspaces.values()]
    known = {g.app.user.team for g in held if g is not None and not g.error and g.until is None}
    return known == set(teams)


def renew(workspace: Workspace, app: App, refresh: str) -> tuple[Json, list[str]]:
    """Trade a refresh token, which is good once; gives the new pair and the workspaces."""
    app_id, teams = workspace.org.refresh.pop(refresh, ("", list[str]()))
    if app_id != app.id:
        raise SlackError("invalid_refresh_token")
    apps = [workspace.org.workspaces[team].apps[app_id] for team in teams]
    if not all(installed.installed for installed in apps):
        raise SlackError("invalid_refresh_token")
    return issue(workspace, apps, teams), teams


def revoke(workspace: Workspace, app: App, error: str) -> None:
    """End an installation: its tokens answer `error`, and the app hears it twice over."""
    app.installed, app.user.deleted = False, True
    for grant in workspace.grants.values():
        if grant.app is app and grant.kind == "bot":
            grant.error = error
    stamp = f"{workspace.clock.now():.6f}"
    tokens = {"oauth": list[str](), "bot": [app.user.id]}
    emit(workspace, app, {"type": "tokens_revoked", "tokens": tokens, "event_ts": stamp})
    emit(workspace, app, {"type": "app_uninstalled", "event_ts": stamp})
