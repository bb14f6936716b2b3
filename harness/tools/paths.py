"""The one door to a project's folder: every path the model names goes through `Folder`.

Nothing outside the folder can be reached, whatever links stand in it. All methods block and raise
`ToolError`. Neighbours: `names` (which paths are open), `beneath` (how one is opened safely),
`files` and `search` (the tools).
"""

import errno
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ToolError
from harness.models import ErrorType
from harness.plain import quoted
from harness.tools.beneath import FOLDER, TEMPORARY, Opener, best_opener, made, replace, rooted
from harness.tools.names import is_own, to_read, to_write

MAX_READ_BYTES = 8 * 1024 * 1024
MAX_WRITE_BYTES = 1024 * 1024
MAX_ENTRIES = 500

_MAX_SCANNED = 20_000
_UNSEARCHED = frozenset({".git", ".venv", "node_modules", "__pycache__"})
_REFUSALS: dict[int, tuple[ErrorType, str, str]] = {
    errno.ENOENT: ("not_found", "does not exist", "List the folder to see what is there."),
    errno.ENOTDIR: ("not_found", "does not exist", "List the folder to see what is there."),
    errno.ELOOP: ("permission", "is or crosses a link, and links are not followed", ""),
    errno.EXDEV: ("permission", "is outside this project's folder", ""),
    errno.ENXIO: ("permission", "is not a regular file", ""),
    errno.EACCES: ("permission", "may not be opened: the system refuses it", ""),
    errno.EPERM: ("permission", "may not be changed: the system refuses it", ""),
    errno.EROFS: ("permission", "may not be changed: the folder is read-only", "Tell the person."),
    errno.EISDIR: ("invalid_args", "is a folder", "Name a file in it."),
    errno.ENAMETOOLONG: ("invalid_args", "has too long a name", "Choose a shorter one."),
    errno.ENOSPC: ("too_large", "does not fit: the disk is full", "Tell the person."),
    errno.EDQUOT: ("too_large", "does not fit: the disk quota is used up", "Tell the person."),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a folder; `path` from the project's folder, `size` in bytes for files."""

    path: str
    kind: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds; `complete` is False where more is there than was listed."""

    entries: tuple[Entry, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Text:
    """A file by its path and what is in it; None where that could not be read."""

    path: str
    content: bytes | None = None


class Folder:
    """A project's folder, created on first use, readable by nobody else.

    `opened` is a folder in `.aino/` that may be read all the same.
    """

    def __init__(
        self, root: Path, opener: Opener | None = None, *, opened: tuple[str, ...] = ()
    ) -> None:
        self._root = root
        self._opened_too = opened
        self._open = opener or best_opener()

    def read_text(self, path: str) -> str:
        """Read a whole UTF-8 file of at most `MAX_READ_BYTES`."""
        return _decode(path, self._content(path, self._to_read(path)))

    def write_text(self, path: str, content: str) -> bool:
        """Write a whole file at once or not at all; True if it was not there before."""
        parts = to_write(path)
        encoded = _encode(content, MAX_WRITE_BYTES)
        with self._made(path, parts[:-1]) as folder:
            status = _replaceable(folder, parts[-1])
            mode = 0o644 if status is None else status.st_mode & 0o777
            replace(folder, parts[-1], encoded, mode)
        return status is None

    def edit_text(self, path: str, edit: Callable[[str], str]) -> str:
        """Replace a file by what `edit` makes of its text, and give that; at once or not at all.

        `edit` may raise `ToolError`. A file that something else changes meanwhile stays as it is.
        """
        parts = to_write(path)
        with self._opened(path, parts[:-1], FOLDER) as folder:
            status = _replaceable(folder, parts[-1])
            if status is None:
                raise FileNotFoundError(errno.ENOENT, "")
            text = edit(_decode(path, self._content(path, parts)))
            encoded = _encode(text, MAX_READ_BYTES)
            now = _replaceable(folder, parts[-1])
            if now is None or _version(now) != _version(status):
                raise ToolError(
                    "interrupted",
                    f"{quoted(path)} was changed by something else meanwhile.",
                    "Read it again.",
                    retryable=True,
                )
            replace(folder, parts[-1], encoded, status.st_mode & 0o777)
        return text

    def texts(self, path: str) -> Iterator[Text]:
        """Give the text files at a path or below it, in order.

        Links, binary files and folders full of what others made (`.git`, `node_modules`) are left
        out; what is too large or may not be read comes without content.
        """
        parts = self._to_read(path)
        if self._is_file(path, parts):
            yield Text("/".join(parts), self._content(path, parts))
            return
        waiting = [parts]
        while waiting:
            here, all_of_it = self._scan(waiting.pop())
            for entry in here:
                if entry.kind == "file":
                    yield from self._text(entry)
            waiting += [tuple(entry.path.split("/")) for entry in reversed(here) if _is_open(entry)]
            if not all_of_it:
                yield Text(path)

    def entries(self, path: str, depth: int) -> Listing:
        """List a folder and what is below it down to `depth`, sorted, at most `MAX_ENTRIES`."""
        found: list[Entry] = []
        complete = True
        waiting = [(self._to_read(path), 1)]
        while waiting:
            parts, level = waiting.pop(0)
            try:
                here, all_of_it = self._scan(parts)
            except ToolError:
                if level == 1:
                    raise
                here, all_of_it = [], False  # it went away, or may not be read
            complete = complete and all_of_it
            found += here
            if len(found) > MAX_ENTRIES:
                break
            if level < depth:
                waiting += [
                    (tuple(entry.path.split("/")), level + 1) for entry in here if _is_open(entry)
                ]
        kept = sorted(found[:MAX_ENTRIES], key=lambda entry: entry.path)
        return Listing(tuple(kept), complete and len(found) <= MAX_ENTRIES)

    def _to_read(self, path: str) -> tuple[str, ...]:
        return to_read(path, self._opened_too)

    def _text(self, entry: Entry) -> Iterator[Text]:
        try:
            content = self._content(entry.path, self._to_read(entry.path))
        except ToolError:
            yield Text(entry.path)
            return
        if b"\0" not in content:
            yield Text(entry.path, content)

    def _is_file(self, path: str, parts: tuple[str, ...]) -> bool:
        with self._opened(path, parts, os.O_RDONLY) as descriptor:
            return not stat.S_ISDIR(os.fstat(descriptor).st_mode)

    def _content(self, path: str, parts: tuple[str, ...]) -> bytes:
        with self._opened(path, parts, os.O_RDONLY) as descriptor:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, "")
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.ENXIO, "")
            content = _read_up_to(descriptor, MAX_READ_BYTES + 1)
        if len(content) > MAX_READ_BYTES:
            raise ToolError(
                "too_large", f"{quoted(path)} is larger than {MAX_READ_BYTES // 2**20} MiB."
            )
        return content

    def _scan(self, parts: tuple[str, ...]) -> tuple[list[Entry], bool]:
        with self._opened("/".join(parts) or ".", parts, FOLDER) as descriptor:
            return _scan(descriptor, parts)

    @contextmanager
    def _opened(self, path: str, parts: tuple[str, ...], flags: int) -> Generator[int]:
        with _explained(path), rooted(self._root) as root:
            descriptor = self._open(root, parts, flags)
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    @contextmanager
    def _made(self, path: str, parts: tuple[str, ...]) -> Generator[int]:
        with _explained(path), rooted(self._root) as root, made(root, parts, self._open) as folder:
            yield folder


@contextmanager
def _explained(path: str) -> Generator[None]:
    """Translate what the system says into what the model can use; no real path gets out."""
    try:
        yield
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
        error_type, problem, suggestion = _REFUSALS[error.errno]
        raise ToolError(error_type, f"{quoted(path)} {problem}.", suggestion) from error


def _scan(descriptor: int, parts: tuple[str, ...]) -> tuple[list[Entry], bool]:
    found: list[Entry] = []
    complete = True
    with os.scandir(descriptor) as scanned:
        for count, item in enumerate(scanned):
            if count >= _MAX_SCANNED:
                return sorted(found, key=lambda entry: entry.path), False
            if not _is_utf8(item.name):
                complete = False
            elif not is_own(item.name) and not item.name.startswith(TEMPORARY):
                found.append(_entry(item, parts))
    return sorted(found, key=lambda entry: entry.path), complete


def _entry(item: os.DirEntry[str], parts: tuple[str, ...]) -> Entry:
    path = "/".join((*parts, item.name))
    if item.is_symlink():
        return Entry(path, "link")
    if item.is_dir(follow_symlinks=False):
        return Entry(path, "folder")
    if not item.is_file(follow_symlinks=False):
        return Entry(path, "special file")
    try:
        return Entry(path, "file", item.stat(follow_symlinks=False).st_size)
    except FileNotFoundError:  # it went away while we looked
        return Entry(path, "file")


def _is_open(entry: Entry) -> bool:
    return entry.kind == "folder" and entry.path.split("/")[-1] not in _UNSEARCHED


def _is_utf8(name: str) -> bool:
    return not any("\udc80" <= char <= "\udcff" for char in name)


def _read_up_to(descriptor: int, limit: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read(limit)


def _decode(path: str, content: bytes) -> str:
    if b"\0" in content:
        raise ToolError("invalid_args", f"{quoted(path)} is a binary file, not text.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ToolError(
            "invalid_args", f"{quoted(path)} is not UTF-8 text (byte {error.start})."
        ) from error


def _encode(content: str, limit: int) -> bytes:
    try:
        encoded = content.encode()
    except UnicodeEncodeError as error:
        raise ToolError("invalid_args", "content: not valid Unicode text.") from error
    if len(encoded) > limit:
        raise ToolError(
            "too_large",
            f"The content has {len(encoded)} bytes; a file may have {limit}.",
            "Split it over several files.",
        )
    return encoded


def _replaceable(folder: int, name: str) -> os.stat_result | None:
    """Look at the file to be replaced, None if there is none; refuse what is no plain file."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ENXIO, "")
    if status.st_nlink > 1:
        raise ToolError(
            "permission",
            f"{quoted(name)} has a second name (a hard link), maybe outside the folder.",
            "Write to another file.",
        )
    return status


def _version(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns
