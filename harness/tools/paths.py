"""The one door to a project's folder: every path the model names goes through `Folder`.

Nothing outside the folder can be reached, whatever links stand in it; `.aino/` is Deskmate's own
and refused. All methods block and raise `ToolError`. Neighbours: `beneath` (how a path is opened
safely), `files` (the tools).
"""

import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ToolError
from harness.models import ErrorType
from harness.plain import quoted
from harness.tools.beneath import Opener, best_opener

MAX_READ_BYTES = 8 * 1024 * 1024
MAX_WRITE_BYTES = 1024 * 1024
MAX_ENTRIES = 500

_OWN = ".aino"
_MAX_PATH_BYTES = 1024
_MAX_SCANNED = 20_000
_UNSEARCHED = frozenset({".git", ".venv", "node_modules", "__pycache__"})
_TEMPORARY = ".deskmate-write-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
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


class Folder:
    """A project's folder, created on first use, readable by nobody else."""

    def __init__(self, root: Path, opener: Opener | None = None) -> None:
        self._root = root
        self._open = opener or best_opener()

    def read_text(self, path: str) -> str:
        """Read a whole UTF-8 file of at most `MAX_READ_BYTES`."""
        parts = split_path(path)
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
        return _decode(path, content)

    def write_text(self, path: str, content: str) -> bool:
        """Write a whole file at once or not at all; True if it was not there before."""
        parts = split_path(path)
        if not parts:
            raise ToolError("invalid_args", f"{quoted(path)} is a folder.", "Name a file in it.")
        encoded = _encode(content)
        with self._made(path, parts[:-1]) as folder:
            mode = _replaceable_mode(folder, parts[-1])
            _replace(folder, parts[-1], encoded, 0o644 if mode is None else mode)
        return mode is None

    def entries(self, path: str, depth: int) -> Listing:
        """List a folder and what is below it down to `depth`, sorted, at most `MAX_ENTRIES`."""
        found: list[Entry] = []
        complete = True
        waiting = [(split_path(path), 1)]
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
                    (tuple(entry.path.split("/")), level + 1)
                    for entry in here
                    if entry.kind == "folder" and entry.path.split("/")[-1] not in _UNSEARCHED
                ]
        kept = sorted(found[:MAX_ENTRIES], key=lambda entry: entry.path)
        return Listing(tuple(kept), complete and len(found) <= MAX_ENTRIES)

    def _scan(self, parts: tuple[str, ...]) -> tuple[list[Entry], bool]:
        with self._opened("/".join(parts) or ".", parts, _FOLDER) as descriptor:
            return _scan(descriptor, parts)

    @contextmanager
    def _opened(self, path: str, parts: tuple[str, ...], flags: int) -> Generator[int]:
        with _explained(path), self._rooted() as root:
            descriptor = self._open(root, parts, flags)
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    @contextmanager
    def _made(self, path: str, parts: tuple[str, ...]) -> Generator[int]:
        """Open a folder below the root, making what is missing of it."""
        with _explained(path), self._rooted() as root:
            here = os.dup(root)
            try:
                for part in parts:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=here)
                    deeper = self._open(here, (part,), _FOLDER)
                    os.close(here)
                    here = deeper
                yield here
            finally:
                os.close(here)

    @contextmanager
    def _rooted(self) -> Generator[int]:
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        root = os.open(self._root, _FOLDER | os.O_CLOEXEC)
        try:
            yield root
        finally:
            os.close(root)


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
    if any(part.casefold().rstrip(". ") == _OWN for part in parts):
        raise ToolError(
            "permission", f"{quoted(path)} belongs to Deskmate; files there are closed."
        )
    return parts


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
            elif item.name.casefold() != _OWN and not item.name.startswith(_TEMPORARY):
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


def _encode(content: str) -> bytes:
    try:
        encoded = content.encode()
    except UnicodeEncodeError as error:
        raise ToolError("invalid_args", "content: not valid Unicode text.") from error
    if len(encoded) > MAX_WRITE_BYTES:
        raise ToolError(
            "too_large",
            f"The content has {len(encoded)} bytes; a file may have {MAX_WRITE_BYTES}.",
            "Split it over several files.",
        )
    return encoded


def _replaceable_mode(folder: int, name: str) -> int | None:
    """Give the permission bits of the file to be replaced, None if there is none."""
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
    return status.st_mode & 0o777


def _replace(folder: int, name: str, content: bytes, mode: int) -> None:
    temporary = f"{_TEMPORARY}{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(temporary, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with suppress(FileNotFoundError):  # it is gone once it has become the file
            os.unlink(temporary, dir_fd=folder)
    os.fsync(folder)
