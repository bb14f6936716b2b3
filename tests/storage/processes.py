"""Processes of our own that tests start, kill and stop: `python -m tests.storage.processes`."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from storage.server import attach_or_start


@contextmanager
def running(*arguments: str | Path) -> Generator[subprocess.Popen[str]]:
    """Run this module with `arguments`; killed at the end if it still runs."""
    command = [sys.executable, "-m", __name__, *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def say(*words: object) -> None:
    """Say a line to whoever started this process."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def next_line(process: subprocess.Popen[str]) -> str:
    """Read the next line that a process says."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a process as the kernel would, without a last word."""
    process.send_signal(signal.SIGKILL)
    process.wait()


async def _use(home: Path) -> None:
    """Use the server of `home` until told to go on by a line of input."""
    server = await attach_or_start(home)
    say("started" if server.started else "attached")
    await asyncio.to_thread(sys.stdin.readline)
    await server.stop()


async def _write(home: Path) -> None:
    """Write numbers as fast as they are acknowledged, and say each one that was."""
    from storage.client import Store  # noqa: PLC0415 - eight at once start faster without

    server = await attach_or_start(home)
    async with Store.connect(server.url, server.password) as store:
        for number in range(1_000_000):
            await store.redis.set(f"dm:notice:{number}", "x")
            say(number)


if __name__ == "__main__":
    asyncio.run({"use": _use, "write": _write}[sys.argv[1]](Path(sys.argv[2])))
