"""The rich_text block Slack makes of a person's message, from its mrkdwn text."""

import html
import re

from bot.playground.errors import Json

_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_LIST = re.compile(r"^(?:[-*\u2022]|(\d+)[.)]) (.*)$")
_INLINE = re.compile(
    r"<@(?P<user>[A-Z0-9]+)(?:\|[^>]*)?>"
    r"|<#(?P<channel>[A-Z0-9]+)(?:\|[^>]*)?>"
    r"|<!(?P<range>here|channel|everyone)>"
    r"|<(?P<url>https?://[^|>]+)(?:\|(?P<label>[^>]*))?>"
    r"|:(?P<emoji>[a-z0-9_+-]+):"
    r"|`(?P<code>[^`\n]+)`"
    r"|(?<![\w*])\*(?P<bold>[^*\n]+)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>[^_\n]+)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>[^~\n]+)~(?![\w~])"
)
_STYLES = ("code", "bold", "italic", "strike")


def rich_text(text: str, block_id: str) -> list[Json]:
    """Build the blocks of a person's message; none for an empty text."""
    elements: list[Json] = []
    place = 0
    for fence in _FENCE.finditer(text):
        elements += _paragraphs(text[place : fence.start()])
        code = [{"type": "text", "text": html.unescape(fence[1])}]
        elements.append({"type": "rich_text_preformatted", "elements": code, "border": 0})
        place = fence.end()
    elements += _paragraphs(text[place:])
    if not elements:
        return []
    return [{"type": "rich_text", "block_id": block_id, "elements": elements}]


def _paragraphs(text: str) -> list[Json]:
    """Group lines of a kind: quotes, list items of one style, plain lines."""
    groups: list[tuple[str, list[str]]] = []
    for line in text.strip("\n").split("\n") if text.strip() else []:
        kind, said = _line_kind(line)
        if groups and groups[-1][0] == kind:
            groups[-1][1].append(said)
        else:
            groups.append((kind, [said]))
    return [_group(kind, lines) for kind, lines in groups]


def _line_kind(line: str) -> tuple[str, str]:
    if line.startswith("&gt;"):
        return "quote", line.removeprefix("&gt;").lstrip()
    item = _LIST.match(line)
    if item:
        return ("ordered" if item[1] else "bullet"), item[2]
    return "section", line


def _group(kind: str, lines: list[str]) -> Json:
    if kind in {"ordered", "bullet"}:
        items = [{"type": "rich_text_section", "elements": _inline(line)} for line in lines]
        return {"type": "rich_text_list", "style": kind, "indent": 0, "elements": items}
    return {"type": f"rich_text_{kind}", "elements": _inline("\n".join(lines))}


def _inline(text: str) -> list[Json]:
    elements: list[Json] = []
    place = 0
    for match in _INLINE.finditer(text):
        _add_text(elements, text[place : match.start()])
        elements.append(_element(match))
        place = match.end()
    _add_text(elements, text[place:])
    return elements


def _add_text(elements: list[Json], text: str) -> None:
    if text:
        elements.append({"type": "text", "text": html.unescape(text)})


def _element(match: re.Match[str]) -> Json:
    kind = match.lastgroup or ""
    value = match[kind]
    if kind in _STYLES:
        return {"type": "text", "text": html.unescape(value), "style": {kind: True}}
    if match["url"]:
        label = {"text": html.unescape(match["label"])} if match["label"] else {}
        return {"type": "link", "url": html.unescape(match["url"]), **label}
    shapes: dict[str, Json] = {
        "user": {"type": "user", "user_id": value},
        "channel": {"type": "channel", "channel_id": value},
        "range": {"type": "broadcast", "range": value},
        "emoji": {"type": "emoji", "name": value},
    }
    return shapes[kind]
