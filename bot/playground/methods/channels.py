"""conversations.* that change a channel itself: create, leave, archive, topic, the read mark."""

import re

from bot.playground import posting
from bot.playground.errors import Json, SlackError
from bot.playground.events import show_channel, tell_apps
from bot.playground.methods.table import Method
from bot.playground.model import Channel
from bot.playground.shapes import channel_json
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

_NAME_LENGTH = 80
_TOPIC_LENGTH = 250
_NAME = re.compile(r"[a-z0-9_\-\u0080-\uffff]+")


def conversations_create(workspace: Workspace, call: Call) -> Json:
    name = call.text("name")
    if not name:
        raise SlackError("invalid_name_required")
    if len(name) > _NAME_LENGTH:
        raise SlackError("invalid_name_maxlength")
    if not _NAME.fullmatch(name):
        raise SlackError("invalid_name_specials")
    if any(channel.name == name for channel in workspace.channels.values()):
        raise SlackError("name_taken")
    me = call.app.user.id
    kind = "private" if call.flag("is_private") else "public"
    channel = workspace.add_channel(name, kind, me, [me])
    show_channel(workspace, channel)
    return {"channel": channel_json(channel, me)}


def _mine(workspace: Workspace, call: Call) -> Channel:
    return workspace.open_to(call.app.user.id, call.need("channel"))


def conversations_mark(workspace: Workspace, call: Call) -> Json:
    channel = workspace.entered_by(call.app.user.id, call.need("channel"))
    ts = call.need("ts")
    if ts not in channel.messages:
        raise SlackError("invalid_timestamp")
    channel.read[call.app.user.id] = ts
    return {}


def conversations_leave(workspace: Workspace, call: Call) -> Json:
    me = call.app.user.id
    channel = workspace.seen_by(me, call.need("channel"))
    if channel.kind in {"im", "mpim"}:
        raise SlackError("method_not_supported_for_channel_type")
    if me not in channel.members:
        return {"not_in_channel": True}
    if channel.kind == "private" and len(channel.members) == 1:
        raise SlackError("last_member")
    posting.leave(workspace, channel, me)
    return {}


def conversations_archive(workspace: Workspace, call: Call) -> Json:
    channel = workspace.entered_by(call.app.user.id, call.need("channel"))
    if channel.archived:
        raise SlackError("already_archived")
    if channel.name == "general":
        raise SlackError("cant_archive_general")
    if channel.kind in {"im", "mpim"}:
        raise SlackError("method_not_supported_for_channel_type")
    channel.archived = True
    archived: Json = {
        "type": "channel_archive",
        "channel": channel.id,
        "user": call.app.user.id,
        "event_ts": channel.next_ts(workspace.clock.now()),
    }
    tell_apps(workspace, channel, archived)
    show_channel(workspace, channel)
    return {}


def conversations_set_topic(workspace: Workspace, call: Call) -> Json:
    channel, topic = _mine(workspace, call), call.text("topic")
    if len(topic) > _TOPIC_LENGTH:
        raise SlackError("too_long")
    channel.topic = topic
    show_channel(workspace, channel)
    return {"channel": channel_json(channel, call.app.user.id)}


_MANAGE = ("channels:manage", "groups:write")
_MARK = (*_MANAGE, "im:write", "mpim:write")

METHODS = (
    Method("conversations.create", conversations_create, _MANAGE, "2"),
    Method("conversations.mark", conversations_mark, _MARK, "3"),
    Method("conversations.leave", conversations_leave, _MANAGE, "3"),
    Method("conversations.archive", conversations_archive, _MANAGE, "2"),
    Method("conversations.setTopic", conversations_set_topic, _MANAGE, "2"),
)
