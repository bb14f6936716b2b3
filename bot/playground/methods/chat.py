"""chat.*: what an app posts, now or later, changes and takes back. Streams have their own file."""

from bot.playground import limits, posting
from bot.playground.errors import Json, SlackError
from bot.playground.events import show, tell_change
from bot.playground.methods.paging import metadata, page
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message, Scheduled
from bot.playground.shapes import message_json, permalink
from bot.playground.surfaces import clear_status
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

_LATEST_SECONDS = 120 * 24 * 3_600


def target(workspace: Workspace, call: Call) -> Channel:
    """Give the channel to post to: an id, a `#name`, or a user, whose DM is opened."""
    wanted = call.need("channel")
    me = call.app.user.id
    if wanted in workspace.users:
        if workspace.users[wanted].rank == "bot":
            raise SlackError("cannot_dm_bot")
        return workspace.direct([me, wanted])[0]
    if wanted.startswith("#"):
        wanted = workspace.channel_named(wanted).id
    return workspace.open_to(me, wanted)


def compose(workspace: Workspace, channel: Channel, call: Call, message: Message) -> None:
    """Fill a message with what the call carries, once Slack would take it."""
    markdown = limits.checked_markdown(call)
    message.text = markdown or limits.checked_text(call)
    message.blocks = limits.checked_blocks(call)
    message.attachments = limits.checked_attachments(call)
    if markdown:
        message.blocks = [{"type": "markdown", "text": markdown}]
    if not (message.text.strip() or message.blocks or message.attachments):
        raise SlackError("no_text")
    posting.name_blocks(workspace, message)
    message.thread_ts = posting.thread_root(channel, call.text("thread_ts"))


def post_message(workspace: Workspace, call: Call) -> Json:
    channel = target(workspace, call)
    message = posting.by_app(workspace, channel, call.app)
    compose(workspace, channel, call, message)
    message.metadata = limits.checked_metadata(call) or None
    if message.is_reply and call.flag("reply_broadcast"):
        message.subtype = "thread_broadcast"
    posting.post(workspace, channel, message)
    clear_status(workspace, channel, message.thread_ts or message.ts)
    return _posted(channel, message)


def _posted(channel: Channel, message: Message) -> Json:
    shape = message_json(channel, message, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": shape}


def post_ephemeral(workspace: Workspace, call: Call) -> Json:
    channel = target(workspace, call)
    user = workspace.user(call.need("user"))
    if user.id not in channel.members:
        raise SlackError("user_not_in_channel")
    message = posting.by_app(workspace, channel, call.app)
    compose(workspace, channel, call, message)
    message.ephemeral_for = user.id
    channel.ephemerals[message.ts] = message
    show(workspace, channel, message)
    return {"message_ts": message.ts}


def _own(workspace: Workspace, call: Call, refusal: str) -> tuple[Channel, Message]:
    channel = workspace.entered_by(call.app.user.id, call.need("channel"))
    message = workspace.message(channel, call.need("ts"))
    if message.app_id != call.app.id:
        raise SlackError(refusal)
    return channel, message


def update(workspace: Workspace, call: Call) -> Json:
    channel, message = _own(workspace, call, "cant_update_message")
    if channel.archived:
        raise SlackError("is_inactive")
    if message.is_streaming:
        raise SlackError("streaming_state_conflict")
    if len(call.text("text")) > limits.UPDATE_TEXT:
        raise SlackError("msg_too_long")
    previous = message_json(channel, message)
    _rewrite(workspace, call, message)
    tell_change(workspace, channel, message, previous=previous)
    shape = message_json(channel, message, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shape}


def _rewrite(workspace: Workspace, call: Call, message: Message) -> None:
    """Replace text and blocks by Slack's rules: text alone drops the blocks and marks an edit."""
    markdown = limits.checked_markdown(call)
    blocks = limits.checked_blocks(call)
    attachments = limits.checked_attachments(call)
    text = markdown or call.text("text")
    if not (text or blocks or attachments):
        raise SlackError("no_text")
    metadata = limits.checked_metadata(call)
    if metadata is not None:
        message.metadata = metadata or None
    if markdown:
        blocks = [{"type": "markdown", "text": markdown}]
    if text and not blocks:
        stamp = f"{workspace.clock.now():.6f}"
        message.edited = {"user": message.user, "ts": stamp}
    message.text = text or message.text
    message.blocks = blocks if (blocks or text) else message.blocks
    message.attachments = attachments or message.attachments
    posting.name_blocks(workspace, message)


def delete(workspace: Workspace, call: Call) -> Json:
    channel, message = _own(workspace, call, "cant_delete_message")
    posting.remove(workspace, channel, message)
    return {"channel": channel.id, "ts": message.ts}


def get_permalink(workspace: Workspace, call: Call) -> Json:
    channel = workspace.seen_by(call.app.user.id, call.need("channel"))
    message = workspace.message(channel, call.need("message_ts"))
    return {"channel": channel.id, "permalink": permalink(workspace.base_url, channel, message)}


def schedule_message(workspace: Workspace, call: Call) -> Json:
    channel, now = target(workspace, call), workspace.clock.now()
    post_at = call.number("post_at", 0)
    if not post_at:
        raise SlackError("invalid_time")
    if post_at <= now:
        raise SlackError("time_in_past")
    if post_at > now + _LATEST_SECONDS:
        raise SlackError("time_too_far")
    message = posting.by_app(workspace, channel, call.app)
    compose(workspace, channel, call, message)
    message.metadata = limits.checked_metadata(call) or None
    key = workspace.ids.make("Q")

    def post() -> None:
        del workspace.scheduled[key]
        message.ts = channel.next_ts(workspace.clock.now())
        posting.post(workspace, channel, message)

    timer = workspace.clock.call_later(post_at - now, post)
    workspace.scheduled[key] = Scheduled(call.app.id, channel.id, message, post_at, timer)
    shape = message_json(channel, message, metadata=True)
    del shape["ts"]
    return {
        "channel": channel.id,
        "scheduled_message_id": key,
        "post_at": post_at,
        "message": shape,
    }


def scheduled_list(workspace: Workspace, call: Call) -> Json:
    wanted = call.text("channel")
    mine = [
        {
            "id": key,
            "channel_id": waiting.channel,
            "post_at": waiting.post_at,
            "date_created": int(workspace.clock.now()),
            "text": waiting.message.text,
        }
        for key, waiting in workspace.scheduled.items()
        if waiting.app_id == call.app.id and wanted in {"", waiting.channel}
    ]
    some, cursor = page(mine, call, 100, 100)
    return {"scheduled_messages": some, **metadata(cursor)}


def delete_scheduled(workspace: Workspace, call: Call) -> Json:
    key = call.need("scheduled_message_id")
    waiting = workspace.scheduled.get(key)
    known = waiting is not None and waiting.app_id == call.app.id
    if waiting is None or not known or waiting.channel != call.need("channel"):
        raise SlackError("invalid_scheduled_message_id")
    waiting.timer.cancel()
    del workspace.scheduled[key]
    return {}


_WRITE = ("chat:write",)

METHODS = (
    Method(
        "chat.postMessage", post_message, _WRITE, "post", also=("channel", "channel", "channel")
    ),
    Method("chat.postEphemeral", post_ephemeral, _WRITE, "4"),
    Method("chat.update", update, _WRITE, "3"),
    Method("chat.delete", delete, _WRITE, "3"),
    Method("chat.getPermalink", get_permalink, (), "busy", json=False),
    Method("chat.scheduleMessage", schedule_message, _WRITE, "3"),
    Method("chat.scheduledMessages.list", scheduled_list, (), "3"),
    Method("chat.deleteScheduledMessage", delete_scheduled, _WRITE, "3"),
)
