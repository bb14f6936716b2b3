"""assistant.search.*: messages by their words, with the action token of an event.

search.messages takes user tokens only, and there are none here.
"""

from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.methods.paging import metadata, page
from bot.playground.methods.table import Method
from bot.playground.model import Channel, Message
from bot.playground.shapes import permalink
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

_MOST = 20


def search_context(workspace: Workspace, call: Call) -> Json:
    words = call.need("query").lower().split()
    asker = workspace.action_tokens.get(call.text("action_token"))
    if asker is None:
        raise SlackError("invalid_action_token")
    hits = [
        (channel, message)
        for channel in workspace.channels.values()
        if channel.kind == "public"
        for message in channel.messages.values()
        if any(word in message.text.lower() for word in words)
    ]
    hits.sort(key=lambda hit: float(hit[1].ts), reverse=True)
    some, cursor = page(hits, call, _MOST, _MOST)
    found = [_hit(workspace, channel, message) for channel, message in some]
    return {"results": {"messages": found}, **metadata(cursor)}


def _hit(workspace: Workspace, channel: Channel, message: Message) -> Json:
    author = workspace.users.get(message.user)
    return {
        "author_name": author.real_name if author else "",
        "author_user_id": message.user,
        "team_id": message.team,
        "channel_id": channel.id,
        "channel_name": channel.name,
        "message_ts": message.ts,
        "content": message.text,
        "is_author_bot": bool(message.bot_id),
        "permalink": permalink(workspace.base_url, channel, message),
    }


def search_info(_workspace: Workspace, _call: Call) -> Json:
    return {"is_ai_search_enabled": False}


def search_messages(_workspace: Workspace, _call: Call) -> Json:
    raise invalid_arguments("nobody here has a token for this")


_SEARCH = ("search:read.public",)

METHODS = (
    Method("assistant.search.context", search_context, _SEARCH, "2"),
    Method("assistant.search.info", search_info, _SEARCH, "2", json=False),
    Method("search.messages", search_messages, tier="2", caller="user", json=False),
)
