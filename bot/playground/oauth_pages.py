"""The page where a person allows an app into a workspace. Plain HTML, no script.

A form is good once, for the address it was asked with: another site cannot press Allow.
"""

import html
import secrets

from aiohttp import web

from bot.playground import installs
from bot.playground.errors import SlackError
from bot.playground.workspace import Workspace

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Allow {app}?</title><link rel="stylesheet" href="/static/base.css">
<body><main><h1>{app} asks to come in</h1>
<p>It wants: {scopes}.</p>
<form method="post"><input type="hidden" name="nonce" value="{nonce}">
<p><label>As <select name="person">{people}</select></label></p>
<p><label><input type="checkbox" name="everywhere" value="1"> for the whole organisation</label></p>
<p><button name="decision" value="allow">Allow</button>
<button name="decision" value="cancel">Cancel</button></p></form></main>
"""


def ask(home: Workspace, request: web.Request) -> web.Response:
    """Show what the app wants, and who may allow it in which workspace."""
    try:
        asked = installs.checked_request(home, dict(request.query))
    except SlackError as refused:
        return web.Response(text=refused.error, status=400, headers=_HEADERS)
    nonce = secrets.token_urlsafe(18)
    home.org.nonces[nonce] = asked
    text = _PAGE.format(
        app=html.escape(installs.app_by_client(home, asked["client_id"]).name),
        scopes=html.escape(asked["scope"].replace(",", ", ")),
        nonce=nonce,
        people=_people(home, asked.get("team", "")),
    )
    return web.Response(text=text, content_type="text/html", headers=_HEADERS)


def _people(home: Workspace, team: str) -> str:
    options = (
        f'<option value="{user.id}">{html.escape(f"{user.real_name}, {place.team.name}")}</option>'
        for place in home.org.workspaces.values()
        for user in place.users.values()
        if user.rank in {"admin", "member"} and team in {"", place.team.id}
    )
    return "".join(options)


async def decide(home: Workspace, request: web.Request) -> web.Response:
    """Take the press on Allow or Cancel and send the browser back to the app."""
    form = await request.post()
    asked = home.org.nonces.pop(str(form.get("nonce", "")), None)
    if asked is None:
        return web.Response(text="This form has expired.", status=400, headers=_HEADERS)
    if form.get("decision") != "allow":
        return _back(installs.sent_back(asked, error="access_denied"))
    name = str(form.get("person", ""))
    workspace = home.org.holding(lambda w: w.has_user(name))
    try:
        user = workspace.user_named(name)
        given = installs.Grants(everywhere=bool(form.get("everywhere")))
        return _back(installs.allow(workspace, user, asked, given))
    except SlackError as refused:
        return web.Response(text=refused.error, status=403, headers=_HEADERS)


def _back(address: str) -> web.Response:
    return web.Response(status=302, headers={**_HEADERS, "Location": address})
