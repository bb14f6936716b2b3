"""What the web page reads: itself, a snapshot as one person, and the feed of changes after it.

GET / and /static/*; GET /_playground/state?as=U; GET /_playground/events?as=U&after=SEQ (server-
sent events, `id: seq`); GET /_playground/files/F?token=T for pictures and downloads.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from bot.playground.errors import Json
from bot.playground.events import page_channel, page_message, viewers
from bot.playground.feed import Reader
from bot.playground.model import Channel, User
from bot.playground.shapes import user_json
from bot.playground.surfaces import is_stoppable
from bot.playground.views import view_json
from bot.playground.workspace import Workspace

PAGE = Path(__file__).parent / "page"
_TOKEN_TAG = re.compile(r'<meta name="control-token"[^>]*>')
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_HEARTBEAT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Page:
    """The page of one playground: its control token, and the model that answers in it."""

    token: str
    model: str

    def index(self) -> web.Response:
        """Serve the page with the control token in it; other sites cannot read it from there."""
        html = (PAGE / "index.html").read_text(encoding="utf-8")
        tag = f'<meta name="control-token" content="{self.token}">'
        page = _TOKEN_TAG.sub(tag, html)
        return web.Response(text=page, content_type="text/html", headers=HEADERS)

    def snapshot(self, workspace: Workspace, user: User) -> Json:
        """Show everything this person may see, as of change number `seq`."""
        return {"ok": True, "model": self.model, **snapshot(workspace, user)}


def asset(name: str) -> web.StreamResponse:
    """Serve one file of the page; there are no folders in it."""
    path = PAGE / name
    if "/" in name or name.startswith(".") or not path.is_file():
        raise web.HTTPNotFound
    return web.FileResponse(path, headers=HEADERS)


def snapshot(workspace: Workspace, user: User) -> Json:
    """Show everything this person may see, as of change number `seq`."""
    shown = visible(workspace, user)
    return {
        "seq": workspace.feed.seq,
        "team": {
            "id": workspace.team.id,
            "name": workspace.team.name,
            "domain": workspace.team.domain,
        },
        "me": user_json(user, locale=True),
        "users": [user_json(other, locale=True) for other in workspace.users.values()],
        "channels": [page_channel(channel) for channel in shown],
        "messages": {channel.id: _messages(channel, user) for channel in shown},
        "statuses": _statuses(workspace, shown),
        "commands": [
            {"command": name, "description": description, "usage_hint": ""}
            for app in workspace.apps.values()
            for name, description in app.commands.items()
        ],
        **_beside(workspace, user),
    }


def _beside(workspace: Workspace, user: User) -> Json:
    """Show what this person has beside the messages: open modals, Homes, shortcuts."""
    apps = workspace.apps.values()
    published = {app.id: workspace.homes.get((app.id, user.id)) for app in apps}
    return {
        "modals": [view_json(view) for view in workspace.modals.get(user.id, [])],
        "homes": [
            {
                "app": app.id,
                "bot": app.user.id,
                "name": app.name,
                "view": view_json(home) if (home := published[app.id]) else None,
            }
            for app in apps
            if app.home_tab and "app_home_opened" in app.events
        ],
        "shortcuts": [
            {
                "app": app.id,
                "name": app.name,
                "type": shortcut.kind,
                "callback_id": shortcut.callback_id,
                "title": shortcut.title,
            }
            for app in apps
            for shortcut in app.shortcuts
        ],
    }


def visible(workspace: Workspace, user: User) -> list[Channel]:
    """Give the channels this person can open."""
    return [c for c in workspace.channels.values() if user.id in viewers(workspace, c)]


def _messages(channel: Channel, user: User) -> list[Json]:
    private = [m for m in channel.ephemerals.values() if m.ephemeral_for == user.id]
    return [page_message(channel, m) for m in (*channel.messages.values(), *private)]


def _statuses(workspace: Workspace, shown: list[Channel]) -> list[Json]:
    known = {channel.id for channel in shown}
    lines: list[Json] = [
        {
            "type": "status",
            "channel": channel,
            "thread_ts": thread,
            "user": status.user,
            "status": "active",
            "text": status.text,
        }
        for (channel, thread), status in workspace.statuses.items()
        if channel in known
    ]
    lines += [
        {
            "type": "session_status",
            "channel": channel,
            "thread_ts": thread,
            "status": session.status,
            "title": session.title,
            "stoppable": is_stoppable(workspace, session),
        }
        for (channel, thread), session in workspace.sessions.items()
        if channel in known
    ]
    return lines


async def stream_events(
    workspace: Workspace, request: web.Request, user: User
) -> web.StreamResponse:
    """Send changes as they happen, until the page goes away."""
    after = request.query.get("after") or request.headers.get("Last-Event-ID")
    reader = workspace.feed.open(user.id, int(after) if after else None)
    headers = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", **HEADERS}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    try:
        async for piece in _pieces(workspace, reader, user):
            await response.write(piece)
    except ConnectionResetError:
        pass
    finally:
        workspace.feed.close(reader)
    return response


async def _pieces(workspace: Workspace, reader: Reader, user: User) -> AsyncIterator[bytes]:
    yield b": hello\n\n"
    if reader.missed:
        for change in _everything(workspace, user):
            yield _event(workspace.feed.seq, change)
    while True:
        try:
            numbered = await asyncio.wait_for(reader.queue.get(), _HEARTBEAT_SECONDS)
        except TimeoutError:
            yield b": still here\n\n"
        else:
            if numbered is None:
                return
            yield _event(*numbered)


def _everything(workspace: Workspace, user: User) -> list[Json]:
    """Say all there is as changes, for a page that was away too long."""
    changes: list[Json] = []
    for channel in visible(workspace, user):
        changes.append({"type": "channel", "channel": page_channel(channel)})
        changes += [
            {"type": "message", "channel": channel.id, "message": message}
            for message in _messages(channel, user)
        ]
    return changes + _statuses(workspace, visible(workspace, user))


def _event(seq: int, change: Json) -> bytes:
    return f"id: {seq}\ndata: {json.dumps(change, ensure_ascii=False)}\n\n".encode()


def download(workspace: Workspace, file_id: str) -> web.Response:
    """Serve a file to the page; only pictures are shown in place, never run."""
    file = workspace.files.get(file_id)
    if file is None or not file.arrived:
        raise web.HTTPNotFound
    kind = file.mimetype if file.mimetype.startswith("image/") else "application/octet-stream"
    headers = {**HEADERS, "Content-Security-Policy": "default-src 'none'; sandbox"}
    return web.Response(body=file.content, content_type=kind, headers=headers)
