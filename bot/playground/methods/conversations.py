"""conversations.*: what there is to read, who is in it, and how to get in."""

from bot.playground import posting
from bot.playground.errors import Json, SlackError
from bot.playground.events import kind_scope
from bot.playground.methods.paging import conversation_kinds, metadata, page
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message
from bot.playground.shapes import channel_json, message_json
from bot.playground.wire import Call
from bot.playground.workspace import Workspace, scope_error

_MOST_USERS = 8


def _readable(workspace: Workspace, call: Call, what: str) -> Channel:
    """Give the channel of the call if the app may know of it and has the scope for its kind."""
    channel = workspace.seen_by(call.app.user.id, call.need("channel"))
    scope = kind_scope(channel, what)
    if scope not in call.app.scopes:
        raise scope_error(call.app, scope)
    return channel


def _entered(workspace: Workspace, call: Call) -> Channel:
    channel = _readable(workspace, call, "history")
    return workspace.entered_by(call.app.user.id, channel.id)


def conversations_info(workspace: Workspace, call: Call) -> Json:
    channel = _readable(workspace, call, "read")
    shape = channel_json(channel, call.app.user.id)
    if call.flag("include_num_members"):
        shape["num_members"] = len(channel.members)
    return {"channel": shape}


def conversations_list(workspace: Workspace, call: Call) -> Json:
    kinds, me = conversation_kinds(call), call.app.user.id
    known = [
        channel
        for channel in workspace.channels.values()
        if channel.kind in kinds
        and (channel.kind == "public" or me in channel.members)
        and not (channel.archived and call.flag("exclude_archived"))
    ]
    some, cursor = page(known, call, 100, 1000)
    shown = [{**channel_json(channel, me), "num_members": len(channel.members)} for channel in some]
    return {"channels": shown, **metadata(cursor)}


def conversations_history(workspace: Workspace, call: Call) -> Json:
    channel = _entered(workspace, call)
    roots = [
        message
        for message in reversed(channel.messages.values())
        if (not message.is_reply or message.subtype == "thread_broadcast")
        and _in_range(message, call)
    ]
    some, cursor = page(roots, call, 100, 999)
    extra: Json = {"pin_count": 0, "channel_actions_ts": None, "channel_actions_count": 0}
    return {**_messages(channel, some, call, cursor), **extra}


def conversations_replies(workspace: Workspace, call: Call) -> Json:
    channel = _entered(workspace, call)
    named = channel.messages.get(call.need("ts"))
    if named is None:
        raise SlackError("thread_not_found")
    if named.is_reply:
        return _messages(channel, [named], call, "")
    thread = [m for m in channel.replies(named.ts) if _in_range(m, call)]
    some, cursor = page([named, *thread], call, 1000, 1000)
    return _messages(channel, some, call, cursor)


def _messages(channel: Channel, messages: list[Message], call: Call, cursor: str) -> Json:
    metadata_wanted = call.flag("include_all_metadata")
    shown = [message_json(channel, message, metadata=metadata_wanted) for message in messages]
    body: Json = {"messages": shown, "has_more": bool(cursor)}
    return body | metadata(cursor) if cursor else body


def _stamp(call: Call, name: str, default: float) -> float:
    try:
        return float(call.text(name) or default)
    except ValueError:
        raise SlackError(f"invalid_ts_{name}") from None


def _in_range(message: Message, call: Call) -> bool:
    """Keep what lies between `oldest` and `latest`, ends included only when asked."""
    if not call.text("oldest") and not call.text("latest"):
        return True
    low, high = _stamp(call, "oldest", 0.0), _stamp(call, "latest", float("inf"))
    ts = float(message.ts)
    return low < ts < high or (call.flag("inclusive") and ts in {low, high})


def conversations_members(workspace: Workspace, call: Call) -> Json:
    channel = _readable(workspace, call, "read")
    members, cursor = page(list(channel.members), call, 100, 1000)
    return {"members": members, **metadata(cursor)}


def conversations_join(workspace: Workspace, call: Call) -> Json:
    channel = workspace.seen_by(call.app.user.id, call.need("channel"))
    if channel.kind != "public":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.archived:
        raise SlackError("is_archived")
    if call.app.user.id in channel.members:
        call.warnings.append("already_in_channel")
    else:
        posting.enter(workspace, channel, call.app.user.id)
    return {"channel": channel_json(channel, call.app.user.id)}


def conversations_invite(workspace: Workspace, call: Call) -> Json:
    channel = workspace.entered_by(call.app.user.id, call.need("channel"))
    for user_id in call.names("users"):
        if workspace.user(user_id).id in channel.members:
            raise SlackError("already_in_channel")
        posting.enter(workspace, channel, user_id, call.app.user.id)
    return {"channel": channel_json(channel, call.app.user.id)}


def conversations_open(workspace: Workspace, call: Call) -> Json:
    if call.text("channel"):
        channel = workspace.entered_by(call.app.user.id, call.text("channel"))
        return _opened(channel, call, new=False)
    users = call.names("users")
    if not users:
        raise SlackError("users_list_not_supplied")
    if len(users) > _MOST_USERS:
        raise SlackError("too_many_users")
    members = [call.app.user.id, *(workspace.user(user).id for user in users)]
    if len(users) == 1 and workspace.user(users[0]).rank == "bot":
        raise SlackError("cannot_dm_bot")
    channel, new = workspace.direct(members)
    return _opened(channel, call, new=new)


def _opened(channel: Channel, call: Call, *, new: bool) -> Json:
    known: Json = {} if new else {"no_op": True, "already_open": True}
    shape = channel_json(channel, call.app.user.id) if call.flag("return_im") else {}
    return {**known, "channel": {**shape, "id": channel.id}}


_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")

METHODS = (
    Method("conversations.info", conversations_info, _READ, "3", json=False),
    Method("conversations.list", conversations_list, _READ, "2", json=False),
    Method("conversations.history", conversations_history, _HISTORY, "3"),
    Method("conversations.replies", conversations_replies, _HISTORY, "3", json=False),
    Method("conversations.members", conversations_members, _READ, "4", json=False),
    Method("conversations.join", conversations_join, ("channels:join",), "3"),
    Method("conversations.invite", conversations_invite, ("channels:manage",), "3"),
    Method("conversations.open", conversations_open, ("im:write", "mpim:write"), "3"),
)
