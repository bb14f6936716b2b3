"""Open a file below a folder without ever following a link: two ways, one meaning.

`openat2` lets the kernel refuse (Linux); `walk` opens component by component where the kernel
call is missing or forbidden. Both raise OSError: ELOOP for a link on the way, EXDEV for a way out.
Neighbour: `paths`, which owns what may be opened.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Sequence
from functools import cache

Opener = Callable[[int, Sequence[str], int], int]

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
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(openat2(root, (), os.O_RDONLY | os.O_DIRECTORY))
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
            deeper = _open_one(here, part, os.O_RDONLY | os.O_DIRECTORY)
            os.close(here)
            here = deeper
        return _open_one(here, parts[-1] if parts else ".", flags)
    finally:
        os.close(here)


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
