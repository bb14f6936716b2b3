"""files.*: the two-step upload, what is known of a file, and deleting it."""

from bot.playground import posting, uploads
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.methods.table import Method
from bot.playground.model import File
from bot.playground.shapes import file_json
from bot.playground.surfaces import clear_status
from bot.playground.wire import Call
from bot.playground.workspace import Workspace


def get_upload_url(workspace: Workspace, call: Call) -> Json:
    name, length = call.need("filename"), call.number("length", 0)
    if length <= 0:
        raise invalid_arguments("must be greater than 0: length")
    if length > uploads.LARGEST:
        raise SlackError("file_upload_size_restricted")
    file = uploads.reserve(workspace, call.app.user, name, length)
    return {"upload_url": f"{workspace.base_url}/upload/v1/{file.id}", "file_id": file.id}


def complete_upload(workspace: Workspace, call: Call) -> Json:
    files = [
        _arrived(workspace, call, given) for given in call.objects("files", "invalid_arguments")
    ]
    if not files:
        raise invalid_arguments("missing required field: files")
    for channel_id in _places(call):
        _share(workspace, call, files, channel_id)
    return {"files": [file_json(file) for file in files]}


def _arrived(workspace: Workspace, call: Call, given: Json) -> File:
    """Give an uploaded file of this app that has not been completed yet."""
    file = workspace.files.get(str(given.get("id", "")))
    if file is None or not file.arrived or file.user != call.app.user.id or file.completed:
        raise SlackError("file_not_found")
    if len(file.content) != file.length:
        raise SlackError("file_update_failed")
    file.title = str(given.get("title") or file.name)
    file.completed = True
    return file


def _places(call: Call) -> list[str]:
    places = [call.text("channel_id")] if call.text("channel_id") else call.names("channels")
    if call.text("thread_ts") and len(places) > 1:
        raise invalid_arguments("only one channel with thread_ts")
    return places


def _share(workspace: Workspace, call: Call, files: list[File], channel_id: str) -> None:
    """Post the message with the files a moment later, as Slack's own processing does."""
    channel = workspace.open_to(call.app.user.id, channel_id)
    root = posting.thread_root(channel, call.text("thread_ts"))
    comment = call.text("initial_comment")
    blocks = [] if comment else call.objects("blocks", "invalid_blocks")

    def post() -> None:
        message = posting.by_app(workspace, channel, call.app)
        message.subtype, message.files = "file_share", list(files)
        message.text, message.blocks, message.thread_ts = comment, blocks, root
        posting.name_blocks(workspace, message)
        uploads.share(workspace, channel, message)
        posting.post(workspace, channel, message)
        clear_status(workspace, channel, message.thread_ts or message.ts)

    workspace.clock.call_later(workspace.rules.file_seconds, post)


def files_info(workspace: Workspace, call: Call) -> Json:
    file = uploads.visible_file(workspace, call.need("file"), call.app)
    paging = {"count": 0, "total": 0, "page": 1, "pages": 0}
    return {"file": file_json(file), "comments": [], "paging": paging}


def files_delete(workspace: Workspace, call: Call) -> Json:
    file = uploads.visible_file(workspace, call.need("file"), call.app)
    if file.user != call.app.user.id:
        raise SlackError("cant_delete_file")
    del workspace.files[file.id]
    return {}


METHODS = (
    Method("files.getUploadURLExternal", get_upload_url, ("files:write",), "4", json=False),
    Method("files.completeUploadExternal", complete_upload, ("files:write",), "4"),
    Method("files.info", files_info, ("files:read",), "4", json=False),
    Method("files.delete", files_delete, ("files:write",), "3"),
)
