"""Open, make and replace files below a folder without ever following a link.

Two ways to open, one meaning: `openat2` lets the kernel refuse (Linux); `walk` opens component by
component where the kernel call is missing or forbidden. All raise OSError: ELOOP for a link on the
way, EXDEV for a way out. Neighbour: `paths`, which owns what may be opened.
"""

import ctypes
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

Opener = Callable[[int, Sequence[str], int], int]

FOLDER = os.O_RDONLY | os.O_DIRECTORY
TEMPORARY = ".deskmate-write-"

_OPENAT2 = 437
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_TRIES = 5
_ALWAYS = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@cache
def best_opener() -> Opener:
    """Choose by trying: containers may forbid the call even where the kernel has it."""
    if not sys.platform.startswith("linux"):
        return walk
    root = os.open("/", FOLDER | os.O_CLOEXEC)
    try:
        os.close(openat2(root, (), FOLDER))
    except OSError:
        return walk
    finally:
        os.close(root)
    return openat2


def openat2(folder: int, parts: Sequence[str], flags: int) -> int:
    """Open `parts` below the folder's descriptor; the kernel refuses links and ways out."""
    how = _OpenHow(
        flags=flags | _ALWAYS,
        mode=0,
        resolve=_BENEATH | _NO_MAGICLINKS | _NO_SYMLINKS,
    )
    path = os.fsencode("/".join(parts) or ".")
    for _ in range(_TRIES):  # EAGAIN: something was renamed while the kernel looked
        descriptor = _syscall()(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(folder),
            ctypes.c_char_p(path),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() != errno.EAGAIN:
            break
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def walk(folder: int, parts: Sequence[str], flags: int) -> int:
    """Open `parts` one by one, each from the descriptor of the one before."""
    if ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    here = os.dup(folder)
    try:
        for part in parts[:-1]:
            deeper = _open_one(here, part, FOLDER)
            os.close(here)
            here = deeper
        return _open_one(here, parts[-1] if parts else ".", flags)
    finally:
        os.close(here)


@contextmanager
def rooted(root: Path) -> Generator[int]:
    """Open the folder everything is below, made on first use, readable by nobody else."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(root, FOLDER | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def made(root: int, parts: Sequence[str], opener: Opener) -> Generator[int]:
    """Open a folder below the root's descriptor, making what is missing of it."""
    here = os.dup(root)
    try:
        for part in parts:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=here)
            deeper = opener(here, (part,), FOLDER)
            os.close(here)
            here = deeper
        yield here
    finally:
        os.close(here)


def replace(folder: int, name: str, content: bytes, mode: int) -> None:
    """Put a whole file in place at once or not at all; survives a power cut."""
    temporary = f"{TEMPORARY}{secrets.token_hex(8)}"
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


def _open_one(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags | _ALWAYS | os.O_NOFOLLOW, dir_fd=folder)
    except NotADirectoryError:
        # O_DIRECTORY hides that the name is a link; say what openat2 would say.
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise


@cache
def _syscall() -> Callable[..., int]:
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    return syscall
