"""The whole text of results that were cut, kept where the model can read it.

    <project's folder>/.aino/spill/<session, 12 hex>/<text, 12 hex>.txt

Named after what is in it, so that the same result has the same name. Only the session it came
from can read it (`names`), nobody but this module writes it, and it goes after a week, or when the
project's spill is full, oldest first. Lines are folded, because files are read line by line.
Neighbours: `results` (what is cut), `beneath` (how files are opened safely).
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from harness.models import SessionKey
from harness.plain import visible_json
from harness.tools.beneath import FOLDER, best_opener, made, replace, rooted

MAX_TEXT_BYTES = 5 * 1024 * 1024
MAX_SPILL_BYTES = 64 * 1024 * 1024
KEPT_SECONDS = 7 * 24 * 3600

_PLACE = (".aino", "spill")
_MAX_LINE = 4000


@dataclass(frozen=True, slots=True)
class _Kept:
    changed: float
    size: int
    folder: str
    name: str


def spill_folder(session: SessionKey) -> tuple[str, ...]:
    """Say where a session's spilled texts are, from the project's folder."""
    return (*_PLACE, _digest(session.id.encode()))


def keep(root: Path, session: SessionKey, output: object) -> str | None:
    """Keep a result and give its path from the project's folder; None if that was not possible.

    Makes room first: a spill never fills the disk, and a full disk never fails a call.
    """
    content = _bounded("\n".join(_folded(_lines(output))).encode(errors="replace"))
    parts, name = spill_folder(session), f"{_digest(content)}.txt"
    try:
        with rooted(root) as folder, made(folder, parts, best_opener()) as own:
            replace(own, name, content, 0o600)
            with suppress(OSError):  # kept all the same; there is room again another time
                _tidy(folder, os.stat(name, dir_fd=own).st_mtime)
    except OSError:
        return None
    return "/".join((*parts, name))


def _lines(output: object) -> Iterator[str]:
    """Write JSON-able output as a person would: texts as they are, a line for each entry."""
    if isinstance(output, str):
        yield from output.split("\n")
    elif isinstance(output, dict):
        for name, member in cast("dict[str, Any]", output).items():
            lines = list(_lines(member))
            yield from [f"{name}: {lines[0]}"] if len(lines) == 1 else [f"{name}:", *lines]
    elif isinstance(output, list | tuple):
        for entry in cast("list[Any]", output):
            yield entry if isinstance(entry, str) else visible_json(entry)
    else:
        yield visible_json(output)


def _folded(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if len(line) <= _MAX_LINE:
            yield line
        else:
            yield from (line[at : at + _MAX_LINE] for at in range(0, len(line), _MAX_LINE))


def _bounded(content: bytes) -> bytes:
    if len(content) <= MAX_TEXT_BYTES:
        return content
    half = MAX_TEXT_BYTES // 2
    left_out = f"\n[... {len(content) - 2 * half} bytes left out ...]\n".encode()
    cut = content[:half] + left_out + content[-half:]
    return cut.decode(errors="replace").encode()


def _tidy(root: int, now: float) -> None:
    """Remove what is too old, then the oldest until the rest fits."""
    total = 0
    for kept in sorted(_kept(root), key=lambda kept: kept.changed, reverse=True):
        total += kept.size
        if total > MAX_SPILL_BYTES or now - kept.changed > KEPT_SECONDS:
            with made(root, (*_PLACE, kept.folder), best_opener()) as folder:
                os.unlink(kept.name, dir_fd=folder)


def _kept(root: int) -> Iterator[_Kept]:
    with made(root, _PLACE, best_opener()) as place, os.scandir(place) as sessions:
        for session in sessions:
            folder = best_opener()(place, (session.name,), FOLDER)
            try:
                with os.scandir(folder) as texts:
                    for text in texts:
                        status = text.stat(follow_symlinks=False)
                        yield _Kept(status.st_mtime, status.st_size, session.name, text.name)
            finally:
                os.close(folder)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
