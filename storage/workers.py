"""Which workers of this host are alive: a file per process in `home/workers/`, held by flock.

The kernel lets go of the lock when its process dies, however it dies, so that what a dead
neighbour held can be taken over at once. Other hosts, which the lock does not cover (the home may
be a shared volume), are told by the boot id in the file, and wait for the lease instead.
"""

import contextlib
import fcntl
import os
import platform
import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_FOREIGN_SECONDS = 7 * 24 * 3600


class Registration:
    """The place of this process among its host's workers; `worker` is its name, never reused."""

    def __init__(self, folder: Path) -> None:
        node = re.sub(r"[^A-Za-z0-9.-]", "", platform.node()) or "host"
        self.worker = f"{node}-{os.getpid()}-{secrets.token_hex(3)}"
        self.folder = folder
        self._boot = _boot_id()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = folder / f".{self.worker}"
        self._descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        os.write(self._descriptor, f"{self._boot} {os.getpid()}\n".encode())
        fresh.rename(folder / self.worker)  # nobody sees the file before it is locked

    def dead(self) -> list[str]:
        """Return the workers of this host that have ended without signing off."""
        found: list[str] = []
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):
                if self._is_foreign(path):
                    _forget_if_old(path)
                elif not _is_held(path):
                    found.append(path.name)
        return sorted(found)

    def bury(self, workers: Iterable[str]) -> None:
        """Forget dead workers once nothing of theirs is left."""
        for worker in workers:
            (self.folder / worker).unlink(missing_ok=True)

    def close(self) -> None:
        """Sign off; call it when this process holds no lease any more."""
        self.bury([self.worker])
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _is_foreign(self, path: Path) -> bool:
        return path.name.startswith(".") or path.read_text("utf-8").split()[:1] != [self._boot]


def _boot_id() -> str:
    """Name this run of this machine; where the system has no such name, name the machine."""
    try:
        return _BOOT_ID.read_text("utf-8").strip()
    except OSError:
        return f"node:{platform.node()}".replace(" ", "-")


def _is_held(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _forget_if_old(path: Path) -> None:
    if time.time() - path.stat().st_mtime > _FOREIGN_SECONDS:
        path.unlink()
