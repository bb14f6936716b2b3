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
    blocks: list[dict[str, Any]] = event.get("blocks") or []
    return "\n".join(filter(None, (_block_text(block) for block in blocks)))


def _block_text(block: dict[str, Any]) -> str:
    kind = block.get("type")
    if kind == "rich_text":
        return "".join(_rich_text(element) for element in block.get("elements") or [])
    if kind in {"section", "header"}:
        return str((block.get("text") or {}).get("text") or "")
    if kind == "markdown":
        return str(block.get("text") or "")
    return ""


def _rich_text(element: dict[str, Any]) -> str:
    kind = element.get("type")
    if kind == "user":
        return f"<@{element.get('user_id')}>"
    if kind == "channel":
        return f"<#{element.get('channel_id')}>"
    if kind == "link":
        return f"<{element.get('url')}|{element.get('text') or element.get('url')}>"
    if kind == "emoji":
        return f":{element.get('name')}:"
    if kind == "broadcast":
        return f"<!{element.get('range')}>"
    inner = "".join(_rich_text(child) for child in element.get("elements") or [])
    if kind == "rich_text_list":
        items = element.get("elements") or []
        return "".join(f"- {_rich_text(item)}\n" for item in items)
    return str(element.get("text") or "") + inner


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
