"""Link previews: a moment after a person posts a link the message changes, its text does not."""

import re

from bot.playground.events import tell_change
from bot.playground.model import Channel, Message
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace

_LINK = re.compile(r"<(https?://([^/|>]+)[^|>]*)")


def plan(workspace: Workspace, channel: Channel, message: Message) -> None:
    """Unfurl the first link of a message, if it has one, when Slack would."""
    link = _LINK.search(message.text)
    if link is None:
        return

    def unfurl() -> None:
        if channel.messages.get(message.ts) is message and message.subtype != "tombstone":
            previous = message_json(channel, message)
            preview = {"id": 1, "from_url": link[1], "original_url": link[1], "title": link[2]}
            message.attachments = [{**preview, "title_link": link[1], "fallback": link[2]}]
            tell_change(workspace, channel, message, previous=previous)

    workspace.clock.call_later(workspace.rules.unfurl_seconds, unfurl)
