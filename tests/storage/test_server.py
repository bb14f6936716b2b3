"""The embedded server: one per home, survives its starter, explains why it cannot start."""

import fcntl
import os
import stat
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from storage.client import Store
from storage.server import EmbeddedServer, attach_or_start


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[EmbeddedServer]:
    found = await attach_or_start(tmp_path)
    yield found
    await found.stop()


def _is_locked(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


async def test_first_starts_second_attaches(server: EmbeddedServer, tmp_path: Path):
    """A second user of the same home gets the same server."""
    second = await attach_or_start(tmp_path)

    assert (server.started, second.started) == (True, False)
    assert second.url == server.url
    await second.stop()


async def test_last_to_leave_shuts_down(tmp_path: Path):
    """The server runs on while anyone uses it, and ends cleanly with the last one."""
    first = await attach_or_start(tmp_path)
    second = await attach_or_start(tmp_path)

    await first.stop()
    async with Store.connect(second.url, second.password) as store:
        await store.ping()
    await second.stop()

    assert not _is_locked(tmp_path / "store" / "lock")
    assert "ready to exit" in (tmp_path / "store" / "server.log").read_text()


async def test_stop_twice_is_harmless(tmp_path: Path):
    """A second stop does nothing."""
    server = await attach_or_start(tmp_path)
    await server.stop()
    await server.stop()


async def test_private_and_without_a_port(server: EmbeddedServer, tmp_path: Path):
    """Folder 0700, files 0600, no TCP port, a password that is not on the command line."""
    folder = tmp_path / "store"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    process = Path(f"/proc/{_pid_of_server(folder)}")

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes["password"] == modes["server.conf"] == 0o600
    assert modes["store.sock"] == 0o700
    assert len(server.password) >= 32
    command = (process / "cmdline").read_text()
    assert str(folder) in command
    assert server.password not in command
    assert (process / "environ").read_text() == ""
    async with Store.connect(server.url, server.password) as store:
        assert await store.run_command("CONFIG", "GET", "port") == {"port": "0"}


async def test_durable_settings(server: EmbeddedServer):
    """Every write is on disk before it is answered, and nothing is ever evicted."""
    async with Store.connect(server.url, server.password) as store:
        report = await store.check()
        fsync = await store.run_command("CONFIG", "GET", "appendfsync")

    assert (report.product, report.aof, report.eviction) == ("valkey", True, "noeviction")
    assert fsync == {"appendfsync": "always"}


async def test_own_process_session(server: EmbeddedServer, tmp_path: Path):
    """Ctrl-C in our terminal does not reach the server: it leads its own session."""
    assert server.started
    pid = _pid_of_server(tmp_path / "store")
    assert os.getsid(pid) == pid != os.getsid(0)


def _pid_of_server(folder: Path) -> int:
    log = (folder / "server.log").read_text()
    return int(log.split(":", 1)[0])
