"""The project's folder has one door, and nothing outside it can be reached through it.

Every test runs on both ways to open a file: the kernel's, and the walk for where that is missing.
"""

import ctypes
import errno
import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.errors import ToolError
from harness.tools import beneath, paths
from harness.tools.paths import Entry, Folder

OPENERS = [beneath.openat2, beneath.walk]


@pytest.fixture(params=OPENERS, ids=["openat2", "walk"])
def folder(request: pytest.FixtureRequest, root: Path) -> Folder:
    return Folder(root, request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project's folder with a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("print(1)\n")
    return root


@contextmanager
def refused(error_type: str, *words: str) -> Generator[None]:
    """The block fails with this error, in words that give away no real path."""
    with pytest.raises(ToolError) as caught:
        yield
    assert caught.value.error_type == error_type
    assert all(word in caught.value.message for word in words)
    assert "pytest-of" not in caught.value.message


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def everything(folder: Folder) -> list[Callable[[str], object]]:
    """What can be done with a path."""
    return [
        folder.read_text,
        lambda path: folder.write_text(path, "x"),
        lambda path: folder.edit_text(path, str.upper),
        lambda path: folder.entries(path, 1),
        lambda path: list(folder.texts(path)),
    ]


def test_text_is_read_and_written(folder: Folder, root: Path) -> None:
    """Folders on the way are made; the second write replaces the first."""
    assert folder.write_text("a/b/c.txt", "one") is True
    assert folder.write_text("./a//b/c.txt", "two é") is False
    assert folder.read_text("a/b/c.txt") == "two é"
    assert names(root / "a" / "b") == ["c.txt"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret.txt", "src/../../secret.txt", "src/..", "//x", ".."]
)
def test_ways_out_are_refused(folder: Folder, path: str) -> None:
    """Absolute paths and `..`, for reading, writing and listing alike."""
    for act in everything(folder):
        with refused("permission", "outside this project's folder"):
            act(path)


@pytest.mark.parametrize("path", [".aino/plan.md", ".aino", "a/.aino/x", ".AINO/x", ".aino. /x"])
def test_what_belongs_to_deskmate_is_closed(folder: Folder, path: str) -> None:
    """Also under names that some file systems take for the same."""
    for act in everything(folder):
        with refused("permission", "belongs to Deskmate"):
            act(path)


def test_names_that_are_too_long_are_refused(folder: Folder) -> None:
    """The whole path, or one part of it."""
    with refused("invalid_args", "too long"):
        folder.read_text("a/" * 1000)
    with refused("invalid_args", "too long"):
        folder.write_text("a" * 300, "x")


def test_links_are_never_followed(folder: Folder, root: Path) -> None:
    """To a file, to a folder, to nothing, or to a process's own descriptors."""
    (root / "file").symlink_to("../secret.txt")
    (root / "inside").symlink_to("src/app.py")
    (root / "folder").symlink_to("..")
    (root / "magic").symlink_to("/proc/self/root")
    for path in ("file", "inside", "folder/secret.txt", "magic/etc/passwd", "magic"):
        with refused("permission", "links are not followed"):
            folder.read_text(path)
    for path in ("file", "folder/new.txt", "magic/tmp/x"):
        with refused("permission", "links are not followed"):
            folder.write_text(path, "x")
    with refused("permission", "links are not followed"):
        folder.entries("folder", 1)
    assert (root.parent / "secret.txt").read_text() == "secret"
    assert not (root.parent / "new.txt").exists()


def test_a_second_name_of_a_file_is_not_written(folder: Folder, root: Path) -> None:
    """A hard link may lead outside; reading it is harmless, writing is refused."""
    os.link(root.parent / "secret.txt", root / "hard.txt")
    with refused("permission", "hard link"):
        folder.write_text("hard.txt", "x")
    assert (root.parent / "secret.txt").read_text() == "secret"


def test_special_files_are_closed(folder: Folder, root: Path) -> None:
    """A pipe neither blocks nor opens."""
    os.mkfifo(root / "pipe")
    with refused("permission", "not a regular file"):
        folder.read_text("pipe")
    with refused("permission", "not a regular file"):
        folder.write_text("pipe", "x")


def test_folders_are_not_files(folder: Folder) -> None:
    """Each way round has its words."""
    with refused("invalid_args", "`src` is a folder"):
        folder.read_text("src")
    with refused("invalid_args", "`src` is a folder"):
        folder.write_text("src", "x")
    with refused("invalid_args", "`.` is a folder"):
        folder.write_text(".", "x")
    for path in ("src/app.py/x", "nothing.txt"):
        with refused("not_found", "does not exist"):
            folder.read_text(path)
    with refused("not_found", "does not exist"):
        folder.entries("src/app.py", 1)


def test_only_text_of_a_bearable_size_is_read(folder: Folder, root: Path) -> None:
    """Binary, another encoding, too large: each says so."""
    (root / "a.png").write_bytes(b"\x89PNG\0")
    (root / "latin.txt").write_bytes("é".encode("latin-1"))
    with (root / "large.txt").open("wb") as file:
        file.truncate(paths.MAX_READ_BYTES + 1)
    with refused("invalid_args", "`a.png` is a binary file"):
        folder.read_text("a.png")
    with refused("invalid_args", "`latin.txt` is not UTF-8 text (byte 0)"):
        folder.read_text("latin.txt")
    with refused("too_large", "`large.txt` is larger than 8 MiB"):
        folder.read_text("large.txt")
    with refused("too_large", "a file may have 1048576"):
        folder.write_text("x", "x" * (paths.MAX_WRITE_BYTES + 1))


def test_a_file_keeps_its_mode_and_a_new_folder_is_private(folder: Folder, root: Path) -> None:
    """A script stays executable; nobody else looks into a project."""
    (root / "run.sh").write_text("")
    (root / "run.sh").chmod(0o4755)
    folder.write_text("run.sh", "x")
    assert (root / "run.sh").stat().st_mode & 0o7777 == 0o755
    fresh = Folder(root.parent / "home" / "fresh")
    assert fresh.entries(".", 1).entries == ()
    assert (root.parent / "home" / "fresh").stat().st_mode & 0o777 == 0o700


def test_a_write_that_fails_leaves_the_old_file(
    folder: Folder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole or not at all, and nothing left lying about."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "fsync", full)
    with refused("too_large", "the disk is full"):
        folder.write_text("src/app.py", "new")
    assert (root / "src" / "app.py").read_text() == "print(1)\n"
    assert names(root / "src") == ["app.py"]


def test_an_edit_replaces_the_whole_file_or_nothing(folder: Folder, root: Path) -> None:
    """The new text is given back; one that fails leaves the old, and the mode stays."""
    (root / "src" / "app.py").chmod(0o755)
    assert folder.edit_text("src/app.py", str.upper) == "PRINT(1)\n"
    with refused("invalid_args", "valid Unicode"):
        folder.edit_text("src/app.py", lambda _: "\ud800")
    with refused("too_large", "a file may have"):
        folder.edit_text("src/app.py", lambda _: "x" * (paths.MAX_READ_BYTES + 1))
    with refused("not_found", "does not exist"):
        folder.edit_text("src/none.py", str.upper)
    assert (root / "src" / "app.py").read_text() == "PRINT(1)\n"
    assert (root / "src" / "app.py").stat().st_mode & 0o777 == 0o755
    assert names(root / "src") == ["app.py"]


def test_an_edit_never_overwrites_what_came_meanwhile(folder: Folder, root: Path) -> None:
    """A command changed the file between reading and writing: its work is kept."""

    def slow(text: str) -> str:
        (root / "src" / "app.py").write_text("theirs, longer")
        return text.upper()

    with refused("interrupted", "changed by something else"):
        folder.edit_text("src/app.py", slow)
    assert (root / "src" / "app.py").read_text() == "theirs, longer"


def test_neither_links_nor_second_names_are_edited(folder: Folder, root: Path) -> None:
    """As for writing."""
    (root / "link").symlink_to("../secret.txt")
    os.link(root.parent / "secret.txt", root / "hard.txt")
    for path in ("link", "hard.txt"):
        with refused("permission", "link"):
            folder.edit_text(path, str.upper)
    assert (root.parent / "secret.txt").read_text() == "secret"


def test_texts_come_in_order_without_what_is_not_text(folder: Folder, root: Path) -> None:
    """No binary, link or foreign folder; what is too large comes without its content."""
    for name in (".git/x", "node_modules/x", ".aino/x", "b/c"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    (root / "picture").write_bytes(b"\x89PNG\0")
    (root / "link").symlink_to("../secret.txt")
    os.mkfifo(root / "pipe")
    with (root / "large").open("wb") as file:
        file.truncate(paths.MAX_READ_BYTES + 1)
    assert [(text.path, text.content) for text in folder.texts(".")] == [
        ("large", None),
        ("b/c", b"x"),
        ("src/app.py", b"print(1)\n"),
    ]
    assert [text.path for text in folder.texts("src/app.py")] == ["src/app.py"]
    with refused("not_found", "does not exist"):
        list(folder.texts("nothing"))


def test_a_folder_is_listed_in_order_down_to_a_depth(folder: Folder, root: Path) -> None:
    """Sizes for files; links and pipes as such; ours are hidden."""
    (root / ".git" / "objects").mkdir(parents=True)
    (root / ".aino").mkdir()
    (root / ".deskmate-write-ab").write_text("half")
    (root / "link").symlink_to("/")
    os.mkfifo(root / "pipe")
    (root / "src" / "deep").mkdir()
    (root / "src" / "deep" / "x").write_text("")
    listing = folder.entries(".", 2)
    assert listing.complete
    assert listing.entries == (
        Entry(".git", "folder"),
        Entry("link", "link"),
        Entry("pipe", "special file"),
        Entry("src", "folder"),
        Entry("src/app.py", "file", 9),
        Entry("src/deep", "folder"),
    )
    assert [entry.path for entry in folder.entries("src", 1).entries] == ["src/app.py", "src/deep"]


def test_a_list_that_is_not_complete_says_so(folder: Folder, root: Path) -> None:
    """Too many entries, or a name that is no text."""
    (root / "odd\udcff").mkdir()
    assert folder.entries(".", 1).complete is False
    for number in range(paths.MAX_ENTRIES + 5):
        (root / "src" / f"{number:04}").touch()
    listing = folder.entries("src", 1)
    assert (len(listing.entries), listing.complete) == (paths.MAX_ENTRIES, False)


def test_a_flipping_link_never_leaks(folder: Folder, root: Path) -> None:
    """A command that swaps a folder for a link while we read and write gets nothing out."""
    inside, outside = root / "sub", root.parent / "outside"
    for place, word in ((inside, "inside"), (outside, "outside")):
        place.mkdir()
        (place / "x").write_text(word)
    (root / "other").symlink_to(outside)
    done = threading.Event()

    def flip() -> None:
        while not done.is_set():
            _exchange(inside, root / "other")

    flipping = threading.Thread(target=flip)
    flipping.start()
    seen: set[str] = set()
    deadline = time.monotonic() + 5
    try:
        while len(seen) < 2 and time.monotonic() < deadline:
            seen |= {_try(folder) for _ in range(150)}
    finally:
        done.set()
        flipping.join()
    assert seen == {"inside", "refused"}
    assert (outside / "x").read_text() == "outside"
    assert names(outside) == ["x"]


def _exchange(one: Path, other: Path) -> None:
    """Swap two names at once (renameat2 with RENAME_EXCHANGE)."""
    here = -100
    ctypes.CDLL(None).renameat2(here, os.fsencode(one), here, os.fsencode(other), 2)


def _try(folder: Folder) -> str:
    try:
        text = folder.read_text("sub/x")
        folder.write_text("sub/x", "inside")
    except ToolError:
        return "refused"
    return text


def test_the_kernels_way_is_chosen_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the call is forbidden or missing, the walk does it."""
    beneath.best_opener.cache_clear()
    assert beneath.best_opener() is beneath.openat2

    def forbidden(*_: object) -> int:
        raise PermissionError(errno.EPERM, "")

    beneath.best_opener.cache_clear()
    monkeypatch.setattr(beneath, "openat2", forbidden)
    assert beneath.best_opener() is beneath.walk
    beneath.best_opener.cache_clear()


def test_nothing_stays_open(folder: Folder, root: Path) -> None:
    """Descriptors are closed, also when something is refused."""
    before = names(Path("/proc/self/fd"))
    (root / "link").symlink_to("/etc")
    folder.write_text("a/b", "x")
    folder.read_text("a/b")
    folder.entries(".", 3)
    folder.edit_text("a/b", str.upper)
    assert list(folder.texts("."))
    for path in ("link/passwd", "nothing", "src", ".."):
        with pytest.raises(ToolError):
            folder.read_text(path)
    assert names(Path("/proc/self/fd")) == before
