"""A whole Deskmate in a whole workspace: real sockets, a real store, a scripted model.

`World` holds the playground, the model endpoint and the bot, either in this process (`App`) or as
`deskmate run` in a process of its own that can be killed.
"""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.app import App
from bot.playground import Playground, Rules
from bot.playground.model import Message
from bot.settings import load
from harness.chat.rehearsal import Rehearsal
from harness.chat.rehearsal_server import RehearsalServer
from harness.chat.script import load_script
from harness.errors import StoreUnavailable
from storage.client import Store
from tests.support import wait_until

MODEL = "rehearsed-1"
PATIENCE_SECONDS = 20.0


@dataclass
class World:
    """People, their workspace, the model's endpoint, and where the bot keeps its data."""

    playground: Playground
    model: RehearsalServer
    home: Path
    settings: dict[str, str] = field(default_factory=dict[str, str])

    def environ(self) -> dict[str, str]:
        """What an operator would set."""
        return {
            "SLACK_BOT_TOKEN": self.playground.bot_token,
            "SLACK_APP_TOKEN": self.playground.app_token,
            "SLACK_API_URL": self.playground.api_url,
            "OPENAI_API_KEY": "sk-rehearsal-0000",
            "OPENAI_BASE_URL": self.model.base_url,
            "DESKMATE_MODEL": MODEL,
            "DESKMATE_HOME": str(self.home),
            "DESKMATE_HTTP": "off",
            **self.settings,
        }

    @asynccontextmanager
    async def bot(self) -> AsyncGenerator[App]:
        """The bot in this process, connected."""
        async with App(load(self.environ(), self.home)) as app:
            await app.connected()
            yield app

    @asynccontextmanager
    async def process(self, *arguments: str, **settings: str) -> AsyncGenerator[Process]:
        """The bot as `deskmate run` in its own process, connected; ended gently if it lives."""
        running = await self.start(*arguments, **settings)
        try:
            yield running
        finally:
            if running.returncode is None:
                running.send_signal(signal.SIGTERM)
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await running.wait()

    async def start(self, *arguments: str, **settings: str) -> Process:
        """Start `deskmate run` and wait until it says that it is connected, or at work."""
        with (self.home / "run.log").open("ab") as log:
            running = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bot",
                "run",
                *arguments,
                stdout=PIPE,
                stderr=log,
                env={"PATH": os.defpath, **self.environ(), **settings},
            )
        assert running.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = await running.stdout.readline()
        assert b"Ctrl-C stops it" in line, (self.home / "run.log").read_text()
        return running

    @property
    def mention(self) -> str:
        return f"<@{self.playground.app.user.id}>"

    async def says(self, who: str, channel: str, text: str, thread: str = "") -> str:
        """Post as a person; `@Deskmate` in the text is a real mention. Returns the ts."""
        said = text.replace("@Deskmate", self.mention)
        return await self.playground.people.post(who, channel, said, thread_ts=thread)

    def thread(self, channel: str, root: str) -> list[Message]:
        """Everything that stands below a root message, oldest first."""
        return self.playground.channel(channel).replies(root)

    def answers(self, channel: str, root: str) -> list[str]:
        """The texts of the bot in a thread, in order, whole messages only."""
        bot = self.playground.app.user.id
        return [
            shown(message)
            for message in self.thread(channel, root)
            if message.user == bot and not message.is_streaming
        ]

    async def answered(self, channel: str, root: str, count: int = 1) -> list[str]:
        """Wait until the bot has `count` finished messages in a thread; returns their texts."""
        await wait_until(lambda: len(self.answers(channel, root)) >= count, PATIENCE_SECONDS)
        return self.answers(channel, root)

    async def settled(self) -> None:
        """Wait until no turn runs or waits and the bot says nothing more."""
        quiet = 0
        seq = -1
        while quiet < 10:
            await asyncio.sleep(0.03)
            now = self.playground.journal.last_seq
            quiet = quiet + 1 if now == seq else 0
            seq = now

    def asked(self) -> list[dict[str, Any]]:
        """The requests the model got, oldest first."""
        return list(self.model.requests)

    def asked_text(self, index: int = -1) -> str:
        """The newest user message in one of those requests."""
        messages = self.asked()[index]["messages"]
        return str(next(m for m in reversed(messages) if m["role"] == "user")["content"])


def shown(message: Message) -> str:
    """What a person reads in a message: its Markdown, else its text."""
    parts = [str(block["text"]) for block in message.blocks if block.get("type") == "markdown"]
    return "\n\n".join(parts) if parts else message.text


def spoken(text: str) -> str:
    """A text without the invisible characters that make mentions inert."""
    return re.sub("[\u2060\u200b]", "", text)


@asynccontextmanager
async def a_world(
    home: Path, script: str | None = None, slack: Rules | None = None, /, **settings: str
) -> AsyncGenerator[World]:
    """A workspace and a model with a script of its own (YAML), without a bot yet."""
    rules = load_script(script) if script is not None else None
    async with Playground(rules=slack) as playground, RehearsalServer(Rehearsal(rules)) as model:
        try:
            yield World(playground, model, home, settings)
        finally:
            # A bot that was killed leaves its store running; a test leaves nothing.
            if (pid := await store_pid(home)) is not None:
                os.kill(pid, signal.SIGKILL)


async def store_pid(home: Path) -> int | None:
    """The process id of the embedded server that lives in `home`, asked from the server."""
    folder = home / "store"
    try:
        address = folder / "address"
        path = address.read_text().strip() if address.exists() else str(folder / "store.sock")
        password = (folder / "password").read_text().strip()
        async with Store.connect(f"unix://{path}", password) as store:
            found = await store.run_command("INFO", "server")
    except (OSError, StoreUnavailable):
        return None
    return int(found["process_id"])
