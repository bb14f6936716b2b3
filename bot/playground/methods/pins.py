"""pins.*: messages that are kept at the top of a channel."""

from bot.playground.errors import Json, SlackError
from bot.playground.events import tell_apps
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message
from bot.playground.shapes import message_json, permalink
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

_MOST = 100


def _target(workspace: Workspace, call: Call) -> tuple[Channel, Message]:
    channel = workspace.open_to(call.app.user.id, call.need("channel"))
    if not call.text("timestamp"):
        raise SlackError("no_item_specified")
    return channel, workspace.message(channel, call.text("timestamp"))


def pins_add(workspace: Workspace, call: Call) -> Json:
    channel, message = _target(workspace, call)
    if message.ts in channel.pins:
        raise SlackError("already_pinned")
    if len(channel.pins) >= _MOST:
        raise SlackError("too_many_pins")
    pinned = {"created_by": call.app.user.id, "created": int(workspace.clock.now())}
    channel.pins[message.ts] = pinned
    _tell(workspace, call, channel, message, "pin_added")
    return {}


def pins_remove(workspace: Workspace, call: Call) -> Json:
    channel, message = _target(workspace, call)
    if message.ts not in channel.pins:
        raise SlackError("no_pin")
    del channel.pins[message.ts]
    _tell(workspace, call, channel, message, "pin_removed")
    return {}


def pins_list(workspace: Workspace, call: Call) -> Json:
    channel = workspace.entered_by(call.app.user.id, call.need("channel"))
    items = [
        {
            "type": "message",
            "channel": channel.id,
            "message": _shown(workspace, channel, channel.messages[ts]),
            **pinned,
        }
        for ts, pinned in reversed(channel.pins.items())
        if ts in channel.messages
    ]
    return {"items": items}


def _shown(workspace: Workspace, channel: Channel, message: Message) -> Json:
    link = permalink(workspace.base_url, channel, message)
    return {**message_json(channel, message), "permalink": link, "pinned_to": [channel.id]}


def _tell(workspace: Workspace, call: Call, channel: Channel, message: Message, kind: str) -> None:
    event: Json = {
        "type": kind,
        "user": call.app.user.id,
        "channel_id": channel.id,
        "item": {
            "type": "message",
            "channel": channel.id,
            "message": _shown(workspace, channel, message),
        },
        "event_ts": channel.next_ts(workspace.clock.now()),
    }
    tell_apps(workspace, channel, event)


METHODS = (
    Method("pins.add", pins_add, ("pins:write",), "2"),
    Method("pins.remove", pins_remove, ("pins:write",), "2"),
    Method("pins.list", pins_list, ("pins:read",), "2", json=False),
)
