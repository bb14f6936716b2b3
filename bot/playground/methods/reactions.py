"""reactions.*: an app's own reactions, and what everybody's are."""

from bot.playground import posting
from bot.playground.emoji import checked_name
from bot.playground.errors import Json, SlackError
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message
from bot.playground.shapes import message_json, permalink
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


def reactions_remove(workspace: Workspace, call: Call) -> Json:
    name = checked_name(call.need("name"))
    channel, message = _target(workspace, call)
    posting.unreact(workspace, channel, message, call.app.user.id, name)
    return {}


def reactions_get(workspace: Workspace, call: Call) -> Json:
    channel, message = _target(workspace, call)
    shape = message_json(channel, message)
    shape["permalink"] = permalink(workspace.base_url, channel, message)
    return {"type": "message", "channel": channel.id, "message": shape}


METHODS = (
    Method("reactions.add", reactions_add, ("reactions:write",), "3"),
    Method("reactions.remove", reactions_remove, ("reactions:write",), "2"),
    Method("reactions.get", reactions_get, ("reactions:read",), "3", json=False),
)
