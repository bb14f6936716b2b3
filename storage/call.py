"""One run of a Lua script: its text, its keys, its arguments, and how to read the answer.

`scripts.py` builds calls, `client.py` sends them. A call's keys must stand in one lane, since a
cluster runs a script on one node only.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Generic, TypeVar

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
        if len({tag_of(key) for key in self.keys}) != 1:
            raise ValueError(f"{self.script}: keys of more than one lane: {self.keys}")


def tag_of(key: str) -> str:
    """Return the hash tag of a key, or the whole key where it has none, as a cluster does."""
    found = re.search(r"\{([^}]+)\}", key)
    return found[1] if found else key


@cache
def load(name: str) -> Script:
    """Read `lua/NAME.lua`, with the part that all scripts share in front."""
    folder = resources.files("storage") / "lua"
    shared, own = ((folder / f"{each}.lua").read_text("utf-8") for each in ("session", name))
    text = f"{shared}\n{own}"
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())
