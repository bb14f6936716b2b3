"""Searching the project's files, with patterns as people and models write them."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from harness.errors import ToolError
from harness.models import ToolResult
from harness.plain import visible_json
from harness.tools import Scope, Toolset
from harness.tools.files import FILE_TOOLS
from harness.tools.search import Bounds, SearchArguments, search_files
from tests.support import wait_until

TOOLS = Toolset(FILE_TOOLS)


@pytest.fixture
def found(scope: Scope) -> Scope:
    """A project with a few files."""
    root = scope.project.folder
    for path, content in {
        "src/app.py": b"def main():\n    pass\n\ndef other():\r\n",
        "src/deep/b.py": "x = 'größe'\n".encode(),
        "notes.md": b"main thing\n",
        ".git/config": b"def main token\n",
        ".aino/plan.md": b"def main\n",
        "binary": b"def main\0",
        "latin.txt": "def caf\xe9()".encode("latin-1"),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return scope


async def look(scope: Scope, pattern: str, **more: object) -> ToolResult:
    arguments = visible_json({"pattern": pattern, **more})
    return await TOOLS.call("file_search", arguments, scope)


async def test_lines_that_match_are_found_with_their_place(found: Scope) -> None:
    """Path, line, words; in order; nothing of git, of ours, and nothing binary."""
    assert (await look(found, r"def \w+")).output == {
        "matches": [
            "latin.txt:1: def caf\ufffd()",
            "src/app.py:1: def main():",
            "src/app.py:4: def other():",
        ],
        "complete": True,
    }
    assert (await look(found, "größe|MAIN")).output["matches"] == ["src/deep/b.py:1: x = 'größe'"]
    assert (await look(found, r"\):$")).output["matches"] == [
        "src/app.py:1: def main():",
        "src/app.py:4: def other():",
    ]


async def test_a_search_can_be_narrowed(found: Scope) -> None:
    """To a folder or to one file; what is not there is an error, nothing found is not."""
    assert (await look(found, "x", path="src/deep")).output["matches"] == [
        "src/deep/b.py:1: x = 'größe'"
    ]
    assert len((await look(found, "main", path="notes.md")).output["matches"]) == 1
    assert (await look(found, "main", path="none")).error_type == "not_found"
    assert (await look(found, "main", path=".git/config")).error_type == "permission"
    assert (await look(found, "zzz")).output == {"matches": [], "complete": True}


async def test_more_than_the_limit_is_told(found: Scope) -> None:
    """Also where the limit falls between two batches of files."""
    assert (await look(found, "main", limit=1)).output == {
        "matches": ["notes.md:1: main thing"],
        "complete": False,
    }
    assert (await look(found, "main", limit=2)).output["complete"] is True


async def test_all_batches_are_searched(scope: Scope) -> None:
    """More text than one batch holds; the last line of the last file is found."""
    scope.project.folder.mkdir()
    for number in range(3):
        line = b"x" * 99 + b"\n"
        path = scope.project.folder / f"{number}.txt"
        path.write_bytes(line * 30_000 + b"needle %d\n" % number)
    assert (await look(scope, "needle")).output["matches"] == [
        f"{number}.txt:30001: needle {number}" for number in range(3)
    ]


@pytest.mark.parametrize("bounds", [Bounds(files=1), Bounds(bytes=20)])
async def test_what_could_not_be_searched_makes_it_incomplete(found: Scope, bounds: Bounds) -> None:
    """Too many files, too much text: what was found is given, and that it is not all."""
    assert await search_files(SearchArguments(pattern="def"), found, bounds) == {
        "matches": ["latin.txt:1: def caf\ufffd()"],
        "complete": False,
    }


async def test_a_long_line_is_cut_around_the_match(scope: Scope) -> None:
    """A minified file does not fill the answer."""
    scope.project.folder.mkdir()
    (scope.project.folder / "a.js").write_text("a" * 10_000 + "needle" + "b" * 10_000)
    (line,) = (await look(scope, "needle")).output["matches"]
    assert line == f"a.js:1: …{'a' * 80}needle{'b' * 154}…"


@pytest.mark.parametrize("pattern", ["(", "(?P<a", "*", "a{9999999999}"])
async def test_a_pattern_that_is_none_is_explained(found: Scope, pattern: str) -> None:
    """The field is named, also where there is nothing to search."""
    result = await look(found, pattern)
    assert result.error_type == "invalid_args"
    assert result.message.startswith("pattern: not a regular expression I can use: ")
    assert (await look(found, pattern, path="src/deep")).error_type == "invalid_args"


async def test_a_pattern_that_never_ends_is_ended(scope: Scope) -> None:
    """Matching can be made to take hours; it has its own process and its time."""
    scope.project.folder.mkdir()
    (scope.project.folder / "a").write_text("a" * 60)
    endless = SearchArguments(pattern="(a+)+$b")
    with pytest.raises(ToolError, match="took too long") as caught:
        await search_files(endless, scope, Bounds(seconds=0.3))
    assert (caught.value.error_type, caught.value.retryable) == ("timeout", False)


async def test_a_search_that_is_cancelled_leaves_no_process(scope: Scope) -> None:
    """Stop reaches it at once."""
    scope.project.folder.mkdir()
    (scope.project.folder / "a").write_text("a" * 60)
    endless = SearchArguments(pattern="(a+)+$b")
    task = asyncio.create_task(search_files(endless, scope))
    await wait_until(lambda: bool(children()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 1)
    assert children() == []


def children() -> list[str]:
    """The matching programs that we have started and that still run."""
    found: list[str] = []
    for listed in Path("/proc/self/task").glob("*/children"):
        for pid in listed.read_text().split():
            with suppress(OSError):
                if b"matching.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
    return found
