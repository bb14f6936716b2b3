"""The messages of a reply: which share of its growing text each of them says.

A message that is full, or whose stream has lived long enough, ends at a border of the text, and
the next one goes on there. What the ledger says was delivered is kept where it still fits.
Neighbours: `part` (one message), `markdown` (where to cut), `reply` (when).
"""

import time
from dataclasses import dataclass

from bot.entries import Entry, fresh
from bot.lines import parse
from bot.markdown import LIMIT, Cut, cut_at, find_cut, may_begin_table
from bot.outlet import Outlet
from bot.part import LivePart, PartFixed
from bot.timing import Pace
from storage.ledger import Ledger


@dataclass(slots=True)
class Sheet:
    """One message and its share: `opened` + text[start:end] + what closes it; no end: it grows."""

    part: LivePart
    start: int = 0
    opened: str = ""
    body: str | None = None
    end: int | None = None
    reopen: str = ""
    born: float | None = None

    def fits(self, text: str, start: int, opened: str) -> bool:
        """Tell whether a finished share still stands in the text as it was."""
        stands = self.body is not None and text.startswith(self.body, start)
        return self.end is not None and stands and (self.start, self.opened) == (start, opened)


class Parts:
    """All messages of one reply, in order."""

    def __init__(self, outlet: Outlet, ledger: Ledger, pace: Pace) -> None:
        self._outlet = outlet
        self._ledger = ledger
        self._pace = pace
        self._sheets: list[Sheet] = []

    async def load(self) -> None:
        """Read what an earlier attempt at this turn has delivered."""
        for record in await self._ledger.parts():
            entry = Entry(self._ledger, record)
            self._sheets.append(Sheet(LivePart(self._outlet, entry), end=entry.end))

    @property
    def rotate_at(self) -> float | None:
        """Say when the open stream, if there is one, must make room for the next."""
        sheet = self._sheets[-1] if self._sheets else None
        if sheet is None or sheet.born is None or sheet.part.state != "streaming":
            return None
        return sheet.born + self._pace.rotate

    async def deliver(self, text: str, *, final: bool) -> None:
        """Bring the messages to say `text`; `final`: all of it, for good.

        Raises `SlackFailed`, `LeaseLost`.
        """
        start, opened, n = 0, "", 0
        while start < len(text):
            sheet = self._sheet(n)
            n += 1
            start += _gap(text, start, in_block=bool(opened))
            if not sheet.fits(text, start, opened):
                if sheet.end is not None and not (final or len(text) >= sheet.end):
                    return  # what this message said has not been said again yet
                sheet.start, sheet.opened = start, opened
                await self._write(sheet, text, final=final)
            if sheet.end is None:
                break
            start, opened = sheet.end, sheet.reopen
        if final:
            await self._withdraw(self._sheets[n:])

    async def pause(self) -> None:
        """End an open stream as it is: somebody else goes on with the turn."""
        if self._sheets:
            await self._sheets[-1].part.pause()

    def _sheet(self, n: int) -> Sheet:
        if n == len(self._sheets):
            self._sheets.append(Sheet(LivePart(self._outlet, fresh(self._ledger, n + 1))))
        return self._sheets[n]

    async def _write(self, sheet: Sheet, text: str, *, final: bool) -> None:
        rest = sheet.opened + text[sheet.start :]
        cut = self._cut(sheet, rest, final=final)
        sheet.end = sheet.body = None
        if cut is not None:
            await self._finish(sheet, text, rest[: cut.end] + cut.close, cut)
            return
        content = rest if final else rest[: may_begin_table(rest)].rstrip()
        shrinks = len(content) < len(sheet.part.sent or "") and not final
        if content.strip() and not shrinks:
            await self._say(sheet, text, content, final=final)

    async def _finish(self, sheet: Sheet, text: str, content: str, cut: Cut) -> None:
        """Let a message say its whole share; the next one goes on behind it."""
        end = sheet.start + cut.end - len(sheet.opened)
        if content.strip():
            await self._say(sheet, text, content, final=True, seal=str(end))
        if sheet.end is None:
            sheet.end, sheet.body, sheet.reopen = end, text[sheet.start : end], cut.reopen

    async def _say(
        self, sheet: Sheet, text: str, content: str, *, final: bool, seal: str = ""
    ) -> None:
        try:
            await sheet.part.write(content, final=final, seal=seal)
        except PartFixed:
            self._leave_as_is(sheet, text)
        if sheet.born is None and sheet.part.state == "streaming":
            sheet.born = time.monotonic()

    def _cut(self, sheet: Sheet, rest: str, *, final: bool) -> Cut | None:
        """Find where the message ends: where it ended before, at its limit, or at its age."""
        if sheet.end is not None and sheet.body is None:
            before = cut_at(rest, sheet.end - sheet.start + len(sheet.opened))
            if sheet.part.entry.says(rest[: before.end] + before.close):
                return before
        sent = sheet.part.sent or ""
        least = len(sent) if sheet.part.state == "streaming" and rest.startswith(sent) else 0
        cut = find_cut(rest, LIMIT, least=least, grows=not final)
        if cut is None and not final and sheet.part.state == "streaming":
            cut = self._cut_by_age(sheet, rest, least)
        return cut

    def _cut_by_age(self, sheet: Sheet, rest: str, least: int) -> Cut | None:
        age = time.monotonic() - (sheet.born or time.monotonic())
        if age < self._pace.rotate or not least:
            return None
        structure = parse(rest)
        starts = (structure.starts[line] for line in sorted(structure.borders))
        border = next((start for start in starts if start >= least), None)
        if border is None and age < self._pace.rotate + self._pace.grace and least < len(rest):
            return None
        return cut_at(rest, border or least, structure)

    def _leave_as_is(self, sheet: Sheet, text: str) -> None:
        """End a message that can no longer be changed where it happens to end."""
        sent = sheet.part.sent or ""
        body = sent[len(sheet.opened) :] if sent.startswith(sheet.opened) else ""
        kept = body if text.startswith(body, sheet.start) else ""
        cut = cut_at(sheet.opened + text[sheet.start :], len(sheet.opened) + len(kept))
        sheet.end, sheet.body, sheet.reopen = sheet.start + len(kept), kept, cut.reopen

    async def _withdraw(self, surplus: list[Sheet]) -> None:
        """Take messages back, the last one first: what stands is in order at any moment."""
        for sheet in reversed(surplus):
            if sheet.part.state != "new":
                await sheet.part.withdraw()
            sheet.end = sheet.body = sheet.born = None


def _gap(text: str, start: int, *, in_block: bool) -> int:
    """Count the newlines a message does not begin with: between blocks, or left from a line."""
    newlines = len(text[start:]) - len(text[start:].lstrip("\n"))
    if not in_block:
        return newlines
    return min(newlines, 1) if start and text[start - 1] != "\n" else 0
