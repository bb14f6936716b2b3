"""The embedded store: joins the Valkey server of this home, or starts it.

The server holds an flock on `store/lock` (inherited from whoever started it) for as long as it
lives; every process that uses it holds a shared flock on `store/users`, so that the last one to
leave shuts it down and nobody else does. Paths and texts: `place.py`; talking to it: `client.py`.
"""

import asyncio
import fcntl
import os
import subprocess
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal

from harness.errors import StoreUnavailable
from storage.place import Place, explained

_POLL_SECONDS = 0.01
_SHUTDOWN_SECONDS = 10.0
_PATIENCE_SECONDS = 30.0

Answer = Literal["ready", "loading", "silent"]


class EmbeddedServer:
    """A running server of ours, which this process may use until it calls `stop`."""

    def __init__(self, place: Place, users: int, process: subprocess.Popen[bytes] | None) -> None:
        self._place = place
        self._users = users
        self._process = process
        self.url = place.url
        self.password = place.read_password()

    @property
    def started(self) -> bool:
        """True if it was this process that started the server."""
        return self._process is not None

    async def revive(self) -> bool:
        """Start the server again if it has died; True if it was this call that did.

        Everything acknowledged is still there; connections find it by themselves.
        """
        with explained(self._place.folder):
            process = await _find_or_launch(self._place, _PATIENCE_SECONDS)
        if process is None:
            return False
        if self._process is not None:
            _end(self._process)
        self._process = process
        return True

    async def stop(self) -> None:
        """Leave. The last process to leave shuts the server down; for others it runs on.

        Safe to call twice. Waits at most ten seconds for a clean exit.
        """
        users, self._users = self._users, -1
        if users < 0:
            return
        try:
            if _try_lock(users, fcntl.LOCK_EX):
                await self._shut_down()
            elif self._process is not None:
                self._process.returncode = 0  # runs on without us, so it is not ours to reap
        finally:
            os.close(users)

    async def _shut_down(self) -> None:
        await _ask(self._place, "SHUTDOWN")
        deadline = time.monotonic() + _SHUTDOWN_SECONDS
        while time.monotonic() < deadline:
            if (lock := _take_server_lock(self._place)) is not None:
                os.close(lock)
                break
            await asyncio.sleep(_POLL_SECONDS)
        if self._process is not None:
            _end(self._process)
        self._place.clear_far_folder()


async def attach_or_start(
    home: Path, *, patience_seconds: float = _PATIENCE_SECONDS
) -> EmbeddedServer:
    """Return the server of `home`, started if none runs; any number of processes may race.

    Waits at most `patience_seconds` for a server that does not answer, longer for one that says
    it is loading. Raises `StoreUnavailable` with one sentence that says what is wrong.
    """
    place = Place(home / "store")
    with explained(place.folder), ExitStack() as undo:
        place.prepare()
        users = _open_lock(place.users)
        undo.callback(os.close, users)
        await _enter(users, patience_seconds)
        process = await _find_or_launch(place, patience_seconds)
        undo.pop_all()
    return EmbeddedServer(place, users, process)


@asynccontextmanager
async def embedded(home: Path) -> AsyncGenerator[EmbeddedServer]:
    """Use the server of `home` for the length of a block."""
    server = await attach_or_start(home)
    try:
        yield server
    finally:
        await server.stop()


async def _enter(users: int, patience_seconds: float) -> None:
    """Become one of the users; waits while the last one to leave is shutting the server down."""
    deadline = time.monotonic() + patience_seconds
    while not _try_lock(users, fcntl.LOCK_SH):
        if time.monotonic() > deadline:
            raise StoreUnavailable(
                "The embedded store is being shut down and does not finish. "
                "End the process that stops it, then try again."
            )
        await asyncio.sleep(_POLL_SECONDS)


async def _find_or_launch(place: Place, patience_seconds: float) -> subprocess.Popen[bytes] | None:
    """Attach to a server that answers (None), or launch one once nobody holds the lock."""
    deadline = time.monotonic() + patience_seconds
    while True:
        answer = await _knock(place)
        if answer == "ready":
            return None
        if answer == "silent" and (lock := _take_server_lock(place)) is not None:
            process = _launch(place, lock)
            with ExitStack() as undo:
                undo.callback(_end, process)
                await _await_ready(place, process, patience_seconds)
                undo.pop_all()
            return process
        if answer == "silent" and time.monotonic() > deadline:
            raise StoreUnavailable(
                f"Another process holds {place.lock}, but no store answers at "
                f"{place.socket}. End that process, then try again."
            )
        await asyncio.sleep(_POLL_SECONDS)


def _launch(place: Place, lock: int) -> subprocess.Popen[bytes]:
    """Start the server; it inherits `lock`, leads its own session and outlives us."""
    with ExitStack() as opened:
        opened.callback(os.close, lock)
        place.write_config()
        # Read from stdin, because the server takes a path with a `?` or `[` in it for a pattern,
        # finds nothing and starts with its defaults; port 0 is said again for the same reason.
        config = opened.enter_context(place.config.open("rb"))
        log = opened.enter_context(open(place.log, "wb", opener=_private))
        return subprocess.Popen(  # noqa: S603 - our own binary and our own file
            [place.binary(), "-", "--port", "0", "--dir", place.folder],
            stdin=config,
            stdout=log,
            stderr=log,
            pass_fds=(lock,),
            start_new_session=True,
            cwd=place.folder,
            env={},  # ours holds tokens
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()  # loses nothing: every write is on disk before it is answered
    process.wait()


async def _await_ready(
    place: Place, process: subprocess.Popen[bytes], patience_seconds: float
) -> None:
    deadline = time.monotonic() + patience_seconds
    while (answer := await _knock(place)) != "ready":
        if process.poll() is not None:
            raise StoreUnavailable(place.why_it_ended())
        if answer == "silent" and time.monotonic() > deadline:
            raise StoreUnavailable(
                f"The embedded store was started but does not answer. See {place.log}."
            )
        await asyncio.sleep(_POLL_SECONDS)


async def _knock(place: Place) -> Answer:
    """Say PING to whatever listens on the socket."""
    reply = await _ask(place, "PING")
    if "+PONG" in reply:
        return "ready"
    if "-LOADING" in reply:
        return "loading"
    if "-WRONGPASS" in reply:
        raise StoreUnavailable(
            f"The running store refuses the password in {place.password}. "
            "End the store's process (valkey-server), then try again."
        )
    return "silent"


async def _ask(place: Place, command: str) -> str:
    """Send one command after the password; returns both answers, or "" if nobody listens.

    Twelve lines of wire instead of the client library: nothing heavy is imported just to look.
    """
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_unix_connection(place.socket)
            try:
                writer.write(f"AUTH {place.read_password()}\r\n{command}\r\n".encode())
                return (await reader.readline() + await reader.readline()).decode()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return ""


def _take_server_lock(place: Place) -> int | None:
    """Take the lock that a living server holds; None if it is held."""
    lock = _open_lock(place.lock)
    if _try_lock(lock, fcntl.LOCK_EX):
        return lock
    os.close(lock)
    return None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_APPEND, 0o600)


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
