"""Entries that apps have in Slack's menus: the global ones, and those of a message."""

from bot.playground import triggers
from bot.playground.errors import SlackError
from bot.playground.model import Channel, Delivery, Message, User
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace


def use_shortcut(
    workspace: Workspace, user: User, callback_id: str, on: tuple[Channel, Message] | None
) -> None:
    """Choose an app's entry in Slack's menu, or in that of a message."""
    kind = "message" if on else "global"
    for app in workspace.apps.values():
        if app.installed and any(
            s.callback_id == callback_id and s.kind == kind for s in app.shortcuts
        ):
            break
    else:
        raise SlackError("invalid_action")
    payload = triggers.interaction(workspace, app, user, "message_action" if on else "shortcut")
    payload |= {"callback_id": callback_id, "action_ts": f"{workspace.clock.now():.6f}"}
    if on:
        channel, message = on
        payload |= {
            "channel": {"id": channel.id, "name": channel.name or "directmessage"},
            "message": message_json(channel, message),
            "message_ts": message.ts,
            "response_url": triggers.response_url(workspace, app, channel, user, None),
        }
    triggers.send(workspace, user, Delivery(app, "interactive", callback_id, payload))
