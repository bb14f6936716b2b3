"""A Markdown text without its marks, for surfaces that show plain text only."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKS = re.compile(r"[*_`~#>\[\]|\\&<]|^\s*(?:[-+]|\d+[.)])\s|^\s*[-=]{2,}\s*$", re.MULTILINE)
_CELLS = {"th_close", "td_close"}
_BLOCKS = {"paragraph_close", "heading_close", "table_close"}


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 50 ms that a short answer never needs

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def plain_lines(text: str) -> str:
    """Give the words of a Markdown text, one line for each of its lines."""
    if not _MARKS.search(text):
        return text
    said: list[str] = []
    for token in _parser().parse(text):
        if token.type == "inline":
            said.append("".join(_words(token.children or [])))
        else:
            said.append(_between(token))
    return re.sub(r"\n{3,}", "\n\n", "".join(said))


def escape(text: str) -> str:
    """Escape the three characters that have a meaning in Slack's own mark-up."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _between(token: "Token") -> str:
    if token.type in {"fence", "code_block"}:
        return f"{token.content}\n"
    if token.type in _CELLS:
        return " | "
    if token.type in _BLOCKS:
        return "\n" if token.hidden else "\n\n"
    fixed = {
        "tr_close": "\n",
        "hr": "---\n\n",
        "bullet_list_close": "\n",
        "ordered_list_close": "\n",
    }
    if token.type == "list_item_open":
        return f"{token.info}{token.markup} " if token.info else "• "
    return fixed.get(token.type, "")


def _words(tokens: "list[Token]") -> Iterator[str]:
    """Give the words of a line; a link is followed by its address unless it shows it itself."""
    address = ""
    for token in tokens:
        if token.type in {"softbreak", "hardbreak"}:
            yield "\n"
        elif token.type == "link_open":
            address = str(token.attrGet("href") or "")
        elif token.type == "link_close":
            yield f" ({address})" if address else ""
        else:
            address = "" if token.content == address else address
            yield token.content
