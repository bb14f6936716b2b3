"""Which paths the model may name: plainly inside the project's folder, and not what is closed.

`.aino/` is Deskmate's own. What git keeps under `.git` can make it run programs, so it is never
written, and git's settings, which may hold credentials, are not read. This module looks at names
only; that no link leads elsewhere is the concern of `beneath`. Neighbour: `paths`.
"""

import re

from harness.errors import ToolError
from harness.plain import quoted

OWN = ".aino"

_GIT = ".git"
_MAX_PATH_BYTES = 1024
# Some file systems ignore these characters in a name, case, and dots and blanks at its end.
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def split_path(path: str) -> tuple[str, ...]:
    """Take a path of the model apart; refuse what is not plainly inside the project's folder."""
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    if "\0" in path or any("\ud800" <= char <= "\udfff" for char in path):
        raise ToolError("invalid_args", f"{quoted(path)} is not a file name.")
    if path.startswith("/") or ".." in parts:
        raise ToolError(
            "permission",
            f"{quoted(path)} is outside this project's folder.",
            "Use a path relative to the project's folder, without `..`.",
        )
    if len(path.encode()) > _MAX_PATH_BYTES:
        raise ToolError("invalid_args", f"{quoted(path)} is too long a path.")
    return parts


def to_read(path: str, opened: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Take a path apart that is to be read or listed; `opened` is a folder of ours that may be."""
    parts = split_path(path)
    if opened and parts[: len(opened)] == opened:
        return parts
    plain = _open_names(path, parts)
    if _GIT in plain and plain[-1].startswith(("config", "credentials")):
        raise ToolError(
            "permission",
            f"{quoted(path)} is a setting of git and may hold credentials; I do not read it.",
            "Ask the person for what you need from it.",
        )
    return parts


def to_write(path: str) -> tuple[str, ...]:
    """Take a path apart that is to be written."""
    parts = split_path(path)
    if _GIT in _open_names(path, parts):
        raise ToolError(
            "permission",
            f"{quoted(path)} belongs to git; what stands there can run programs.",
            "Leave it to git, or ask the person to change it.",
        )
    if not parts:
        raise ToolError("invalid_args", f"{quoted(path)} is a folder.", "Name a file in it.")
    return parts


def is_own(name: str) -> bool:
    """Say whether a name in a folder is Deskmate's own."""
    return _plain(name) == OWN


def _open_names(path: str, parts: tuple[str, ...]) -> list[str]:
    if any(is_own(part) for part in parts):
        raise ToolError(
            "permission", f"{quoted(path)} belongs to Deskmate; files there are closed."
        )
    return [_plain(part) for part in parts]


def _plain(name: str) -> str:
    return _IGNORED.sub("", name).casefold().rstrip(". ")
