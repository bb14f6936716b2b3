"""The built-in file tools: list, read, search, write and edit in the project's folder.

Neighbours: `paths`, which makes them safe, and `search`. They block on the disk, so each runs in
a thread.
"""

import asyncio
import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from harness.errors import ToolError
from harness.plain import quoted
from harness.tools import Scope, Tool
from harness.tools.paths import Entry, Folder
from harness.tools.search import SearchArguments, search_files, to_look_at

_LINES_NAMED = 10
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


class EditArguments(BaseModel):
    """Which file, the text to replace, which must occur once, and what comes in its place."""

    model_config = _STRICT
    path: str
    old: str = Field(min_length=1)
    new: str


async def list_files(arguments: ListArguments, scope: Scope) -> dict[str, object]:
    listing = await asyncio.to_thread(to_look_at(scope).entries, arguments.path, arguments.depth)
    return {
        "path": arguments.path,
        "entries": [_line(entry) for entry in listing.entries],
        "complete": listing.complete,
    }


async def read_file(arguments: ReadArguments, scope: Scope) -> dict[str, object]:
    text = await asyncio.to_thread(to_look_at(scope).read_text, arguments.path)
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


async def edit_file(arguments: EditArguments, scope: Scope) -> dict[str, object]:
    line = 0

    def edited(text: str) -> str:
        nonlocal line
        old, new = _in_its_line_ends(text, arguments)
        if old == new:
            raise ToolError("invalid_args", "new: is the same as old; nothing would change.")
        place = _only_place(text, old, arguments.path)
        line = text.count("\n", 0, place) + 1
        return text[:place] + new + text[place + len(old) :]

    text = await asyncio.to_thread(Folder(scope.project.folder).edit_text, arguments.path, edited)
    return {"path": arguments.path, "line": line, "bytes": len(text.encode())}


def _in_its_line_ends(text: str, arguments: EditArguments) -> tuple[str, str]:
    """Write old and new with the line ends of the file, where the model saw only line breaks."""
    old, new = arguments.old, arguments.new
    if "\r\n" in text and "\n" in old and "\r" not in old:
        return old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    return old, new


def _only_place(text: str, old: str, path: str) -> int:
    places = [found.start() for found in re.finditer(f"(?={re.escape(old)})", text)]
    if not places:
        raise ToolError(
            "invalid_args",
            f"old: does not occur in {quoted(path)}.",
            "Read the file and copy the text exactly, blanks and line breaks included.",
        )
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:_LINES_NAMED])
        raise ToolError(
            "invalid_args",
            f"old: occurs {len(places)} times in {quoted(path)}, in lines {lines}.",
            "Add what stands before or behind it until it occurs once.",
        )
    return places[0]


def _line(entry: Entry) -> str:
    if entry.kind == "folder":
        return f"{entry.path}/"
    if entry.kind == "file":
        return f"{entry.path} ({entry.size} bytes)"
    return f"{entry.path} ({entry.kind}, closed)"


FILE_TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="file_edit",
        description=(
            "Change a text file of the project: replaces `old`, which must occur exactly once, "
            "by `new`. For small changes; better than writing the whole file again."
        ),
        args=EditArguments,
        effect="write",
        run=edit_file,
        label=lambda arguments: f"editing {quoted(arguments.path)}",
    ),
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
        spills=False,
    ),
    Tool(
        name="file_search",
        description=(
            "Find the lines of the project's text files that match a regular expression, in a "
            "folder or one file. `complete` is false where there is more than was found."
        ),
        args=SearchArguments,
        effect="read",
        run=search_files,
        label=lambda arguments: f"searching for {quoted(arguments.pattern)}",
        volatile=frozenset({"limit"}),
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
