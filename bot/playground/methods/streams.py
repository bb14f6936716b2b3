"""chat.startStream, appendStream, stopStream: an app's live messages."""

from bot.playground import limits, posting, streams, surfaces
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message
from bot.playground.shapes import message_json
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

_MODES = frozenset({"", "timeline", "plan", "dense"})


def _chunks(call: Call) -> list[Json]:
    """Give the chunks of a call, from `chunks` or `markdown_text`."""
    chunks = call.objects("chunks", "invalid_chunks")
    text = call.text("markdown_text")
    if text and chunks:
        raise SlackError("markdown_text_conflict")
    if text:
        chunks = [{"type": "markdown_text", "text": text}]
    if any(len(str(chunk.get("text", ""))) > limits.MARKDOWN for chunk in chunks):
        raise SlackError("msg_too_long")
    return chunks


def start(workspace: Workspace, call: Call) -> Json:
    channel = workspace.open_to(call.app.user.id, call.need("channel"))
    recipient = _recipient(workspace, call, channel)
    root = posting.thread_root(channel, call.need("thread_ts"))
    if not root:
        raise SlackError("message_not_found")
    if call.text("task_display_mode") not in _MODES:
        raise invalid_arguments("invalid value: task_display_mode")
    message = posting.by_app(workspace, channel, call.app)
    message.thread_ts = root
    streams.begin(workspace, channel, message, recipient, _chunks(call))
    posting.post(workspace, channel, message)
    surfaces.clear_status(workspace, channel, root)
    return {"channel": channel.id, "ts": message.ts}


def _recipient(workspace: Workspace, call: Call, channel: Channel) -> str:
    """Give who the stream is for; everywhere but in a DM Slack wants to know."""
    user, team = call.text("recipient_user_id"), call.text("recipient_team_id")
    if channel.kind == "im":
        return user
    if not user:
        raise SlackError("missing_recipient_user_id")
    if not team:
        raise SlackError("missing_recipient_team_id")
    if workspace.user(user).team != team:
        raise SlackError("user_not_found")
    return user


def _live(workspace: Workspace, call: Call) -> tuple[Channel, Message]:
    channel = workspace.open_to(call.app.user.id, call.need("channel"))
    return channel, streams.live(channel, call.need("ts"), call.app)


def append(workspace: Workspace, call: Call) -> Json:
    channel, message = _live(workspace, call)
    streams.append(workspace, channel, message, _chunks(call))
    return {"channel": channel.id, "ts": message.ts}


def stop(workspace: Workspace, call: Call) -> Json:
    channel, message = _live(workspace, call)
    chunks, closing = _chunks(call), limits.checked_blocks(call)
    metadata = limits.checked_metadata(call)
    status = call.text("session_status")
    if status:
        surfaces.checked_session_status(status)
    if metadata:
        message.metadata = metadata
    streams.finish(workspace, channel, message, chunks, closing)
    surfaces.clear_status(workspace, channel, message.thread_ts)
    if status:
        surfaces.set_session(workspace, channel, message.thread_ts, call.app, status)
    shape = message_json(channel, message, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": shape}


_WRITE = ("chat:write",)

METHODS = (
    Method("chat.startStream", start, _WRITE, "2"),
    Method("chat.appendStream", append, _WRITE, "4"),
    Method("chat.stopStream", stop, _WRITE, "2"),
)
