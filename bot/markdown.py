"""Markdown in the sizes Slack takes: where a text may be cut, what opens again, what it says plain.

Pure. No conversion: Slack's `markdown` block renders. The text has passed `outbound` before.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, takewhile

from bot.lines import Fence, Structure, Table, code_spans, parse
from bot.outbound import inert
from bot.plain import escape, plain_lines

LIMIT = 11_500  # characters of Markdown per message (slack.md, section 7)
PLAIN_LIMIT = 3_000
SMALLEST_LIMIT = 256
_CLOSING = 64  # room for closing what is open at a cut
_ROWS = 100  # of a native table, its header included
_WINDOW = 2_000  # how much of the rest is read to judge the cut
_DELIMITER_ROW = re.compile(r"^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-*:?[ \t]*)+$", re.MULTILINE)
_SPACE = re.compile(r"\s+|(?<=[\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3])")


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a message ends in the text; what closes it there, and what opens the next one."""

    end: int
    close: str = ""
    reopen: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """One message: what was opened again, its share of the text, and what closes it."""

    opened: str
    body: str
    closed: str

    @property
    def text(self) -> str:
        return f"{self.opened}{self.body}{self.closed}"


def split(text: str, limit: int = LIMIT) -> tuple[str, ...]:
    """Split a text into messages of at most `limit` characters, at borders of blocks."""
    return tuple(piece.text for piece in pieces(text, limit))


def pieces(text: str, limit: int = LIMIT) -> Iterator[Piece]:
    """Give the messages of a text; their bodies in a row are the text."""
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"limit must be at least {SMALLEST_LIMIT}")
    start, opened = 0, ""
    while start < len(text):
        cut = find_cut(f"{opened}{text[start:]}", limit)
        if cut is None:
            yield Piece(opened, text[start:], "")
            return
        end = start + cut.end - len(opened)
        yield Piece(opened, text[start:end], cut.close)
        start, opened = end, cut.reopen


def find_cut(text: str, limit: int = LIMIT, *, least: int = 0, grows: bool = False) -> Cut | None:
    """Find where the first message of a text ends; None while it needs no second one.

    Nothing before `least` is cut off. With `grows` the cut comes early, at the first good border
    near the limit, so that the next message can begin while the text is still being written.
    """
    soft = max(least, limit * 7 // 8 - _CLOSING)
    hard = max(least, limit - _CLOSING)
    must = len(text) > (hard if grows else limit)
    may = must or (grows and len(text) > soft)
    long_table = text.count("\n") >= _ROWS and has_table(text)
    if not may and not long_table and not has_two_tables(text):
        return None
    structure = parse(text[: limit + _WINDOW])
    ends = [end for end in _table_ends(structure) if least <= end <= limit]
    if may:
        ends += _block_ends(structure, soft, hard)
    if must and not ends:
        ends = [_rough_end(text, structure, soft, hard)]
    return cut_at(text, min(ends), structure, limit) if ends else None


def cut_at(text: str, end: int, structure: Structure | None = None, limit: int = LIMIT) -> Cut:
    """Say what closes a text that is cut at `end`, and what opens the rest again."""
    structure = structure or parse(text)
    fence = structure.fence_at(end)
    if fence is not None:
        newline = "" if text[:end].endswith("\n") else "\n"
        close = "" if fence.nested else f"{newline}{fence.mark}"
        return Cut(end, close, f"{fence.opening}\n")
    for table in structure.tables:
        if structure.starts[table.first] < end and structure.line_at(end) < table.last:
            header = _header(text, structure, table)
            return Cut(end, "", header if len(header) <= limit // 8 else "")
    return Cut(end)


def has_two_tables(text: str) -> bool:
    """Tell cheaply whether a text may hold more than one table."""
    if "|" not in text:
        return False
    rows = _DELIMITER_ROW.finditer(text)
    return next(rows, None) is not None and next(rows, None) is not None


def has_table(text: str) -> bool:
    """Tell cheaply whether a text may hold a table."""
    return "|" in text and _DELIMITER_ROW.search(text) is not None


def may_begin_table(text: str) -> int:
    """Give the offset of a last line that may be the header of one more table, else the length.

    It must not be shown yet: a second table belongs into the next message.
    """
    begin = text.rstrip("\n").rfind("\n") + 1
    if "|" not in text[begin:] or not has_table(text[:begin]):
        return len(text)
    structure = parse(text)
    line = structure.line_at(begin)
    in_table = any(t.first <= line < t.last for t in structure.tables)
    return len(text) if in_table or structure.fence_at(begin) else begin


def _table_ends(structure: Structure) -> Iterator[int]:
    """Give the lines before which a message must end: a second table, a row too many."""
    for number, table in enumerate(structure.tables):
        if number:
            yield structure.starts[table.first]
            return
        too_many = table.first + 1 + _ROWS
        if too_many < table.last:
            yield structure.starts[too_many]
            return


def _block_ends(structure: Structure, soft: int, hard: int) -> Iterator[int]:
    for line in sorted(structure.borders):
        if soft <= structure.starts[line] <= hard and structure.starts[line]:
            yield structure.starts[line]
            return


def _rough_end(text: str, structure: Structure, soft: int, hard: int) -> int:
    """Find the best end inside a block: after a line, else after a word, else anywhere."""
    marks = {n for f in structure.fences for n in _edges(f)}
    for line in range(structure.line_at(hard), 0, -1):
        start = structure.starts[line]
        if start < soft:
            break
        if start <= hard and line not in marks:
            return start
    begin = structure.starts[structure.line_at(hard)]
    line_text = text[begin : hard + _WINDOW].partition("\n")[0]
    spans = code_spans(line_text, doubt=False).matched
    words = [found.end() for found in _SPACE.finditer(text, max(begin, soft), hard)]
    for end in [*reversed(words), hard]:
        inside = [begin + a for a, b in spans if begin + a < end < begin + b]
        if not inside:
            return end
        if inside[0] >= soft:
            return inside[0]
    return hard


def _edges(fence: Fence) -> tuple[int, int]:
    """Give the lines before which a cut would leave an empty code block."""
    return fence.first + 1, fence.last - 1 if fence.closed else fence.first + 1


def _header(text: str, structure: Structure, table: Table) -> str:
    after = structure.starts[table.first + 2]
    return text[structure.starts[table.first] : after]


def plain(text: str, limit: int = PLAIN_LIMIT) -> str:
    """Say a Markdown text without marks, escaped, in at most `limit` characters.

    This is what notifications and screen readers get.
    """
    said = inert(plain_lines(text[: limit * 2])).strip() or text.strip()
    shown = escape(said)
    if len(shown) <= limit:
        return shown
    sizes = accumulate(len(escape(char)) for char in said)
    kept = sum(1 for _ in takewhile(lambda size: size < limit, sizes))
    return f"{escape(said[:kept])}…"
