"""What can happen to messages, whoever does it: post, edit, delete, react. No permissions here.

`methods.chat` checks what an app may, `people` what a person may; both end here.
"""

import copy
import re
from typing import cast

from bot.playground import elements, events, limits
from bot.playground.errors import Json, SlackError
from bot.playground.model import App, Channel, Message, ResponseUrl
from bot.playground.shapes import bot_profile, message_json
from bot.playground.workspace import Workspace

MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^>]*)?>")
_THREADLESS = frozenset({"channel_join", "channel_leave", "tombstone"})


def thread_root(channel: Channel, thread_ts: str) -> str:
    """Give the root a reply belongs to; empty when the message is gone.

    Slack un-threads such a reply in silence (reported in slack-go/slack#1571).
    """
    if not thread_ts:
        return ""
    named = channel.messages.get(thread_ts)
    if named is None:
        return ""
    if named.subtype in _THREADLESS - {"tombstone"}:
        raise SlackError("cannot_reply_to_message")
    return named.thread_ts or named.ts


def post(workspace: Workspace, channel: Channel, message: Message) -> Message:
    """Put a message into a channel and tell everyone who should know."""
    store(channel, message)
    events.note_pings(workspace, channel, message)
    _tell_of_post(workspace, channel, message)
    events.show(workspace, channel, message)
    events.show_root(workspace, channel, message)
    return message


def store(channel: Channel, message: Message) -> None:
    channel.messages[message.ts] = message
    if message.is_reply:
        channel.threads.setdefault(message.thread_ts, []).append(message)
        channel.messages[message.thread_ts].thread_ts = message.thread_ts


def draft(workspace: Workspace, channel: Channel, user: str, text: str) -> Message:
    """Make a message with the next timestamp of its channel, not yet posted."""
    team = workspace.users[user].team
    return Message(channel.next_ts(workspace.clock.now()), user, text, team)


def by_app(workspace: Workspace, channel: Channel, app: App) -> Message:
    """Start a message of an app."""
    message = draft(workspace, channel, app.user.id, "")
    sign(message, app)
    return message


def sign(message: Message, app: App) -> None:
    """Mark a message as an app's."""
    message.bot_id, message.app_id = app.user.bot_id, app.id
    message.bot_profile = bot_profile(app)


def name_blocks(workspace: Workspace, message: Message) -> None:
    """Give each block and element an id, as Slack does; a markdown block does not keep its own."""
    message.blocks = copy.deepcopy(message.blocks)
    for block in message.blocks:
        if block["type"] == "markdown":
            block["block_id"] = ""
    elements.name(message.blocks, lambda: workspace.ids.token(5))


def say(workspace: Workspace, address: ResponseUrl, answer: Json) -> Message:
    """Post what an app answered: to everybody, or to the person alone."""
    app, channel = address.app, address.channel
    message = by_app(workspace, channel, app)
    message.text = str(answer.get("text") or "")
    message.blocks = cast("list[Json]", answer.get("blocks") or [])
    limits.check_blocks(message.blocks)
    message.thread_ts = thread_root(channel, str(answer.get("thread_ts") or ""))
    if not message.text and not message.blocks:
        raise SlackError("no_text")
    if answer.get("response_type") == "in_channel":
        return post(workspace, channel, message)
    message.ephemeral_for = address.user.id
    channel.ephemerals[message.ts] = message
    events.show(workspace, channel, message)
    return message


def enter(workspace: Workspace, channel: Channel, user: str, inviter: str = "") -> None:
    """Make someone a member, with the line Slack writes about it and the event."""
    channel.members[user] = None
    events.show_channel(workspace, channel)
    message = draft(workspace, channel, user, f"<@{user}> has joined the channel")
    message.subtype = "channel_join"
    post(workspace, channel, message)
    joined: Json = {
        "type": "member_joined_channel",
        "user": user,
        "channel": channel.id,
        "channel_type": channel.id[0],
        "team": workspace.team.id,
        "event_ts": message.ts,
    }
    events.tell_apps(workspace, channel, joined | ({"inviter": inviter} if inviter else {}))


def leave(workspace: Workspace, channel: Channel, user: str) -> None:
    """Take someone out of a channel, with Slack's line about it and the event."""
    message = draft(workspace, channel, user, f"<@{user}> has left the channel")
    message.subtype = "channel_leave"
    post(workspace, channel, message)
    left: Json = {
        "type": "member_left_channel",
        "user": user,
        "channel": channel.id,
        "channel_type": channel.id[0],
        "team": workspace.team.id,
        "event_ts": message.ts,
    }
    events.tell_apps(workspace, channel, left)
    del channel.members[user]
    events.show_channel(workspace, channel)


def edit(
    workspace: Workspace, channel: Channel, message: Message, text: str, blocks: list[Json]
) -> None:
    """Change a person's text; an app that is newly mentioned hears of it as a mention too."""
    previous = message_json(channel, message)
    before = set(MENTION.findall(message.text))
    message.text, message.blocks = text, blocks
    message.edited = {"user": message.user, "ts": channel.next_ts(workspace.clock.now())}
    events.tell_change(workspace, channel, message, previous=previous)
    for user in dict.fromkeys(MENTION.findall(text)):
        if user not in before:
            _tell_of_mention(workspace, channel, message, user)


def remove(workspace: Workspace, channel: Channel, message: Message) -> None:
    """Delete a message; a root with replies stays behind as a tombstone."""
    previous = message_json(channel, message)
    if channel.replies(message.ts):
        _bury(workspace, channel, message, previous)
        return
    del channel.messages[message.ts]
    if message.is_reply:
        channel.threads[message.thread_ts].remove(message)
    event = events.meta_event(
        workspace, channel, "message_deleted", deleted_ts=message.ts, previous_message=previous
    )
    events.tell_apps(workspace, channel, event)
    events.tell_pages(workspace, channel, {"type": "message_deleted", "ts": message.ts})
    events.show_root(workspace, channel, message)


def _bury(workspace: Workspace, channel: Channel, message: Message, previous: Json) -> None:
    message.subtype, message.user, message.hidden = "tombstone", "USLACKBOT", True
    message.text = "This message was deleted."
    message.blocks, message.files, message.attachments = [], [], []
    message.reactions, message.edited, message.bot_profile = {}, None, None
    message.bot_id = message.app_id = ""
    events.tell_change(workspace, channel, message, previous=previous)


def react(workspace: Workspace, channel: Channel, message: Message, user: str, name: str) -> None:
    """Add a reaction; raises `already_reacted`."""
    users = message.reactions.setdefault(name, [])
    if user in users:
        raise SlackError("already_reacted")
    users.append(user)
    _tell_of_reaction(workspace, channel, message, "reaction_added", user=user, reaction=name)


def unreact(workspace: Workspace, channel: Channel, message: Message, user: str, name: str) -> None:
    """Take one's own reaction back; raises `no_reaction`."""
    users = message.reactions.get(name, [])
    if user not in users:
        raise SlackError("no_reaction")
    users.remove(user)
    if not users:
        del message.reactions[name]
    _tell_of_reaction(workspace, channel, message, "reaction_removed", user=user, reaction=name)


def _tell_of_reaction(
    workspace: Workspace, channel: Channel, message: Message, kind: str, **who: str
) -> None:
    event: Json = {
        "type": kind,
        **who,
        "item_user": message.user,
        "item": {"type": "message", "channel": channel.id, "ts": message.ts},
        "event_ts": channel.next_ts(workspace.clock.now()),
    }
    events.tell_apps(workspace, channel, event)
    events.show(workspace, channel, message)


def _tell_of_post(workspace: Workspace, channel: Channel, message: Message) -> None:
    """Send the message event and, per mentioned app, its twin; they come in no fixed order."""
    mentioned = list(dict.fromkeys(MENTION.findall(message.text)))
    mention_first = bool(mentioned) and workspace.ids.dice.random() < 0.5  # noqa: PLR2004 - a coin
    if mention_first:
        _tell_mentioned(workspace, channel, message, mentioned)
    events.tell_apps(workspace, channel, events.message_event(channel, message))
    if not mention_first:
        _tell_mentioned(workspace, channel, message, mentioned)


def _tell_mentioned(
    workspace: Workspace, channel: Channel, message: Message, users: list[str]
) -> None:
    for user in users:
        _tell_of_mention(workspace, channel, message, user)


def _tell_of_mention(workspace: Workspace, channel: Channel, message: Message, user: str) -> None:
    app = workspace.app_of(user)
    if app is None or channel.kind == "im" or user not in channel.members or user == message.user:
        return
    rule = workspace.rules.mention_with_file
    if message.files and rule == "missed":
        return
    event = events.message_event(channel, message)
    del event["channel_type"]
    if message.files and rule == "bare":
        for name in ("files", "upload", "subtype"):
            event.pop(name, None)
    events.emit(workspace, app, event | {"type": "app_mention"}, channel)
