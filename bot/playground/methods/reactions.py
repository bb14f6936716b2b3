"""reactions.*: an app's own reactions, and what everybody's are."""

from bot.playground import posting
from bot.playground.emoji import is_emoji
from bot.playground.errors import Json, SlackError
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message
from bot.playground.shapes import message_json
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

MOST_EMOJI = 23


def _target(workspace: Workspace, call: Call) -> tuple[Channel, Message]:
    if not call.text("timestamp"):
        raise SlackError("no_item_specified")
    channel = workspace.entered_by(call.app.user.id, call.need("channel"))
    return channel, workspace.message(channel, call.text("timestamp"))


def reactions_add(workspace: Workspace, call: Call) -> Json:
    name = checked_name(call.need("name"))
    channel, message = _target(workspace, call)
    if channel.archived:
        raise SlackError("is_archived")
    if message.subtype == "tombstone":
        raise SlackError("not_reactable")
    if name not in message.reactions and len(message.reactions) >= MOST_EMOJI:
        raise SlackError("too_many_emoji")
    posting.react(workspace, channel, message, call.app.user.id, name)
    return {}


def checked_name(name: str) -> str:
    """Give the name back if Slack knows it; raises `invalid_name`."""
    if not is_emoji(name):
        raise SlackError("invalid_name")
    return name


def reactions_remove(workspace: Workspace, call: Call) -> Json:
    name = checked_name(call.need("name"))
    channel, message = _target(workspace, call)
    posting.unreact(workspace, channel, message, call.app.user.id, name)
    return {}


def reactions_get(workspace: Workspace, call: Call) -> Json:
    channel, message = _target(workspace, call)
    shape = message_json(channel, message)
    shape["permalink"] = permalink(workspace, channel, message)
    return {"type": "message", "channel": channel.id, "message": shape}


def permalink(workspace: Workspace, channel: Channel, message: Message) -> str:
    link = f"{workspace.base_url}/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return link


METHODS = (
    Method("reactions.add", reactions_add, ("reactions:write",), "3"),
    Method("reactions.remove", reactions_remove, ("reactions:write",), "2"),
    Method("reactions.get", reactions_get, ("reactions:read",), "3", json=False),
)
