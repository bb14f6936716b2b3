"""`kill -9` of a gateway or a worker at random moments, with a Slack that sends nothing twice.

So whatever was on its way is lost with the process, and only the channels' history has it still.
"""

import asyncio
import random
from asyncio.subprocess import Process
from collections import Counter
from pathlib import Path

import pytest

from bot.playground import Rules
from tests.acceptance.world import World, a_world
from tests.soak.test_kills import CHANNELS, EXPECTED, SCRIPT, said

FORGETFUL = Rules(rate_limits=False, retry_delays=())


@pytest.mark.timeout(3600)
async def test_every_message_is_answered_once_although_slack_sends_none_again(
    tmp_path: Path, kills: int, seed: str
):
    """Three threads in each round, some of their messages said while nobody listens."""
    dice = random.Random(f"outages {seed}")
    killed: Counter[str] = Counter()
    async with a_world(tmp_path, SCRIPT, FORGETFUL, DESKMATE_LEASE_SECONDS="2") as world:
        running = {role: await world.start("--role", role) for role in ("gateway", "worker")}
        for number in range(kills):
            victim = dice.choices(("gateway", "worker"), weights=(3, 1))[0]
            await a_round(world, running, victim, dice, number)
            killed[victim] += 1
        await world.settled()
        for process in running.values():
            process.terminate()
            await process.wait()
        read_back = (tmp_path / "run.log").read_text().count('"read what was missed"')
        print(f"\nkilled: {dict(killed)}; turns: {kills * 9}; histories read: {read_back}")


async def a_round(
    world: World, running: dict[str, Process], victim: str, dice: random.Random, number: int
) -> None:
    """Let people write, kill one process on the way, let them write on, start it again."""
    roots: dict[str, str] = {}
    expected: dict[str, list[str]] = {channel: [] for channel in CHANNELS}
    said_when_killed = dice.randrange(1, 9)
    for place in range(9):
        if place == said_when_killed:
            await asyncio.sleep(dice.uniform(0.0, 0.3))
            running[victim].kill()
            await running[victim].wait()
        channel = CHANNELS[place % 3]
        kind, word = dice.choice(sorted(EXPECTED)), f"w{number}x{place}"
        mention = "" if channel in roots else "@Deskmate "
        ts = await world.says("ann", channel, f"{mention}{kind} {word}", roots.get(channel, ""))
        roots.setdefault(channel, ts)
        expected[channel].append(EXPECTED[kind].format(word))
        await asyncio.sleep(dice.uniform(0.0, 0.02))
    running[victim] = await world.start("--role", victim)
    for channel, root in roots.items():
        await said(world, channel, root, expected[channel])
