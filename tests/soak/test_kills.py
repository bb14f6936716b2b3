"""`kill -9` of the bot, its store, or both, at random moments: nothing lost, nothing twice."""

import asyncio
import os
import random
import signal
import time
from asyncio.subprocess import Process
from collections import Counter
from pathlib import Path

import pytest

from bot.playground import Rules
from tests.acceptance.world import World, a_world, store_pid

SCRIPT = """
- when: '\\bwrite (\\w+)'
  steps:
    - reply: "I write {1}."
      calls: [{tool: file_write, arguments: {path: "{1}.md", content: "{1}"}}]
    - reply: "Done with {1}."
- when: 'quick (\\w+)'
  steps: [{reply: "Quick {1}."}]
- when: 'slow (\\w+)'
  steps: [{reply: "Slow {1} one two three four five six seven eight nine ten.", pace: 60}]
"""
EXPECTED = {
    "quick": "Quick {0}.",
    "slow": "Slow {0} one two three four five six seven eight nine ten.",
    "write": "I write {0}.\n\nDone with {0}.",
}
PATIENCE_SECONDS = 120
CHANNELS = ("#api", "#web", "#general")


@pytest.mark.timeout(3600)
async def test_every_message_is_answered_once_and_in_order_whatever_is_killed(
    tmp_path: Path, kills: int, seed: str
):
    """Three threads of three messages in each round; the record is Slack's own."""
    dice = random.Random(f"kills {seed}")
    killed: Counter[str] = Counter()
    # Slack's limits on connecting would make each restart a wait; they have tests of their own.
    free = Rules(rate_limits=False, retry_delays=(0.0, 4.0, 20.0))
    async with a_world(tmp_path, SCRIPT, free, DESKMATE_LEASE_SECONDS="2") as world:
        running = await world.start()
        for number in range(kills):
            threads = await ask(world, dice, number)
            await asyncio.sleep(dice.uniform(0.0, 1.4))
            victim = dice.choices(("bot", "store", "both"), weights=(6, 2, 2))[0]
            running = await kill(world, running, victim)
            killed[victim] += 1
            for (channel, root), expected in threads.items():
                await said(world, channel, root, expected)
        await world.settled()
        running.send_signal(signal.SIGTERM)
        await running.wait()
        print(f"\nkilled: {dict(killed)}; turns: {kills * 9}; model calls: {len(world.asked())}+")


async def ask(world: World, dice: random.Random, number: int) -> dict[tuple[str, str], list[str]]:
    """Let people begin a thread in each channel; returns what has to stand in each."""
    threads: dict[tuple[str, str], list[str]] = {}
    for channel in CHANNELS:
        root = ""
        expected: list[str] = []
        for message in range(3):
            kind, word = dice.choice(sorted(EXPECTED)), f"w{number}x{message}"
            mention = "" if root else "@Deskmate "
            ts = await world.says("ann", channel, f"{mention}{kind} {word}", root)
            root = root or ts
            expected.append(EXPECTED[kind].format(word))
            await asyncio.sleep(dice.uniform(0.0, 0.05))
        threads[channel, root] = expected
    return threads


async def kill(world: World, running: Process, victim: str) -> Process:
    """Kill, and start the bot again if it was the bot; a dead store is the bot's to revive."""
    if victim in {"store", "both"} and (pid := await store_pid(world.home)) is not None:
        os.kill(pid, signal.SIGKILL)
    if victim in {"bot", "both"}:
        running.kill()
        await running.wait()
        return await world.start()
    return running


async def said(world: World, channel: str, root: str, expected: list[str]) -> None:
    """Wait until a thread holds exactly the expected answers, in order, and nothing half."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (texts := world.answers(channel, root)) != expected:
        log = (world.home / "run.log").read_text().splitlines()[-25:]
        assert len(texts) <= len(expected), f"twice: {texts}\n" + "\n".join(log)
        assert time.monotonic() < deadline, f"{texts} is not {expected}\n" + "\n".join(log)
        await asyncio.sleep(0.05)
