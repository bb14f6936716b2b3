"""Find a pattern in the project's files.

The texts are read here, through the folder's one door; matching is done by `matching`, in a
process that can be ended. Neighbours: `paths` (the door), `files` (the other tools).
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from harness.errors import ToolError
from harness.tools import Scope
from harness.tools.paths import Folder, Text
from harness.tools.spill import spill_folder

_BATCH_BYTES = 4 * 1024 * 1024
_PROGRAM = Path(__file__).with_name("matching.py")


class SearchArguments(BaseModel):
    """What to look for, in which folder or file, and how many lines at most."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    pattern: str = Field(min_length=1, max_length=1000)
    path: str = "."
    limit: int = Field(default=50, ge=1, le=500)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one search may take."""

    seconds: float = 10.0
    files: int = 10_000
    bytes: int = 64 * 1024 * 1024


async def search_files(
    arguments: SearchArguments, scope: Scope, bounds: Bounds | None = None
) -> dict[str, object]:
    return await asyncio.to_thread(_search, to_look_at(scope), arguments, bounds or Bounds())


def to_look_at(scope: Scope) -> Folder:
    """Give the project's folder for reading, the session's own spilled results included."""
    return Folder(scope.project.folder, opened=spill_folder(scope.session))


def _search(folder: Folder, arguments: SearchArguments, bounds: Bounds) -> dict[str, object]:
    deadline = time.monotonic() + bounds.seconds
    lines: list[str] = []
    complete = True
    for batch in _batches(folder.texts(arguments.path), bounds):
        readable = [(text.path, text.content) for text in batch if text.content is not None]
        complete = complete and len(readable) == len(batch)
        wanted = arguments.limit + 1 - len(lines)  # one more shows that there are more
        lines += _matched(arguments.pattern, wanted, readable, deadline)
        if len(lines) > arguments.limit:
            complete = False
            break
    return {"matches": lines[: arguments.limit], "complete": complete}


def _batches(texts: Iterator[Text], bounds: Bounds) -> Iterator[list[Text]]:
    """Group texts into bearable amounts; an end before the last text shows as one without content.

    There is always one batch, so that a pattern that is none is told also in an empty folder.
    """
    batch: list[Text] = []
    waiting = total = 0
    for count, text in enumerate(texts):
        size = len(text.content or b"")
        if count == bounds.files or total + size > bounds.bytes:
            batch.append(Text(text.path))
            break
        batch.append(text)
        waiting, total = waiting + size, total + size
        if waiting > _BATCH_BYTES:
            yield batch
            batch, waiting = [], 0
    yield batch


def _matched(
    pattern: str, limit: int, texts: list[tuple[str, bytes]], deadline: float
) -> Iterator[str]:
    sizes = [len(content) for _, content in texts]
    head = json.dumps({"pattern": pattern, "limit": limit, "sizes": sizes}).encode()
    try:
        ran = subprocess.run(  # noqa: S603 - our own program; the pattern goes in as data
            [sys.executable, "-I", "-S", str(_PROGRAM)],
            input=b"\n".join((head, b"".join(content for _, content in texts))),
            capture_output=True,
            timeout=max(0.1, deadline - time.monotonic()),
            check=True,
            env={},
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(
            "timeout",
            "pattern: the search took too long and was ended.",
            "Use a simpler pattern, or search in a smaller folder.",
        ) from error
    answer: dict[str, Any] = json.loads(ran.stdout)
    if "error" in answer:
        raise ToolError(
            "invalid_args",
            f"pattern: not a regular expression I can use: {answer['error']}.",
            "Write it in Python's syntax; put a backslash before a character meant as it is.",
        )
    return (f"{texts[text][0]}:{line}: {words}" for text, line, words in answer["matches"])
