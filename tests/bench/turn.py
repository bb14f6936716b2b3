"""What a turn costs beside its model: `python -m tests.bench.turn`, about ten minutes.

`deskmate run` as a process of its own against the playground and the rehearsal endpoint, and a
bare Bolt echo bot on the same machine as the floor. Targets: numbers.md 1. How the numbers are
taken: `subject` (one process), `measures` (one number each).
"""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Awaitable

from tests.bench import measures
from tests.bench.subject import DESKMATE, ECHO, Room
from tests.bench.table import Metric, Numbers, machine, show

SCRIPT = f"""
- when: '\\bslow\\b'
  steps: [{{reply: "{"word " * 200}", pace: 40}}]
- when: '\\bsecond\\b'
  steps: [{{reply: "I have thought about it for a second.", hang: 1.0}}]
- when: '.*'
  steps: [{{reply: "{"A plain answer of some length, as most of them are. " * 3}"}}]
"""

METRICS = (
    Metric("start", "start -> socket connected", "s", 1.5),
    Metric("start_max", "  the slowest", "s"),
    Metric("start_imports", "  of it until Slack is first called: imports, settings", "s"),
    Metric("start_slack", "  of it until Slack's preflight has answered", "s"),
    Metric("start_rest", "  of it the rest: waiting for the store, building, the dial", "s"),
    Metric("store", "  the store alone: start an embedded one and connect", "s"),
    Metric("imports", "  the imports alone, net of the interpreter", "s"),
    Metric("help", "deskmate --help (floor: the bare interpreter)", "s", 0.4),
    Metric("version", "deskmate --version (floor: the bare interpreter)", "s"),
    Metric("rss", "idle RSS without the store", "MB", 90),
    Metric("rss_store", "  the store's own", "MB"),
    Metric("threads", "idle threads", "threads"),
    Metric("cpu", "idle CPU", "%", 0.1),
    Metric("first", "overhead of a first turn, at once after the start", "ms"),
    Metric("first_before", "  of it event -> model request", "ms"),
    Metric("first_rested", "overhead of a first turn, 3 s after the start", "ms"),
    Metric("before_p50", "event -> model request, p50", "ms", 14),
    Metric("before_p95", "event -> model request, p95", "ms", 40),
    Metric("after_p50", "model's last byte -> last Slack call, p50", "ms", 6),
    Metric("after_p95", "model's last byte -> last Slack call, p95", "ms", 20),
    Metric("overhead_p50", "whole overhead of a turn, p50", "ms", 19),
    Metric("overhead_p95", "whole overhead of a turn, p95", "ms", 50),
    Metric("overhead_max", "whole overhead of a turn, max", "ms"),
    Metric("cpu_turn", "CPU of a turn, with a second of idling", "ms"),
    Metric("calls_first", 'Slack calls for "hi", first turn', "calls", 5),
    Metric("calls_second", 'Slack calls for "hi", second turn', "calls", 5),
    Metric("bytes_first", 'model request for "hi", first turn', "bytes", 12 * 1024),
    Metric("bytes_second", 'model request for "hi", second turn', "bytes", 12 * 1024),
    Metric("rss_12", "RSS after 12 turns", "MB"),
    Metric("rss_42", "RSS after 42 turns", "MB"),
    Metric("rss_grown", "RSS grown from turn 50 to the last", "MB", 10),
    Metric("disk", "disk after 42 turns", "MB", 1),
    Metric("eight_spread", "8 threads at once in 3 channels, 1 s model: last answer", "s", 1.3),
    Metric("eight_one", "8 threads at once in 1 channel, 1 s model: last answer", "s", 1.3),
    Metric("ack_idle_p50", "ack idle, p50", "ms"),
    Metric("ack_idle_p95", "ack idle, p95", "ms"),
    Metric("ack_busy_p50", "ack under 8 busy turns, p50", "ms"),
    Metric("ack_busy_p95", "ack under 8 busy turns, p95", "ms", 20),
    Metric("ack_busy_max", "ack under 8 busy turns, max", "ms"),
    Metric("resumed", "kill -9 in a turn: new start -> model asked again", "s", 2),
)


async def measure(program: tuple[str, ...], turns: int) -> Numbers:
    """Take every number that makes sense for a program, in fresh workspaces."""
    room = Room(program, SCRIPT)
    found = await _told("starts", measures.starts(room))
    found |= await _told("first turns", measures.first_turns(room))
    async with room.subject() as bot, bot.running():
        found |= await _told("idle", measures.idle(bot))
        found |= await _told("acks, idle", measures.acks_idle(bot))
        found |= await _told("eight at once", measures.eight(bot))
        found |= await _told("acks, busy", measures.acks_busy(bot))
    async with room.subject() as bot, bot.running():
        found |= await _told(f"{turns} turns", measures.turns(bot, turns))
    return found | (await _told("kills", measures.kills(room)) if program == DESKMATE else {})


async def _told(what: str, measuring: Awaitable[Numbers]) -> Numbers:
    """Say on standard error what is measured now; all of it takes minutes."""
    sys.stderr.write(f"  {what} ...\n")
    return await measuring


def run_first() -> str:
    """Let this process and its children run before all others; says what came of it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except (AttributeError, PermissionError):
        return "at normal priority: realtime needs Linux and root"
    return "at realtime priority: other load on the cores does not count"


async def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.bench.turn", description=__doc__)
    asked.add_argument("--turns", type=int, default=200, help="turns in one thread (200)")
    asked.add_argument("--realtime", action="store_true", help="for a machine that is busy")
    options = asked.parse_args()
    logging.disable(logging.WARNING)  # Bolt and aiohttp have nothing to say here
    priority = run_first() if options.realtime else "at normal priority"
    sys.stdout.write(f"{machine()}\n{priority}\n")
    floor = await measure(ECHO, min(options.turns, 60)) | measures.bare()
    mine = await measure(DESKMATE, options.turns) | measures.commands() | await measures.store()
    show(METRICS, mine, floor)
    sys.stdout.write(f"{machine()}\n")


if __name__ == "__main__":
    asyncio.run(main())
