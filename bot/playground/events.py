"""Who hears of what: builds the events of the Events API and hands them to each subscribed app.

An app hears an event when it subscribed to it, has the scope, and is in the channel.
"""

from bot.playground.errors import Json
from bot.playground.model import App, Channel, Delivery, Kind, Message
from bot.playground.pings import pinged
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace, viewers

_CHANNEL_TYPE: dict[Kind, str] = {
    "public": "channel",
    "private": "group",
    "im": "im",
    "mpim": "mpim",
}
_PLURAL: dict[Kind, str] = {
    "public": "channels",
    "private": "groups",
    "im": "im",
    "mpim": "mpim",
}
_SCOPES = {
    "app_mention": "app_mentions:read",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "file_shared": "files:read",
}


_LAST_WORDS = frozenset({"app_uninstalled", "tokens_revoked"})


def kind_scope(channel: Channel, what: str) -> str:
    """Name the scope for a conversation of this kind, such as `channels:history`."""
    return f"{_PLURAL[channel.kind]}:{what}"


def hearing(workspace: Workspace, channel: Channel) -> list[App]:
    """Give the apps whose bot user is in the channel."""
    apps = workspace.apps.values()
    return [app for app in apps if app.installed and app.user.id in channel.members]


def emit(workspace: Workspace, app: App, event: Json, channel: Channel | None = None) -> None:
    """Send one event to one app, if it may hear it."""
    kind = event["type"]
    if not app.installed and kind not in _LAST_WORDS:
        return
    subscription, scope = kind, _SCOPES.get(kind, "")
    if kind == "message" and channel is not None:
        subscription, scope = f"message.{_PLURAL[channel.kind]}", kind_scope(channel, "history")
    if subscription not in app.events or (scope and scope not in app.scopes):
        return
    if kind in {"message", "app_mention"} and "search:read.public" in app.scopes:
        token = workspace.ids.token(30)
        workspace.action_tokens[token] = str(event.get("user", ""))
        event = event | {"assistant_thread": {"action_token": token}}
    payload = _callback(workspace, app, event, channel)
    label = event.get("subtype", kind) if kind == "message" else kind
    workspace.send(Delivery(app, "events_api", label, payload))


def _callback(workspace: Workspace, app: App, event: Json, channel: Channel | None) -> Json:
    team = workspace.team.id
    org = workspace.org.id if app.everywhere else None
    installation: Json = {
        "enterprise_id": org,
        "team_id": team,
        "user_id": app.user.id,
        "is_bot": True,
        "is_enterprise_install": app.everywhere,
    }
    return {
        "token": "playground",
        "team_id": team,
        "context_team_id": team,
        "context_enterprise_id": org,
        **({"enterprise_id": org} if org else {}),
        "api_app_id": app.id,
        "event": event,
        "type": "event_callback",
        "event_id": workspace.ids.make("Ev"),
        "event_time": int(workspace.clock.now()),
        "authorizations": [installation] if app.installed else [],
        "is_ext_shared_channel": channel is not None and channel.ext_shared,
        "event_context": f"4-{workspace.ids.token(24)}",
    }


def message_event(channel: Channel, message: Message) -> Json:
    """Build the event of a message as it stands."""
    event = message_json(channel, message)
    event |= {
        "channel": channel.id,
        "event_ts": message.ts,
        "channel_type": _CHANNEL_TYPE[channel.kind],
    }
    for name in ("reply_count", "reply_users_count", "latest_reply", "reply_users"):
        event.pop(name, None)
    return event


def meta_event(workspace: Workspace, channel: Channel, subtype: str, **fields: object) -> Json:
    """Build a hidden message event about another message: changed, deleted."""
    ts = channel.next_ts(workspace.clock.now())
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel.id,
        "ts": ts,
        "event_ts": ts,
        "channel_type": _CHANNEL_TYPE[channel.kind],
        **fields,
    }


def tell_apps(workspace: Workspace, channel: Channel, event: Json) -> None:
    """Send one event to every app in the channel."""
    for app in hearing(workspace, channel):
        emit(workspace, app, event, channel)


def tell_pages(
    workspace: Workspace, channel: Channel, change: Json, seen_by: frozenset[str] | None = None
) -> None:
    """Tell the open pages of the channel's members about a change in it."""
    workspace.feed.push({**change, "channel": channel.id}, seen_by or viewers(workspace, channel))


def page_message(channel: Channel, message: Message) -> Json:
    """Show a message as the page needs it: whole, with what history leaves out."""
    shape = message_json(channel, message, metadata=True)
    shape["streaming"] = message.is_streaming
    shape["ephemeral"] = bool(message.ephemeral_for)
    return shape


def show(workspace: Workspace, channel: Channel, message: Message) -> None:
    """Bring the pages up to date with one message, and with its root's reply count."""
    change = {"type": "message", "message": page_message(channel, message)}
    seen_by = frozenset({message.ephemeral_for}) if message.ephemeral_for else None
    tell_pages(workspace, channel, change, seen_by)


def page_channel(channel: Channel) -> Json:
    return {
        "id": channel.id,
        "name": channel.name,
        "kind": channel.kind,
        "members": list(channel.members),
        "is_archived": channel.archived,
        "topic": channel.topic,
    }


def show_channel(workspace: Workspace, channel: Channel) -> None:
    """Put a channel on the pages of those who can open it."""
    change = {"type": "channel", "channel": page_channel(channel)}
    workspace.feed.push(change, viewers(workspace, channel))


def note_pings(workspace: Workspace, channel: Channel, message: Message) -> None:
    """Write into the journal whom a message notifies, if anybody."""
    names = pinged(message)
    if names:
        workspace.journal.add(
            "ping", channel=channel.id, ts=message.ts, by=message.user, names=names
        )


def show_root(workspace: Workspace, channel: Channel, reply: Message) -> None:
    root = channel.messages.get(reply.thread_ts)
    if root is not None and reply.is_reply:
        show(workspace, channel, root)


def tell_change(
    workspace: Workspace, channel: Channel, message: Message, *, previous: Json
) -> None:
    """Tell everyone that a message is not what `previous` says any more."""
    note_pings(workspace, channel, message)
    event = meta_event(
        workspace,
        channel,
        "message_changed",
        message=message_json(channel, message),
        previous_message=previous,
    )
    tell_apps(workspace, channel, event)
    show(workspace, channel, message)
