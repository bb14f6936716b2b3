"""What each line of a Markdown text is: code, table, the border of a block.

Reads, never changes. `outbound` asks it what is code, `markdown` where a text may be cut, `draft`
what is settled. HTML blocks are not known here: Slack shows them as text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# A longer mark could not be closed and opened again within a message: its lines are not code to us.
LONGEST_MARK = 32
LONGEST_INFO = 100
# Longer code spans are taken for text: a message border may fall into them.
LONGEST_SPAN = 200

_NAIVE_FENCE = re.compile(r"[\s>*+\-0-9.)]*`{3,}[^`]*$")
_RESTART = re.compile(r"\n[ \t]*\n(?=[^\W\d])")
_MARK = re.compile(r"\\.|`+|<")
_RUN = re.compile(r"`+")
_TICK_OR_ANGLE = re.compile(r"[`>]")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block: its lines `first` to `last` (exclusive), marks included."""

    first: int
    last: int
    closed: bool
    nested: bool
    mark: str
    opening: str

    @property
    def content(self) -> range:
        return range(self.first + 1, self.last - 1 if self.closed else self.last)


@dataclass(frozen=True, slots=True)
class Table:
    """A table at the top level: its lines `first` to `last` (exclusive)."""

    first: int
    last: int


@dataclass(slots=True)
class Structure:
    """Lines of a text, by number from 0, and what stands on them."""

    starts: list[int]
    fences: list[Fence] = field(default_factory=list[Fence])
    tables: list[Table] = field(default_factory=list[Table])
    borders: set[int] = field(default_factory=set[int])

    def line_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def fence_at(self, offset: int) -> Fence | None:
        """Find the fence whose content lies on both sides of `offset`."""
        for fence in self.fences:
            inside = self.starts[fence.first] < offset and self.line_at(offset) in fence.content
            if inside and len(fence.mark) <= LONGEST_MARK:
                return fence
        return None


@dataclass(frozen=True, slots=True)
class Spans:
    """Code spans of one line: `safe` ones are code to every reader, `matched` holds all pairs.

    `open_at` is where an unmatched run begins; `doubt`: back-ticks after this line mean nothing.
    """

    safe: tuple[tuple[int, int], ...] = ()
    matched: tuple[tuple[int, int], ...] = ()
    open_at: int | None = None
    doubt: bool = False


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 50 ms that a short answer never needs

    return MarkdownIt("commonmark").enable("table").disable(["html_block", "inline"])


def parse(text: str) -> Structure:
    """Read the block structure of a text whose lines end in a plain newline."""
    lines = text.split("\n")
    structure = Structure([0, *accumulate(len(line) + 1 for line in lines[:-1])])
    for token in _parser().parse(text):
        if token.map is None or token.nesting < 0:
            continue
        first, last = token.map
        if token.level == 0 or (token.level == 1 and token.type == "list_item_open"):
            structure.borders.add(first)
        if token.type == "fence":
            structure.fences.append(_fence(token, first, last))
        elif token.type == "table_open" and token.level == 0:
            structure.tables.append(Table(first, last))
    return structure


def _fence(token: "Token", first: int, last: int) -> Fence:
    content = token.content
    written = content.count("\n") + bool(content and not content.endswith("\n"))
    spoken = token.info.strip()
    return Fence(
        first,
        last,
        closed=written < last - first - 1,
        nested=token.level > 0,
        mark=token.markup,
        opening=token.markup + (spoken if len(spoken) <= LONGEST_INFO else ""),
    )


def code_lines(text: str) -> list[bool]:
    """Say for every line whether it is the content of a fence, to a real and a naive reader alike.

    What only one of them takes for code is text to the other, and a mention in it would ping.
    """
    count = text.count("\n") + 1
    if "```" not in text:
        return [False] * count
    structure = parse(text)
    real = {n for f in structure.fences if len(f.mark) <= LONGEST_MARK for n in f.content}
    naive = _naive_code_lines(text, set(_restarts(text, structure)))
    return [number in real and naive[number] for number in range(count)]


def _naive_code_lines(text: str, restarts: set[int]) -> list[bool]:
    found: list[bool] = []
    inside, offset = False, 0
    for line in text.split("\n"):
        if offset in restarts:
            inside = False
        if _NAIVE_FENCE.match(line):
            inside = not inside
            found.append(False)
        else:
            found.append(inside)
        offset += len(line) + 1
    return found


def last_restart(text: str) -> int:
    """Find the last offset from which a text can be read without what stands before; 0 if none.

    A line that begins with a letter, after a blank one, closes every list and quote.
    """
    if "```" in text or "~~~" in text:
        return max(_restarts(text, parse(text)), default=0)
    return max((found.end() for found in _RESTART.finditer(text)), default=0)


def _restarts(text: str, structure: Structure) -> Iterator[int]:
    fenced = {n for f in structure.fences for n in range(f.first, f.last)}
    for found in _RESTART.finditer(text):
        if structure.line_at(found.end()) not in fenced:
            yield found.end()


def open_fence(text: str) -> Fence | None:
    """Find the fence that is still open at the end of a text."""
    if "```" not in text and "~~~" not in text:
        return None
    fences = parse(text).fences
    last = fences[-1] if fences else None
    at_end = last is not None and last.last >= text.count("\n") + (not text.endswith("\n"))
    return last if last and at_end and not last.closed else None


def code_spans(line: str, *, doubt: bool) -> Spans:
    """Find the code spans of one line; once in `doubt`, there are none."""
    if doubt:
        return Spans(doubt=True)
    safe: list[tuple[int, int]] = []
    matched: list[tuple[int, int]] = []
    open_at: int | None = None
    at = 0
    while not doubt and (found := _MARK.search(line, at)):
        at = found.end()
        if found.group() == "<":
            # A tag or link that takes a back-tick in would shift every pair after it.
            after = _TICK_OR_ANGLE.search(line, at)
            doubt = after is None or after.group() == "`"
        elif found.group()[0] == "`":
            end = _end_of_span(line, found)
            if end is None:
                open_at, doubt = found.start(), True
                break
            at, span = end, (found.start(), end)
            doubt = end - found.start() > LONGEST_SPAN
            if not doubt:
                matched.append(span)
            if not doubt and len(found.group()) == 1 and "|" not in line[slice(*span)]:
                safe.append(span)
    return Spans(tuple(safe), tuple(matched), open_at, doubt)


def _end_of_span(line: str, opening: re.Match[str]) -> int | None:
    for run in _RUN.finditer(line, opening.end()):
        if len(run.group()) == len(opening.group()):
            return run.end()
    return None
