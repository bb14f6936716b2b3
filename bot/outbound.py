"""The one filter every text passes before it leaves: no broadcast and no stranger's name pings.

Pure. Works line by line, so that a growing text can be sent as soon as its lines stand. What is
code stays as it was written. Neighbours: `lines` says what is code, `markdown` splits afterwards.
"""

import html
import re
import unicodedata
from collections.abc import Iterator

from bot.lines import Spans, code_lines, code_spans, open_fence

JOINER = "\u2060"  # invisible, and enough to make a mention plain text
NOTHING = "\u200b"  # stands for whatever a reader may overlook
# Letters of the words below in other scripts; whoever folds them would read a broadcast.
_LOOK_ALIKES = {
    **dict.fromkeys("\u0430\u03b1\u1d00", "a"),
    **dict.fromkeys("\u0441\u03f2\u1d04", "c"),
    **dict.fromkeys("\u0435\u1d07", "e"),
    **dict.fromkeys("\u0261\u0581", "g"),
    **dict.fromkeys("\u04bb\u0570\u029c", "h"),
    **dict.fromkeys("\u04cf\u01c0\u029f", "l"),
    **dict.fromkeys("\u0578\u03b7\u0274", "n"),
    **dict.fromkeys("\u043e\u03bf\u0585\u1d0f", "o"),
    **dict.fromkeys("\u0440\u03c1", "p"),
    **dict.fromkeys("\u0433\u0280", "r"),
    **dict.fromkeys("\u03c5\u057d", "u"),
    **dict.fromkeys("\u0475\u03bd\u1d20", "v"),
    **dict.fromkeys("\u0443\u04af\u028f", "y"),
    "\u01c3": "!",
}
_BROADCASTS = frozenset({"channel", "here", "everyone", "group"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")

_ENTITY = re.compile(r"&(?:amp;)*(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,12});?")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ANGLE = re.compile(
    rf"<{NOTHING}*(?P<sign>[!@#])(?P<body>{NOTHING}*[a-z0-9][^<>]*)(?P<end>>{NOTHING}*|)"
)
_PLAIN = re.compile(
    f"@({'|'.join(f'{NOTHING}*'.join(('', *w)) for w in ('channel', 'here', 'everyone'))})"
)
_NAME = re.compile(r"[A-Za-z0-9_]")
_ID = re.compile(r"[a-z][a-z0-9]{2,}$")
_TOKEN = re.compile(rf"<{NOTHING}*[!@#][^<>]*>?")
_BREAK = re.compile(
    "[ \t\u3001-\u3098\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]"
)


class _Folding(dict[int, str]):
    """What a careless reader sees in a character: one plain character, or nothing."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_char(chr(code))
        return folded


_FOLDING = _Folding()


def outbound(text: str, *, may_ping: frozenset[str]) -> str:
    """Make every broadcast and every mention inert, except of the ids in `may_ping`."""
    lines = _lines(text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(
        line if spans is None else _defuse_around(line, spans.safe, may_ping)
        for line, spans in lines
    )


def inert(text: str) -> str:
    """Make every mention inert, code or not: for surfaces that show plain text."""
    return "\n".join(_defuse(line, frozenset()) for line in text.split("\n"))


def stable_length(text: str) -> int:
    """Say how much of a growing text may leave now: `outbound` of it stays the same for ever."""
    text = text.removesuffix("\r")
    begin = max(text.rfind("\n"), text.rfind("\r")) + 1
    line = text[begin:]
    if not line:
        return len(text)
    head = text[:begin].replace("\r\n", "\n").replace("\r", "\n")
    if open_fence(head) is not None:
        return begin
    spans = list(_lines(head + line))[-1][1] or Spans()
    whole = [*spans.matched, *(found.span() for found in _TOKEN.finditer(_fold(line)))]
    growing = [start for start, end in whole if end == len(line)]
    if spans.open_at is not None:
        growing.append(spans.open_at)
    return begin + _whole_length(line, min(growing, default=len(line)), whole)


def _whole_length(line: str, most: int, whole: list[tuple[int, int]]) -> int:
    """Find the last break up to `most` that cuts through none of what must stay whole."""
    at = _last_break(line[:most])
    while cut := [start for start, end in whole if start < at < end]:
        at = _last_break(line[: min(cut)])
    return at


def _lines(text: str) -> Iterator[tuple[str, Spans | None]]:
    """Give each line with its code spans; None for a line that is code as a whole."""
    doubt = False
    for line, is_code in zip(text.split("\n"), code_lines(text), strict=True):
        if is_code:
            doubt = False
            yield line, None
            continue
        # Back-ticks pair up within a paragraph: a blank line ends all doubt.
        spans = code_spans(line, doubt=doubt and bool(line.strip()))
        doubt = spans.doubt and "```" not in line
        yield line, spans


def _last_break(line: str) -> int:
    """Find the end of the last character that no mention can contain."""
    return max((found.end() for found in _BREAK.finditer(line)), default=0)


def _defuse_around(line: str, safe: tuple[tuple[int, int], ...], may_ping: frozenset[str]) -> str:
    if not safe:
        return _defuse(line, may_ping)
    parts: list[str] = []
    at = 0
    for start, end in safe:
        parts += (_defuse(line[at:start], may_ping), line[start:end])
        at = end
    return "".join((*parts, _defuse(line[at:], may_ping)))


def _defuse(line: str, may_ping: frozenset[str]) -> str:
    folded = _fold(line)
    if "@" not in folded and "<" not in folded:
        return line
    parts: list[str] = []
    at = 0
    for found in _ANGLE.finditer(folded):
        start, end = found.span()
        said, taken = _token(line[start:end], found, may_ping)
        parts += (line[at:start], said)
        at = start + taken
    return _defuse_plain("".join((*parts, line[at:])))


def _defuse_plain(line: str) -> str:
    for found in reversed(list(_PLAIN.finditer(_fold(line)))):
        start, end = found.span()
        around = line[max(0, start - 1) : start] + line[end : end + 1]
        if _NAME.search(around):  # an address, or another word: someone@here.example, @hereby
            continue
        word = found[1].replace(NOTHING, "")
        line = f"{line[:start]}@{JOINER}{word}{line[end:]}"
    return line


def _token(raw: str, found: re.Match[str], may_ping: frozenset[str]) -> tuple[str, int]:
    """Say what stands for a `<...>` token, and how many of its characters that replaces."""
    sign, until = found["sign"], found.start("body") - found.start()
    head = found["body"].replace(NOTHING, "").partition("|")[0]
    if found["end"]:
        named = raw[2:-1].partition("|")[0]
        if sign != "!" and raw[:2] == f"<{sign}" and named in may_ping:
            return f"<{sign}{named}>", len(raw)
        if sign == "!" and head.startswith("date^"):
            return raw, len(raw)
        shown = _shown(sign, head, _label(raw, found))
        if shown:
            return shown, len(raw)
    joined = raw[until : until + 1] == JOINER
    return raw[:until] + ("" if joined else JOINER), until


def _label(raw: str, found: re.Match[str]) -> str:
    body = found["body"]
    bar = body.find("|")
    if bar < 0:
        return ""
    rest = len(body[bar + 1 :].lstrip(NOTHING))
    end = found.end("body") - found.start()
    return raw[end - rest : end].strip().lstrip("@#")


def _shown(sign: str, head: str, label: str) -> str:
    """Put a well-formed mention into words: its label, or else its name or id."""
    if sign == "!" and head in _BROADCASTS:
        return f"@{JOINER}{head}"
    if sign == "!" and head.startswith("subteam^"):
        return f"@{JOINER}{label or head.removeprefix('subteam^').upper()}"
    if sign != "!" and _ID.match(head):
        return f"{sign}{JOINER}{label or head.upper()}"
    return ""


def _fold(line: str) -> str:
    """Give what a careless reader sees, character for character as long as the line itself."""
    plain = line.isascii() and line.isprintable()
    folded = line.lower() if plain else line.translate(_FOLDING)
    if "&" in folded:
        folded = _ENTITY.sub(_fold_entity, folded)
    return _ESCAPE.sub(NOTHING, folded) if "\\" in folded else folded


def _fold_entity(found: re.Match[str]) -> str:
    char = html.unescape(f"&{found[1]};")
    if len(char) != 1:
        return found[0]
    return _FOLDING[ord(char)] + NOTHING * (len(found[0]) - 1)


def _fold_char(char: str) -> str:
    if char in _FILLERS or (unicodedata.category(char) in {"Cf", "Cc", "Mn"} and char != "\t"):
        return NOTHING
    bare = [c for c in unicodedata.normalize("NFKD", char) if unicodedata.category(c) != "Mn"]
    plain = "".join(bare).lower()
    return _LOOK_ALIKES.get(plain, plain) if len(plain) == 1 else char
