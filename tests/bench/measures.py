"""One function per number of the bench: what is done to the bot, and what is read then."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from storage.client import Store
from storage.server import embedded
from tests.bench.subject import Json, Room, Subject, Turn, called_at, folder_mb
from tests.bench.table import Numbers, spread
from tests.support import wait_until

STARTS = 7
COMMANDS = 7
FIRST_TURNS = 5
KILLS = 3
SETTLE_SECONDS = 3.0
IDLE_SECONDS = 15.0
THREADS = 8
ASIDES = 120
ASIDE_SECONDS = 0.05


async def starts(room: Room) -> Numbers:
    """Start it again and again, the first time unmeasured, and split each at what Slack sees."""
    runs: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory(prefix="dm-") as home:
        for _ in range(STARTS + 1):
            async with room.subject(Path(home)) as bot, bot.running() as started_at:
                entries = bot.journal.since(0)
            opened = next(e["t"] for e in entries if e["kind"] == "socket")
            calls = [e for e in entries if e["kind"] == "call" and e["t"] <= opened][:2]
            knocked, answered = called_at(calls[0]), calls[-1]["t"]
            parts = knocked - started_at, answered - knocked, opened - answered
            runs.append((opened - started_at, *parts))
    total, imports, slack, rest = (statistics.median(part) for part in zip(*runs[1:], strict=True))
    found = {"start": total, "start_max": max(run[0] for run in runs[1:])}
    return found | {"start_imports": imports, "start_slack": slack, "start_rest": rest}


async def first_turns(room: Room) -> Numbers:
    """Speak to it as soon as it is connected, and once its imports beside the dial are done."""
    waits: dict[str, float] = {"first": 0.0, "rested": SETTLE_SECONDS}
    held: dict[str, list[Turn]] = {name: [] for name in waits}
    for _ in range(FIRST_TURNS):
        async with room.subject() as bot:
            for name, wait in waits.items():
                async with bot.running():
                    await asyncio.sleep(wait)
                    held[name].append((await bot.turn("hi"))[1])
    found = {
        "first": 1000 * statistics.median(turn.overhead for turn in held["first"]),
        "first_rested": 1000 * statistics.median(turn.overhead for turn in held["rested"]),
    }
    if all(turn.served for turn in held["first"]):
        found["first_before"] = 1000 * statistics.median(t.before_model for t in held["first"])
    return found


async def idle(bot: Subject) -> Numbers:
    """Leave it alone and look at what it takes."""
    await asyncio.sleep(SETTLE_SECONDS)
    before, began_at = bot.cpu_seconds(), time.monotonic()
    await asyncio.sleep(IDLE_SECONDS)
    spent = bot.cpu_seconds() - before
    found = {
        "rss": bot.rss_mb(),
        "threads": float(bot.threads()),
        "cpu": 100 * spent / (time.monotonic() - began_at),
    }
    return found | ({"rss_store": bot.store_rss_mb()} if bot.has_model else {})


async def turns(bot: Subject, count: int) -> Numbers:
    """Hold one long thread, a turn a second, and read each turn's times."""
    await asyncio.sleep(SETTLE_SECONDS)
    thread, first = await bot.turn("hi")
    held = [first]
    found: Numbers = {}
    grown_from = 0.0
    spent = bot.cpu_seconds()
    while len(held) < count:
        held.append((await bot.turn("hi", thread))[1])
        if len(held) in {12, 42}:
            found[f"rss_{len(held)}"] = bot.rss_mb()
        if len(held) == 42 and bot.has_model:
            found["disk"] = folder_mb(bot.world.home)
        if len(held) == 50:
            grown_from = bot.rss_mb()
    found["rss_grown"] = bot.rss_mb() - grown_from
    found["cpu_turn"] = 1000 * (bot.cpu_seconds() - spent) / (len(held) - 1)
    warm = held[2:]
    found |= spread("overhead", [turn.overhead for turn in warm])
    if bot.has_model:
        found |= spread("before", [turn.before_model for turn in warm])
        found |= spread("after", [turn.after_model for turn in warm])
    return found | _sizes(first, held[1])


def _sizes(first: Turn, second: Turn) -> Numbers:
    found: Numbers = {}
    for name, turn in (("first", first), ("second", second)):
        found[f"calls_{name}"] = float(len(turn.calls))
        if turn.served is not None:
            found[f"bytes_{name}"] = float(turn.served.size)
    return found


async def eight(bot: Subject) -> Numbers:
    """Eight people ask at the same moment; the model thinks for a second."""
    found: Numbers = {}
    for key, channels in (("spread", ("#api", "#web", "#general")), ("one", ("#api",))):
        times: list[float] = []
        for _ in range(3):
            began_at, last_at = await _asked_at_once(bot, channels, "think a second")
            times.append(last_at - began_at)
            await asyncio.sleep(10)  # until the channels' limits have recovered
        found[f"eight_{key}"] = statistics.median(times)
    return found


async def _asked_at_once(bot: Subject, channels: Sequence[str], text: str) -> tuple[float, float]:
    """Start a thread per person; gives when the first event went out and the last answer came."""
    mark = bot.journal.last_seq
    roots = {
        await bot.world.says("ann", channels[number % len(channels)], f"@Deskmate {text}")
        for number in range(THREADS)
    }
    first = await bot.entry(mark, lambda entry: entry["kind"] == "delivery")
    last: Json = first
    while roots:
        last = await bot.entry(mark, lambda entry: bot.thread_answered(entry) in roots)
        roots.discard(str(bot.thread_answered(last)))
    return first["t"], called_at(last)


async def acks_idle(bot: Subject) -> Numbers:
    """Send messages that start no turn while nothing runs."""
    thread, _ = await bot.turn("hi")
    return spread("ack_idle", await _acks(bot, [thread]))


async def acks_busy(bot: Subject) -> Numbers:
    """Send the same while eight answers stream."""
    threads = [await bot.world.says("ann", "#api", "@Deskmate be slow") for _ in range(THREADS)]
    await asyncio.sleep(1.0)
    return spread("ack_busy", await _acks(bot, threads))


async def _acks(bot: Subject, threads: Sequence[str]) -> list[float]:
    """Have people talk past it in its threads, which is kept before it is acknowledged."""
    mark = bot.journal.last_seq
    ben = bot.world.playground.workspace.user_named("ben").id
    for number in range(ASIDES):
        await bot.world.says("ann", "#api", f"<@{ben}> {number}", threads[number % len(threads)])
        await asyncio.sleep(ASIDE_SECONDS)
    await asyncio.sleep(1.0)
    entries = bot.journal.since(mark)
    events = {e["event_id"] for e in entries if e["kind"] == "delivery"}
    acks = [e["ms"] / 1000 for e in entries if e["kind"] == "ack" and e["event_id"] in events]
    assert len(acks) >= ASIDES, "events were not acknowledged"
    return acks


async def kills(room: Room) -> Numbers:
    """Kill it while the model speaks, start it again, and wait until the turn goes on."""
    times: list[float] = []
    for _ in range(KILLS):
        async with room.subject() as bot:
            served = bot.world.model.served
            await bot.start()
            thread = await bot.world.says("ann", "#api", "@Deskmate be slow")
            await wait_until(lambda served=served: len(served) == 1)
            await asyncio.sleep(0.5)
            await bot.kill()
            async with bot.running() as started_at:
                await wait_until(lambda served=served: len(served) > 1)
                times.append(served[1].received_at - started_at)
                await bot.entry(0, lambda entry: bot.thread_answered(entry) == thread)  # noqa: B023 - awaited here
            assert len(bot.world.answers("#api", thread)) == 1, "the answer stands there twice"
    return {"resumed": statistics.median(times)}


async def store() -> Numbers:
    """Start an embedded store in a fresh home and connect, in a process that has the imports."""
    times: list[float] = []
    for _ in range(5):
        with tempfile.TemporaryDirectory(prefix="dm-") as home:
            began_at = time.monotonic()
            async with embedded(Path(home)) as server, Store.connect(server.url, server.password):
                times.append(time.monotonic() - began_at)
    return {"store": statistics.median(times)}


def commands() -> Numbers:
    """Time the commands that need nothing, and the imports of the bot."""
    return {
        "help": _seconds("-m", "bot", "--help"),
        "version": _seconds("-m", "bot", "--version"),
        "imports": _import_seconds("bot.cli, bot.app, bot.logs"),
    }


def bare() -> Numbers:
    """Time the interpreter alone, and the echo bot's imports."""
    alone = _seconds("-c", "")
    imports = _import_seconds("tests.bench.echo_bot")
    return {"help": alone, "version": alone, "imports": imports}


def _import_seconds(modules: str) -> float:
    """Time an import inside its process: starting and ending the interpreter do not count."""
    code = f"import time; t = time.perf_counter(); import {modules}; print(time.perf_counter() - t)"
    done = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        for _ in range(COMMANDS)
    )
    return statistics.median(float(each.stdout) for each in done)


def _seconds(*arguments: str) -> float:
    times: list[float] = []
    for number in range(COMMANDS + 1):
        began_at = time.monotonic()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        if number:
            times.append(time.monotonic() - began_at)
    return statistics.median(times)
