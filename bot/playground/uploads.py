"""Files: bytes on their way in, kept, shared into a conversation, and read again with a token."""

import mimetypes
from urllib.parse import quote

from aiohttp import web

from bot.playground.errors import Json, SlackError
from bot.playground.events import tell_apps
from bot.playground.model import App, Channel, File, Message, User
from bot.playground.workspace import Workspace

LARGEST = 1024 * 1024 * 1024


def reserve(workspace: Workspace, user: User, name: str, length: int) -> File:
    """Make room for a file of `length` bytes that is still to come."""
    file_id = workspace.ids.make("F")
    url = f"{workspace.base_url}/files-pri/{workspace.team.id}-{file_id}/{quote(name)}"
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    now = workspace.clock.now()
    file = File(file_id, name, name, kind, user.id, now, url, length)
    workspace.files[file_id] = file
    return file


def keep(workspace: Workspace, user: User, name: str, content: bytes) -> File:
    """Take a file that is already here."""
    file = reserve(workspace, user, name, len(content))
    file.content, file.arrived = content, True
    return file


def share(workspace: Workspace, channel: Channel, message: Message) -> None:
    """Mark the files of a message as shared in its channel; apps there hear of it."""
    for file in message.files:
        file.shared = True
        file.channels.append(channel.id)
        event: Json = {
            "type": "file_shared",
            "file_id": file.id,
            "user_id": file.user,
            "file": {"id": file.id},
            "channel_id": channel.id,
            "event_ts": message.ts,
        }
        tell_apps(workspace, channel, event)


async def receive(home: Workspace, request: web.Request) -> web.Response:
    """Take the bytes of a reserved file: raw or multipart, without a token, as Slack does."""
    workspace = home.org.holding(lambda w: request.match_info["file"] in w.files)
    file = workspace.files.get(request.match_info["file"])
    if file is None or file.arrived:
        return web.Response(status=404, text="no such upload")
    if request.content_type == "multipart/form-data":
        form = await request.post()
        parts = [value for value in form.values() if isinstance(value, web.FileField)]
        content = parts[0].file.read() if parts else b""
    else:
        content = await request.read()
    file.content, file.arrived = content, True
    workspace.journal.add("upload", file=file.id, bytes=len(content))
    return web.Response(text=f"OK - {len(content)}")


async def serve(home: Workspace, request: web.Request) -> web.Response:
    """Give a private file to a bearer who may see it; anyone else gets a page, not an error."""
    file_id = request.match_info["place"].rpartition("-")[2]
    workspace = home.org.holding(lambda w: file_id in w.files)
    file = workspace.files.get(file_id)
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    grant = workspace.grants.get(token)
    readable = grant is not None and not grant.error and "files:read" in grant.app.scopes
    workspace.journal.add("download", file=file_id, ok=readable)
    if file is None:
        raise web.HTTPNotFound
    if grant is None or not readable or not may_see(workspace, file, grant.app):
        return web.Response(text="<html>Sign in to see this file</html>", content_type="text/html")
    return web.Response(body=file.content, content_type=file.mimetype)


def may_see(workspace: Workspace, file: File, app: App) -> bool:
    """Say whether a file is the app's own or in a conversation the app is in."""
    if file.user == app.user.id:
        return True
    places = (workspace.channels[channel] for channel in file.channels)
    return any(app.user.id in place.members for place in places)


def visible_file(workspace: Workspace, file_id: str, app: App) -> File:
    """Give a file by id; raises `file_not_found`."""
    file = workspace.files.get(file_id)
    if file is None or not may_see(workspace, file, app):
        raise SlackError("file_not_found")
    return file
