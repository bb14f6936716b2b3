"""Whom a message notifies: a broadcast, a group, people. For the journal, so that tests can ask.

Code spans and fences notify nobody; whether a markdown block resolves tokens is not documented,
so it is taken for yes.
"""

import re
from typing import Any, cast

from bot.playground.errors import Json
from bot.playground.model import Message

_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_TOKEN = re.compile(r"<(?:!(channel|here|everyone|subteam\^\w+)|@([A-Z0-9]+))[|>]")


def pinged(message: Message) -> list[str]:
    """Give user ids, `channel`, `here`, `everyone` and `subteam^S...`, each once, in order."""
    found: dict[str, None] = {}
    for text in [message.text, *_texts(message.blocks)]:
        for broadcast, user in _TOKEN.findall(_CODE.sub("", text)):
            found[broadcast or user] = None
    for name in _elements(message.blocks):
        found[name] = None
    return list(found)


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - JSON of any shape
    """Give the texts of mrkdwn and markdown; plain and rich text resolve nothing."""
    if isinstance(value, list):
        return [text for item in cast("list[Any]", value) for text in _texts(item)]
    if not isinstance(value, dict):
        return []
    shape = cast("Json", value)
    if shape.get("type") in ("mrkdwn", "markdown"):
        return [str(shape.get("text", ""))]
    return [text for item in shape.values() for text in _texts(item)]


def _elements(value: Any) -> list[str]:  # noqa: ANN401 - JSON of any shape
    """Give the user and broadcast elements of rich text."""
    if isinstance(value, list):
        return [name for item in cast("list[Any]", value) for name in _elements(item)]
    if not isinstance(value, dict):
        return []
    shape = cast("Json", value)
    named = {"user": "user_id", "broadcast": "range", "usergroup": "usergroup_id"}
    key = named.get(str(shape.get("type")))
    if key:
        return [str(shape.get(key, ""))]
    return [name for item in shape.values() for name in _elements(item)]
