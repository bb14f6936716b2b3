"""What listing methods share: opaque cursors, and which kinds of conversation are asked for."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from bot.playground.errors import Json, SlackError
from bot.playground.wire import Call

Item = TypeVar("Item")


def page(items: Sequence[Item], call: Call, default: int, most: int) -> tuple[list[Item], str]:
    """Cut one page out of `items`; the second value is the cursor of the next, or empty."""
    limit = call.number("limit", default)
    if limit < 0:
        raise SlackError("invalid_limit")
    limit = min(limit or default, most)
    start = _place(call.text("cursor"))
    rest = start + limit
    return list(items[start:rest]), _cursor(rest) if rest < len(items) else ""


def metadata(cursor: str) -> Json:
    return {"response_metadata": {"next_cursor": cursor}}


_TYPES = {
    "public_channel": "public",
    "private_channel": "private",
    "im": "im",
    "mpim": "mpim",
}


def conversation_kinds(call: Call) -> set[str]:
    """Read the `types` argument; Slack's default is public channels only."""
    types = call.names("types") or ["public_channel"]
    if not set(types) <= set(_TYPES):
        raise SlackError("invalid_types")
    return {_TYPES[name] for name in types}


def _cursor(place: int) -> str:
    return base64.b64encode(f"place:{place}".encode()).decode()


def _place(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        word, _, place = base64.b64decode(cursor, validate=True).decode().partition(":")
        if word == "place":
            return int(place)
    except (binascii.Error, ValueError):
        pass
    raise SlackError("invalid_cursor")
