"""What is measured: a bot in a process of its own, in a workspace and beside a model of ours.

Times are read from the playground's journal and the rehearsal endpoint, both in this process, so
all are on one clock. The process itself is read from /proc.
"""

import asyncio
import os
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.chat.rehearsal_server import Served
from tests.acceptance.world import World, a_world
from tests.support import wait_until

DESKMATE = ("-m", "bot", "run")
ECHO = ("-m", "tests.bench.echo_bot")
PATIENCE_SECONDS = 30.0
# The call that ends an answer: a post, or the end of a stream.
ANSWERS = frozenset({"chat.postMessage", "chat.stopStream"})

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn on the wire, in seconds of the monotonic clock; what `floor` has no model leaves."""

    delivered_at: float
    calls: tuple[Json, ...]
    served: Served | None

    @property
    def before_model(self) -> float:
        """From the event to the model's request."""
        return self.served.received_at - self.delivered_at if self.served else 0.0

    @property
    def after_model(self) -> float:
        """From the model's last byte to the last call that Slack receives."""
        return called_at(self.calls[-1]) - (self.served.answered_at if self.served else 0.0)

    @property
    def overhead(self) -> float:
        """All but the model's own time; without a model, all."""
        if self.served is None:
            return called_at(self.calls[-1]) - self.delivered_at
        return self.before_model + self.after_model


@dataclass(frozen=True, slots=True)
class Room:
    """Where one program is measured: fresh workspaces, with a model that follows one script."""

    program: tuple[str, ...]
    script: str

    @asynccontextmanager
    async def subject(self, home: Path | None = None) -> AsyncGenerator["Subject"]:
        """A workspace and a bot that is not started yet, in a fresh home unless one is given."""
        with tempfile.TemporaryDirectory(prefix="dm-") as fresh:
            async with a_world(home or Path(fresh), self.script) as world:
                yield Subject(world, self.program)


class Subject:
    """A bot that can be started, spoken to, measured, stopped and killed."""

    def __init__(self, world: World, program: tuple[str, ...]) -> None:
        self.world = world
        self.journal = world.playground.journal
        self._program = program
        self._process: Process | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def has_model(self) -> bool:
        return self._program == DESKMATE

    async def start(self) -> float:
        """Start the process and wait for its first socket; returns when it was started."""
        mark = self.journal.last_seq
        started_at = time.monotonic()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._program,
            stdout=DEVNULL,
            stderr=(self.world.home / "run.log").open("ab"),
            env={"PATH": os.defpath, **self.world.environ()},
        )
        await self.entry(mark, lambda entry: entry["kind"] == "socket" and entry["state"] == "open")
        return started_at

    async def stop(self) -> None:
        """End it as an operator would, and wait until its sockets are gone."""
        assert self._process is not None
        self._process.terminate()
        await self._gone()

    async def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        await self._gone()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[float]:
        """Run it for the length of a block; gives when it was started."""
        started_at = await self.start()
        try:
            yield started_at
        finally:
            await self.stop()

    async def entry(self, mark: int, is_it: Callable[[Json], bool]) -> Json:
        """Wait for the first entry after `mark` of which `is_it` is true."""
        for entry in self.journal.since(mark):
            if is_it(entry):
                return entry
        found: asyncio.Future[Json] = asyncio.get_running_loop().create_future()

        def watch(entry: Json) -> None:
            if not found.done() and is_it(entry):
                found.set_result(entry)

        self.journal.watchers.append(watch)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await found
        except TimeoutError as err:
            log = (self.world.home / "run.log").read_text(errors="replace")
            raise RuntimeError(f"waited in vain; the bot says:\n{log[-2000:]}") from err
        finally:
            self.journal.watchers.remove(watch)

    async def turn(self, text: str, thread: str = "", *, rest: float = 1.0) -> tuple[str, Turn]:
        """Say something, wait for the answer and `rest` seconds; returns the thread and the times.

        The rest is what Slack's limits ask for (one post a second and channel); what the bot
        still calls in it belongs to the turn.
        """
        mark = self.journal.last_seq
        root = thread or await self.world.says("ann", "#api", f"@Deskmate {text}")
        if thread:
            await self.world.says("ann", "#api", f"@Deskmate {text}", thread)
        await self.entry(mark, lambda entry: self.thread_answered(entry) == root)
        await asyncio.sleep(rest)
        return root, self.read_turn(mark)

    def thread_answered(self, entry: Json) -> str | None:
        """Give the thread in which an entry ends an answer, if it does."""
        if entry["kind"] != "call" or entry["method"] not in ANSWERS or not entry["ok"]:
            return None
        said: Json = entry["args"]
        if "ts" in said:
            return self.world.playground.channel(said["channel"]).messages[said["ts"]].thread_ts
        return said.get("thread_ts")

    def read_turn(self, mark: int) -> Turn:
        entries = self.journal.since(mark)
        return Turn(
            delivered_at=next(e["t"] for e in entries if e["kind"] == "delivery"),
            calls=tuple(e for e in entries if e["kind"] == "call"),
            served=self.world.model.served[-1] if self.has_model else None,
        )

    def rss_mb(self) -> float:
        return int(_status(self.pid, "VmRSS").split()[0]) / 1024

    def store_rss_mb(self) -> float:
        """Give the same of the embedded store, whose folder of work is the home's."""
        store = self.world.home / "store"
        found = (p for p in Path("/proc").iterdir() if p.name.isdigit() and _works_in(p, store))
        return sum(int(_status(int(p.name), "VmRSS").split()[0]) / 1024 for p in found)

    def threads(self) -> int:
        return int(_status(self.pid, "Threads"))

    def cpu_seconds(self) -> float:
        """Give the time its threads have had on a core."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    async def _gone(self) -> None:
        assert self._process is not None
        await self._process.wait()
        await wait_until(lambda: not self.world.playground.board.lines)


def called_at(call: Json) -> float:
    """Give when Slack received a call; the journal notes when it was answered."""
    return call["t"] - call["ms"] / 1000


def folder_mb(folder: Path) -> float:
    """Give what a folder takes on the disk."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_blocks * 512 for path in files) / 1e6


def _works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").resolve() == folder.resolve()
    except OSError:
        return False


def _status(pid: int, name: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(f"{name}:"))
