"""Replies through any weather: seeded storms of faults, stops, crashes and second thoughts."""

import asyncio
import random
from contextlib import suppress
from dataclasses import replace
from typing import cast

import pytest

from bot.failures import SlackFailed
from bot.playground import Fault, Rules, streams
from bot.playground.faults import CALL_FAULTS, CallFault
from bot.reply import Reply
from harness.errors import LeaseLost
from harness.events import StepStarted, TextStarted, TextStreamed, ToolStarted
from storage.client import Store
from tests.bot.scene import Scene, said, set_scene
from tests.bot.test_reply_faults import Mortal

METHODS = (
    "chat.postMessage",
    "chat.startStream",
    "chat.appendStream",
    "chat.stopStream",
    "chat.update",
    "conversations.replies",
    "assistant.threads.setStatus",
)
BLOCKS = (
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "Some words that make a paragraph, with `code` in it.\n\n",
    "1. one\n2. two\n3. three\n\n",
    "```python\nfor n in range(3):\n    print(n)\n```\n\n",
    "# A heading\n\n",
    "> a quote\n\n",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002 **\u91cd\u70b9**\u3002\n\n",
)


class Storm:
    """One seed: what is said, and what goes wrong meanwhile."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene = scene
        self.dice = random.Random(seed)
        size = self.dice.choice((6, 20, 400))
        blocks = BLOCKS if size < 400 else BLOCKS[1:]  # a table each time is a message each time
        self.text = "".join(self.dice.choice(blocks) for _ in range(size)).strip()

    def break_something(self) -> None:
        kind = self.dice.choice(sorted(CALL_FAULTS - {"error"}))
        target = self.dice.choice(METHODS)
        seconds = 0.0 if kind == "rate_limited" else 0.01
        fault = Fault(cast("CallFault", kind), target, seconds=seconds)
        count, skip = self.dice.randint(1, 2), self.dice.randint(0, 2)
        self.scene.fault(replace(fault, count=count, skip=skip))

    def end_streams(self) -> None:
        """Let a person press Stop, or Slack's wall come."""
        workspace = self.scene.playground.workspace
        if self.dice.random() < 0.5:
            workspace.clock.advance(400)
            return
        place = workspace.channels[self.scene.target.channel]
        root = self.scene.target.thread_ts
        streams.stop_by_user(workspace, place, self.scene.playground.app, root)

    async def attempt(self) -> None:
        """Say some of it, in trouble, and come to no good end."""
        alive, self.dies_at = self.scene.ledger, self.dice.randint(1, 12)
        mortal = Mortal(self.scene, self.dies_at, after=self.dice.random() < 0.5)
        self.scene.ledger = lambda: mortal
        try:
            with suppress(LeaseLost, SlackFailed):
                async with self.scene.reply() as reply:
                    await self.talk(reply)
                    if self.dice.random() < 0.5:
                        await reply.finish(said(self.text))
                    elif self.dice.random() < 0.5:
                        await reply.say("The model is not answering. I try again at 14:05.")
        finally:
            self.scene.ledger = alive

    async def talk(self, reply: Reply) -> None:
        """Stream the text in chunks of any size, with second thoughts and tools in between."""
        await reply.show(StepStarted(1))
        await reply.show(TextStarted(1))
        at, most = 0, self.dice.randint(0, len(self.text))
        chunk = max(1, most // self.dice.randint(1, 12))
        while at < most:
            await reply.show(TextStreamed(self.text[at : at + chunk]))
            at += chunk
            await self.mishap(reply)
            if self.dice.random() < 0.1:
                await reply.show(TextStarted(1))
                at = 0
                most //= 2

    async def mishap(self, reply: Reply) -> None:
        await asyncio.sleep(self.dice.choice((0, 0.003, 0.012)))
        roll = self.dice.random()
        if roll < 0.3:
            self.break_something()
        elif roll < 0.4:
            self.end_streams()
        elif roll < 0.45:
            await reply.show(ToolStarted("c1", "file_read", "reading `a.py`"))


@pytest.mark.parametrize("seed", range(12))
async def test_one_clean_copy_in_any_weather(store: Store, seed: int):
    """Whatever happened before, the last attempt leaves the whole text, once (F048, F051)."""
    async with set_scene(store, Rules(rate_limits=False)) as scene:
        storm = Storm(scene, seed)
        for _ in range(storm.dice.randint(0, 3)):
            await storm.attempt()
        async with scene.reply() as reply:
            await storm.talk(reply)
            scene.playground.workspace.faults.clear()
            await reply.finish(said(storm.text))
        shown = "".join("".join(scene.texts()).split())
        assert shown == "".join(storm.text.split())
        assert not [m for m in scene.messages() if m.is_streaming]
