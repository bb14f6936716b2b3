"""Typed Lua: one file in `lua/` is one typed function here; nobody else runs a script.

A function only builds a `Call`; `Store.run` (or, in the heartbeat's thread, `run_sync`) sends it.
Each file opens with its data model; `lua/session.lua` is put in front of every one of them.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Generic, TypeVar

from storage import keys

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Script:
    """The text of a script and the name under which the server keeps it."""

    text: str
    sha: str


@dataclass(frozen=True, slots=True)
class Call(Generic[Result]):
    """One run of a script: all its keys in one lane, and how to read the answer."""

    script: str
    keys: tuple[str, ...]
    args: tuple[str | int, ...]
    read: Callable[[Any], Result]

    def __post_init__(self) -> None:
        if len({keys.tag_of(key) for key in self.keys}) != 1:
            raise ValueError(f"{self.script}: keys of more than one lane: {self.keys}")


@cache
def load(name: str) -> Script:
    """Read `lua/NAME.lua`, with the part that all scripts share in front."""
    folder = resources.files("storage") / "lua"
    shared, own = ((folder / f"{each}.lua").read_text("utf-8") for each in ("session", name))
    text = f"{shared}\n{own}"
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())
