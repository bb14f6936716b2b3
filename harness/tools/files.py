"""The built-in file tools: list, read and write in the project's folder.

Neighbour: `paths`, which makes them safe. They block on the disk, so each runs in a thread.
"""

import asyncio
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from harness.errors import ToolError
from harness.plain import quoted
from harness.tools import Scope, Tool
from harness.tools.paths import Entry, Folder

_STRICT = ConfigDict(frozen=True, extra="forbid")


class ListArguments(BaseModel):
    """Which folder, and how deep."""

    model_config = _STRICT
    path: str = "."
    depth: int = Field(2, ge=1, le=5)


class ReadArguments(BaseModel):
    """Which file, from which line, how many; lines count from 1."""

    model_config = _STRICT
    path: str
    start: int = Field(1, ge=1)
    lines: int = Field(400, ge=1, le=5000)


class WriteArguments(BaseModel):
    """Which file, and its whole new content."""

    model_config = _STRICT
    path: str
    content: str


async def list_files(arguments: ListArguments, scope: Scope) -> dict[str, object]:
    listing = await asyncio.to_thread(
        Folder(scope.project.folder).entries, arguments.path, arguments.depth
    )
    return {
        "path": arguments.path,
        "entries": [_line(entry) for entry in listing.entries],
        "complete": listing.complete,
    }


async def read_file(arguments: ReadArguments, scope: Scope) -> dict[str, object]:
    text = await asyncio.to_thread(Folder(scope.project.folder).read_text, arguments.path)
    lines = text.split("\n")
    total = len(lines) - (lines[-1] == "")
    if arguments.start > max(total, 1):
        raise ToolError(
            "invalid_args",
            f"start: {quoted(arguments.path)} has {total} lines.",
            "Choose a smaller start.",
        )
    chosen = lines[arguments.start - 1 : arguments.start - 1 + arguments.lines]
    end = min(arguments.start - 1 + len(chosen), total)
    return {
        "path": arguments.path,
        "start": arguments.start,
        "end": end,
        "total": total,
        "text": "\n".join(chosen),
    }


async def write_file(arguments: WriteArguments, scope: Scope) -> dict[str, object]:
    is_new = await asyncio.to_thread(
        Folder(scope.project.folder).write_text, arguments.path, arguments.content
    )
    return {
        "path": arguments.path,
        "bytes": len(arguments.content.encode()),
        "created": is_new,
    }


def _line(entry: Entry) -> str:
    if entry.kind == "folder":
        return f"{entry.path}/"
    if entry.kind == "file":
        return f"{entry.path} ({entry.size} bytes)"
    return f"{entry.path} ({entry.kind}, closed)"


FILE_TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="file_list",
        description="List the files and folders of the project's folder, or of one folder in it.",
        args=ListArguments,
        effect="read",
        run=list_files,
        label=lambda arguments: f"listing {quoted(arguments.path)}",
    ),
    Tool(
        name="file_read",
        description="Read a text file of the project, `lines` lines from line `start` on.",
        args=ReadArguments,
        effect="read",
        run=read_file,
        label=lambda arguments: f"reading {quoted(arguments.path)}",
    ),
    Tool(
        name="file_write",
        description=(
            "Write a text file of the project: creates it, or replaces all of its content. "
            "Missing folders are made."
        ),
        args=WriteArguments,
        effect="write",
        run=write_file,
        label=lambda arguments: f"writing {quoted(arguments.path)}",
    ),
)
