"""Races for the embedded server, and deaths of every party."""

import asyncio
import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from storage.client import Store
from storage.server import attach_or_start
from tests.storage.processes import kill, next_line, running
from tests.support import wait_until


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that ended and was not reaped does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


async def pid_of_server(home: Path) -> int:
    """Ask the server itself; it must be running."""
    server = await attach_or_start(home)
    async with Store.connect(server.url, server.password) as store:
        pid = int((await store.run_command("INFO", "server"))["process_id"])
    await server.stop()
    return pid


@pytest.mark.timeout(60)
async def test_eight_processes_start_one_server(tmp_path: Path):
    """Whoever comes first starts it, the others attach, the last to leave ends it."""
    with ExitStack() as stack:
        users = [stack.enter_context(running("use", tmp_path)) for _ in range(8)]
        said = sorted(next_line(user) for user in users)
        pid = await pid_of_server(tmp_path)
        for user in users:
            user.communicate("\n")

    assert said == ["attached"] * 7 + ["started"]
    await wait_until(lambda: not is_alive(pid))


async def test_killed_starter_leaves_a_server_to_attach_to(tmp_path: Path):
    """The server outlives a starter that is killed; who leaves after that still ends it."""
    with running("use", tmp_path) as starter:
        assert next_line(starter) == "started"
        kill(starter)

    server = await attach_or_start(tmp_path)
    pid = await pid_of_server(tmp_path)
    await server.stop()

    assert not server.started
    await wait_until(lambda: not is_alive(pid))


async def test_killed_server_loses_nothing_acknowledged(tmp_path: Path):
    """Every write that was answered before the server was killed is there after its restart."""
    server = await attach_or_start(tmp_path)
    async with Store.connect(server.url, server.password) as store:
        with running("write", tmp_path) as writer:
            while int(next_line(writer)) < 300:
                pass
            pid = await pid_of_server(tmp_path)
            os.kill(pid, signal.SIGKILL)
            await wait_until(lambda: not is_alive(pid))
            kill(writer)
            assert writer.stdout is not None
            acknowledged = int(writer.stdout.read().split()[-1])

        assert await server.revive()
        assert not await server.revive()
        missing = [
            number
            for number in range(acknowledged + 1)
            if not await store.run_command("EXISTS", f"dm:notice:{number}")
        ]
    await server.stop()

    assert missing == []
    assert acknowledged >= 300


async def test_torn_tail_is_repaired(tmp_path: Path):
    """A last write that only half reached the disk is dropped, all before it is there."""
    server = await attach_or_start(tmp_path)
    async with Store.connect(server.url, server.password) as store:
        for number in range(3):
            await store.run_command("SET", f"dm:notice:{number}", "x" * 100)
    await server.stop()
    (log,) = (tmp_path / "store" / "appendonlydir").glob("*.incr.aof")
    os.truncate(log, log.stat().st_size - 10)

    again = await attach_or_start(tmp_path)
    async with Store.connect(again.url, again.password) as store:
        left = sorted(await store.run_command("KEYS", "*"))
    await again.stop()

    assert left == ["dm:notice:0", "dm:notice:1"]


async def test_lock_is_free_once_the_server_is_dead(tmp_path: Path):
    """After kill -9 of server and starter, a restart needs no hand and keeps the password."""
    with running("use", tmp_path) as starter:
        assert next_line(starter) == "started"
        password = (tmp_path / "store" / "password").read_text()
        os.kill(await pid_of_server(tmp_path), signal.SIGKILL)
        kill(starter)

    server = await attach_or_start(tmp_path)
    await server.stop()
    assert server.started
    assert server.password == password.strip()


async def test_child_processes_do_not_hold_the_server(tmp_path: Path):
    """A command that outlives us does not make us look alive: locks are not inherited by it."""
    server = await attach_or_start(tmp_path)
    command = await asyncio.create_subprocess_exec("/bin/sleep", "60")
    await server.stop()
    again = await attach_or_start(tmp_path)
    await again.stop()
    command.kill()
    await command.wait()
    assert again.started
