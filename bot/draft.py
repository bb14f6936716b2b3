"""The text of one reply as it grows: what the model said step by step, and our own notes.

Pure. Every text it gives has passed `outbound`, and while nothing is taken back each one begins
with the one before. Neighbours: `reply` (who feeds it), `parts` (who delivers it).
"""

from bot.lines import last_restart, open_fence
from bot.outbound import outbound, stable_length


class Section:
    """The text of one step, or one note of ours."""

    def __init__(self, raw: str = "", *, complete: bool = False) -> None:
        self.raw = raw
        self.complete = complete
        self._settled = 0
        self._left = ""

    def text(self, may_ping: frozenset[str]) -> str:
        """Give what may be shown; only what is not settled yet is looked at again."""
        tail = self.raw[self._settled :]
        ready = tail if self.complete else tail[: stable_length(tail)]
        if restart := last_restart(ready):
            self._left += outbound(ready[:restart], may_ping=may_ping)
            self._settled += restart
            ready = ready[restart:]
        shown = outbound(ready, may_ping=may_ping)
        return f"{self._left}{shown.rstrip()}{self._closing(shown)}".strip("\n")

    def _closing(self, shown: str) -> str:
        """Close a fence the model left open: the next section is not part of it."""
        fence = open_fence(shown) if self.complete else None
        return f"\n{fence.mark}" if fence is not None and not fence.nested else ""


class Draft:
    """All sections of a reply; steps by number, notes in between."""

    def __init__(self, may_ping: frozenset[str]) -> None:
        self._may_ping = may_ping
        self._sections: list[Section] = []
        self._by_step: dict[int, Section] = {}

    def begin(self, step: int) -> None:
        """Begin the text of a step; what was there of it is void."""
        fresh = Section()
        if step in self._by_step:
            place = self._sections.index(self._by_step[step])
            self._sections[place] = fresh
        else:
            self.complete()
            self._sections.append(fresh)
        self._by_step[step] = fresh

    def add(self, text: str) -> None:
        """Add to the text of the step that began last."""
        self._sections[-1].raw += text.replace("\r", "")

    def complete(self) -> None:
        """Nothing more will be added to what is there."""
        for section in self._sections:
            section.complete = True

    def note(self, text: str) -> None:
        """Add a sentence of our own, after all that is there."""
        self.complete()
        self._sections.append(Section(text, complete=True))

    def lead(self, text: str) -> None:
        """Put a sentence of our own before all that is there."""
        self._sections.insert(0, Section(text, complete=True))

    def settle(self, said: str) -> None:
        """Make sure that the steps say what the model has said in full; the notes stay."""
        self.complete()
        steps = list(self._by_step.values())
        if _words(said) == _words("".join(step.raw for step in steps)):
            return
        whole = Section(said.replace("\r", ""), complete=True)
        place = self._sections.index(steps[0]) if steps else len(self._sections)
        self._sections = [section for section in self._sections if section not in steps]
        self._sections.insert(place, whole)
        self._by_step = {0: whole}

    def text(self) -> str:
        """Give the whole text that may be shown now."""
        texts = (section.text(self._may_ping) for section in self._sections)
        return "\n\n".join(text for text in texts if text.strip())


def _words(text: str) -> str:
    return "".join(text.split())
