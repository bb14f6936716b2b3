"""What people wrote, as text: from Slack's events and history to words a model can read.

Mentions become names, links keep label and address, entities are decoded; a message that has only
blocks is read from them. Pure; who is trusted how is decided by the caller.
"""

import html
import re
from collections.abc import Callable
from typing import Any

from harness.models import FileRef

_REFERENCE = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")


def message_text(event: dict[str, Any]) -> str:
    """Return the text as Slack's mrkdwn; from the blocks where the text field is empty."""
    text = str(event.get("text") or "")
    if text.strip():
        return text
    return "\n".join(filter(None, (_block_text(block) for block in _children(event, "blocks"))))


def _children(parent: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return parent.get(key) or []


def _block_text(block: dict[str, Any]) -> str:
    kind = block.get("type")
    if kind == "rich_text":
        return "".join(_rich_text(element) for element in _children(block, "elements"))
    if kind in {"section", "header"}:
        inner: dict[str, Any] = block.get("text") or {}
        return str(inner.get("text") or "")
    return str(block.get("text") or "") if kind == "markdown" else ""


def _rich_text(element: dict[str, Any]) -> str:
    kind = str(element.get("type"))
    if kind in _REFERENCES:
        return _REFERENCES[kind](element)
    children = [_rich_text(child) for child in _children(element, "elements")]
    if kind == "rich_text_list":
        return "".join(f"- {child}\n" for child in children)
    return str(element.get("text") or "") + "".join(children)


_REFERENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "user": lambda e: f"<@{e.get('user_id')}>",
    "channel": lambda e: f"<#{e.get('channel_id')}>",
    "link": lambda e: f"<{e.get('url')}|{e.get('text') or e.get('url')}>",
    "emoji": lambda e: f":{e.get('name')}:",
    "broadcast": lambda e: f"<!{e.get('range')}>",
}


def readable(text: str, name_of: Callable[[str], str | None]) -> str:
    """Decode Slack's references; `name_of(user id)` gives a name where one is known."""

    def replace(match: re.Match[str]) -> str:
        sign, target, label = match.group(1), match.group(2), match.group(3)
        if sign == "@":
            return f"@{label or name_of(target) or target}"
        if sign == "#":
            return f"#{label or target}"
        if sign == "!":
            return f"@{label or target.partition('^')[0]}".replace("@@", "@")
        return target if not label or label == target else f"{label} ({target})"

    return html.unescape(_REFERENCE.sub(replace, text))


def mentioned_users(text: str) -> tuple[str, ...]:
    """Return the ids of the users a text refers to, each once, in order."""
    found = (m.group(2) for m in _REFERENCE.finditer(text) if m.group(1) == "@")
    return tuple(dict.fromkeys(found))


def files_of(event: dict[str, Any]) -> tuple[FileRef, ...]:
    """Return the files of a message by reference."""
    files: list[dict[str, Any]] = event.get("files") or []
    return tuple(
        FileRef(
            id=str(file["id"]),
            name=str(file.get("name") or file.get("title") or file["id"]),
            mimetype=str(file.get("mimetype") or ""),
            size=int(file.get("size") or 0),
            url=str(file.get("url_private_download") or file.get("url_private") or ""),
        )
        for file in files
        if file.get("id")
    )
