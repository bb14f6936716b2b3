"""Find a pattern in the project's files.

The texts are read here, through the folder's one door; matching is done by `matching`, in a
process that can be ended. Neighbours: `paths` (the door), `files` (the other tools).
"""

import asyncio
import json
import sys
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
    bounds = bounds or Bounds()
    try:
        async with asyncio.timeout(bounds.seconds):
            return await _search(to_look_at(scope), arguments, bounds)
    except TimeoutError as error:
        raise ToolError(
            "timeout",
            "pattern: the search took too long and was ended.",
            "Use a simpler pattern, or search in a smaller folder.",
        ) from error


def to_look_at(scope: Scope) -> Folder:
    """Give the project's folder for reading, the session's own spilled results included."""
    return Folder(scope.project.folder, opened=spill_folder(scope.session))


async def _search(folder: Folder, arguments: SearchArguments, bounds: Bounds) -> dict[str, object]:
    lines: list[str] = []
    complete = True
    batches = _batches(folder.texts(arguments.path), bounds)
    while (batch := await asyncio.to_thread(next, batches, None)) is not None:
        readable = [(text.path, text.content) for text in batch if text.content is not None]
        complete = complete and len(readable) == len(batch)
        wanted = arguments.limit + 1 - len(lines)  # one more shows that there are more
        lines += await _matched(arguments.pattern, wanted, readable)
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


async def _matched(pattern: str, limit: int, texts: list[tuple[str, bytes]]) -> list[str]:
    sizes = [len(content) for _, content in texts]
    head = json.dumps({"pattern": pattern, "limit": limit, "sizes": sizes}).encode()
    written = await _run(b"\n".join((head, b"".join(content for _, content in texts))))
    answer: dict[str, Any] = json.loads(written)
    if "error" in answer:
        raise ToolError(
            "invalid_args",
            f"pattern: not a regular expression I can use: {answer['error']}.",
            "Write it in Python's syntax; put a backslash before a character meant as it is.",
        )
    return [f"{texts[text][0]}:{line}: {words}" for text, line, words in answer["matches"]]


async def _run(asked: bytes) -> bytes:
    """Run the matching; it ends with us, however we end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", str(_PROGRAM)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        written, _ = await process.communicate(asked)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return written
