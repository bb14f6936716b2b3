"""A result that is cut is kept whole, for the session it came from and nobody else."""

import os
import time
from pathlib import Path

import pytest
from pydantic import BaseModel

from harness.errors import ToolError
from harness.models import ToolResult
from harness.plain import visible_json
from harness.tools import Scope, Tool, Toolset
from harness.tools.files import FILE_TOOLS
from harness.tools.paths import Folder
from harness.tools.results import MAX_RESULT_BYTES, content_of
from harness.tools.spill import KEPT_SECONDS, MAX_TEXT_BYTES, keep, spill_folder
from tests.harness.support import KEY

LINES = [f"line {number} é" for number in range(20_000)]
OTHER = KEY.model_copy(update={"thread": "1700000000.000200"})


class NoArguments(BaseModel):
    """Takes nothing."""


def toolset(output: object, *, spills: bool = True) -> Toolset:
    async def run(_: NoArguments, __: Scope) -> object:
        return output

    flood = Tool(
        name="flood",
        description="Says much.",
        args=NoArguments,
        effect="read",
        run=run,
        label=lambda _: "flooding",
        spills=spills,
    )
    return Toolset((*FILE_TOOLS, flood))


def texts(root: Path) -> list[Path]:
    return sorted((root / ".aino" / "spill").glob("*/*"))


def path_in(result: ToolResult) -> str:
    """The file that a cut result names."""
    return content_of(result).partition("all of it is in ")[2].partition(" ...]")[0]


async def call(tools: Toolset, scope: Scope, name: str, **arguments: object) -> ToolResult:
    return await tools.call(name, visible_json(arguments), scope)


@pytest.mark.parametrize(
    "output",
    ["\n".join(LINES), LINES, {"rc": 1, "stdout": "\n".join(LINES), "stderr": ""}],
    ids=["text", "list", "object"],
)
async def test_all_of_a_cut_result_can_be_read_and_searched(scope: Scope, output: object) -> None:
    """The cut names the file; from there the model gets every line, by number or by pattern."""
    tools = toolset(output)
    cut = await call(tools, scope, "flood")
    assert len(content_of(cut).encode()) <= MAX_RESULT_BYTES + 100
    assert "left out" in content_of(cut)
    path = path_in(cut)
    read = await call(tools, scope, "file_read", path=path, start=10_000, lines=4)
    assert "line 10000 é" in read.output["text"]
    found = await call(tools, scope, "file_search", path=path, pattern="^line 12345 ")
    assert [line.partition(": ")[2] for line in found.output["matches"]] == ["line 12345 é"]


async def test_the_same_result_is_kept_once(scope: Scope) -> None:
    """Its name comes from what is in it, so the result the model reads is the same too."""
    tools = toolset(LINES)
    first, second = [await call(tools, scope, "flood") for _ in range(2)]
    assert first == second
    assert len(texts(scope.project.folder)) == 1


async def test_a_spilled_text_can_only_be_read_and_only_from_its_session(scope: Scope) -> None:
    """Another thread of the project, and every way to write, are refused as all of `.aino/`."""
    tools = toolset(LINES)
    path = path_in(await call(tools, scope, "flood"))
    elsewhere = Scope(scope.project, OTHER, scope.requester)
    refused = [
        await call(tools, elsewhere, "file_read", path=path),
        await call(tools, elsewhere, "file_search", path=path, pattern="line"),
        await call(tools, scope, "file_write", path=path, content="forged"),
        await call(tools, scope, "file_edit", path=path, old="line 1 ", new="forged"),
        await call(tools, scope, "file_read", path=f"{path}/../../../plan.md"),
        await call(tools, scope, "file_list", path=".aino/spill"),
    ]
    assert [result.error_type for result in refused] == ["permission"] * 6


async def test_short_results_and_tools_that_must_not_spill_leave_nothing(scope: Scope) -> None:
    """A file that is read is its own whole text; the cut says no more than that it is one."""
    short, secret = toolset("short"), toolset(LINES, spills=False)
    await call(short, scope, "flood")
    cut = await call(secret, scope, "flood")
    await call(short, scope, "file_write", path="a", content="x" * 100_000)
    read = await call(short, scope, "file_read", path="a")
    assert "characters left out ...]" in read.output["text"]
    assert "entries left out ...]" in content_of(cut)
    assert texts(scope.project.folder) == []


async def test_a_folder_that_cannot_hold_it_costs_only_the_whole_text(scope: Scope) -> None:
    """A link in the way is not followed, and the call still answers."""
    outside = scope.project.folder.parent / "outside"
    outside.mkdir()
    scope.project.folder.mkdir()
    (scope.project.folder / ".aino").symlink_to(outside)
    cut = await call(toolset(LINES), scope, "flood")
    assert (cut.status, path_in(cut)) == ("ok", "")
    assert list(outside.iterdir()) == []


def test_endless_lines_and_endless_texts_are_bounded(tmp_path: Path) -> None:
    """A line is folded so that it can be read in parts; five MiB keep their head and tail."""
    path = keep(tmp_path, KEY, "a" * 9000)
    assert path is not None
    assert [len(line) for line in (tmp_path / path).read_text().split("\n")] == [4000, 4000, 1000]
    path = keep(tmp_path, KEY, ["head", *["é" * 1000] * 10_000, "tail"])
    assert path is not None
    content = (tmp_path / path).read_text()
    assert len(content.encode()) <= MAX_TEXT_BYTES + 100
    assert (content[:4], content[-4:]) == ("head", "tail")
    assert "bytes left out" in content


def kept_at(root: Path, changed: float, text: str, size: int = 0) -> None:
    path = keep(root, OTHER, text)
    assert path is not None
    if size:
        os.truncate(root / path, size)
    os.utime(root / path, (changed, changed))


def test_what_is_a_week_old_goes(tmp_path: Path) -> None:
    """Each keeping tidies up behind itself."""
    now = time.time()
    kept_at(tmp_path, now - KEPT_SECONDS - 60, "old")
    kept_at(tmp_path, now - KEPT_SECONDS + 60, "young")
    keep(tmp_path, KEY, "new")
    assert {path.read_text() for path in texts(tmp_path)} == {"young", "new"}


def test_a_full_spill_loses_its_oldest(tmp_path: Path) -> None:
    """All sessions of a project share the room; the newest always stays."""
    now = time.time()
    for number in range(15):
        kept_at(tmp_path, now - 1000 + number, str(number), MAX_TEXT_BYTES)
    keep(tmp_path, KEY, "new")
    left = {path.read_bytes()[:2].strip(b"\0") for path in texts(tmp_path)}
    assert left == {b"ne", *(str(number).encode() for number in range(3, 15))}


def test_a_spilled_text_is_private(tmp_path: Path) -> None:
    """Nobody else on the machine reads it."""
    path = keep(tmp_path, KEY, "text")
    assert path is not None
    assert (tmp_path / path).stat().st_mode & 0o777 == 0o600
    assert Folder(tmp_path, opened=spill_folder(KEY)).read_text(path) == "text"
    with pytest.raises(ToolError, match="belongs to Deskmate"):
        Folder(tmp_path).read_text(path)
