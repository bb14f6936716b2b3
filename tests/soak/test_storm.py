"""Turns under faults by chance: 429, 5xx, lost answers, delays, doubled and late events, sockets.

Whatever the weather, Slack's own record holds each answer once, whole, and in order.
"""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.playground import LEVELS, Rules
from tests.acceptance.world import World, a_world, shown
from tests.soak.test_kills import CHANNELS, EXPECTED, SCRIPT

PER_THREAD = 5
SETTLE_SECONDS = 90
LONGEST_TURN_SECONDS = 5.0
WEATHERS = (("mild", 1), ("mild", 2), ("mild", 3), ("wild", 4))


@dataclass
class Thread:
    """What was written in a thread, and what has to be answered to each message, by its ts."""

    channel: str
    root: str = ""
    expected: dict[str, str] = field(default_factory=dict[str, str])


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("weather", "number"), WEATHERS)
async def test_each_answer_arrives_once_whole_and_in_order(
    tmp_path: Path, turns: int, seed: str, weather: str, number: int
):
    """People write on while the weather is bad; then it clears, and everything must be there."""
    dice = random.Random(f"storm {seed} {number}")
    rules = Rules(rate_limits=False, retry_delays=(0.0, 1.0, 3.0))
    async with a_world(tmp_path, SCRIPT, rules) as world, world.bot():
        world.playground.set_dial(LEVELS[weather])
        started = time.monotonic()
        threads = [await a_thread(world, dice, n) for n in range(-(-turns // PER_THREAD))]
        world.playground.set_dial(0)
        for thread in threads:
            await said(world, thread)
        await world.settled()
        for thread in threads:
            assert sorted(answers(world, thread)) == sorted(thread.expected.values())
            assert overtaken(world, thread) == []
            messages = world.thread(thread.channel, thread.root)
            assert not any(message.is_streaming for message in messages)
        struck = Counter(entry["fault"] for entry in world.playground.journal.of("fault"))
        seconds = time.monotonic() - started
        print(f"\n{weather} {number}: {len(threads) * PER_THREAD} turns in {seconds:.0f} s", struck)


async def a_thread(world: World, dice: random.Random, number: int) -> Thread:
    """Let someone begin a thread and write on in it."""
    thread = Thread(dice.choice(CHANNELS))
    for message in range(PER_THREAD):
        kind, word = dice.choice(sorted(EXPECTED)), f"t{number}x{message}"
        mention = "" if thread.root else "@Deskmate "
        ts = await world.says("ann", thread.channel, f"{mention}{kind} {word}", thread.root)
        thread.root = thread.root or ts
        thread.expected[ts] = EXPECTED[kind].format(word)
        await asyncio.sleep(dice.uniform(0.0, 0.4))
    return thread


def answers(world: World, thread: Thread) -> list[str]:
    return world.answers(thread.channel, thread.root)


async def said(world: World, thread: Thread) -> None:
    """Wait until a thread says what it has to; more than that is an answer given twice."""
    deadline = time.monotonic() + SETTLE_SECONDS
    wanted = sorted(thread.expected.values())
    while sorted(texts := answers(world, thread)) != wanted:
        assert len(texts) <= len(wanted), f"twice: {texts}"
        assert time.monotonic() < deadline, f"{texts} is not {wanted}{story(world, thread)}"
        await asyncio.sleep(0.05)


def overtaken(world: World, thread: Thread) -> list[tuple[str, str]]:
    """Pairs answered the wrong way round although the first had long come when the second began.

    What Slack itself brings late cannot be answered before it comes.
    """
    came: dict[str, float] = {}
    for entry in world.playground.journal.of("ack"):
        if entry.get("ts"):
            came.setdefault(str(entry["ts"]), float(entry["at"]))
    by_text = {
        shown(message): float(message.ts)
        for message in world.thread(thread.channel, thread.root)
        if message.user == world.playground.app.user.id
    }
    answered = [(ts, by_text[text]) for ts, text in sorted(thread.expected.items())]
    return [
        (first, second)
        for place, (first, first_at) in enumerate(answered)
        for second, second_at in answered[place + 1 :]
        if second_at < first_at and came[first] + LONGEST_TURN_SECONDS < second_at
    ]


def story(world: World, thread: Thread) -> str:
    """What went wrong on the wire, for whoever has to understand a failure."""
    kinds = {"unacknowledged", "undelivered", "gave_up", "socket", "dial"}
    told = [
        f"{entry['at']:.3f} {entry['kind']} {entry.get('label') or entry.get('line')}"
        f" {entry.get('state') or entry.get('ts')} {entry.get('attempt', '')}"
        for entry in world.playground.journal
        if entry["kind"] in kinds
    ]
    return f"\n{thread}\n" + "\n".join(told[-80:])
