"""What is shown beside a reply: the status of a thread and its session, reactions, whispers.

Best effort: nobody waits for them, a failure is a debug line, and per thing shown the latest wish
wins. Who calls Slack for them is passed in (`delivery`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from bot.failures import NOT_HERE, SlackBusy, SlackFailed, SlackRefused

log = structlog.get_logger()

Json = dict[str, Any]
Key = tuple[str, ...]
Send = Callable[[str, Json], Awaitable[None]]

CLOSE_SECONDS = 2.0
# A thread's status changes at most this often: Slack takes about one a second.
STATUS_GAP_SECONDS = 1.0
CLEAR_TRIES = 3
RETRY_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 10.0


class Signs:
    """Signs under way: per key one task, and the wish that comes next."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._wished: dict[Key, tuple[str, Json, int]] = {}
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._on_the_way: set[Key] = set()
        self._shown: set[Key] = set()
        self._gaps: dict[Key, asyncio.Event] = {}
        self._missing: set[str] = set()
        self._is_closing = False

    def put(self, key: Key, method: str, arguments: Json, *, tries: int = 1) -> None:
        """Show something as soon as what `key` shows now is through."""
        self._wished[key] = (method, arguments, tries)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._show(key))

    def status(self, channel: str, thread_ts: str, text: str) -> None:
        """Say in the thread's status line what goes on; empty text clears it, if it shows."""
        key = ("status", channel, thread_ts)
        if not text:
            self._wished.pop(key, None)
            if key not in self._shown:
                return
        self._shown.add(key)
        arguments = {"channel_id": channel, "thread_ts": thread_ts, "status": text}
        tries = 1 if text else CLEAR_TRIES
        self.put(key, "assistant.threads.setStatus", arguments, tries=tries)
        if not text and key in self._gaps:
            self._gaps[key].set()

    def session(self, channel: str, thread_ts: str, status: str) -> None:
        """Set the state of the thread's agent session, out of Slack's closed set."""
        arguments = {"channel_id": channel, "thread_ts": thread_ts, "status": status}
        key = ("session", channel, thread_ts)
        self.put(key, "agents.sessions.setStatus", arguments, tries=CLEAR_TRIES)

    def posted(self, channel: str, thread_ts: str) -> None:
        """Take note that a message was posted: Slack has cleared the status by itself.

        One that is on its way may arrive after the message; it stays on the books.
        """
        key = ("status", channel, thread_ts)
        self._wished.pop(key, None)
        if key not in self._on_the_way:
            self._shown.discard(key)

    async def close(self) -> None:
        """Give what is under way a moment, then let go."""
        self._is_closing = True
        tasks = list(self._tasks.values())
        for gap in self._gaps.values():
            gap.set()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _show(self, key: Key) -> None:
        try:
            while key in self._wished:
                method, arguments, tries = self._wished.pop(key)
                self._on_the_way.add(key)
                try:
                    await self._try(method, arguments, tries)
                finally:
                    self._on_the_way.discard(key)
                if key[0] == "status":
                    await self._after_status(key, is_clear=not arguments["status"])
        finally:
            # In one breath with the last look at the wishes: none is left behind.
            del self._tasks[key]

    async def _after_status(self, key: Key, *, is_clear: bool) -> None:
        """Let a moment pass before the next status; a wish to clear ends it."""
        wished = self._wished.get(key)
        if is_clear and wished is None:
            self._shown.discard(key)
        if is_clear or self._is_closing or (wished is not None and not wished[1]["status"]):
            return
        self._gaps[key] = gap = asyncio.Event()
        try:
            async with asyncio.timeout(STATUS_GAP_SECONDS):
                await gap.wait()
        except TimeoutError:
            pass
        finally:
            del self._gaps[key]

    async def _try(self, method: str, arguments: Json, tries: int) -> None:
        for left in reversed(range(0 if method in self._missing else tries)):
            try:
                await self._send(method, arguments)
            except SlackFailed as failed:
                log.debug("sign failed", method=method, error=str(failed))
                if isinstance(failed, SlackRefused):
                    self._missing |= {method} if failed.error in NOT_HERE else set()
                    return
                if not left:
                    return
                pause = failed.retry_after if isinstance(failed, SlackBusy) else RETRY_SECONDS
                await asyncio.sleep(min(pause, LONGEST_PAUSE_SECONDS))
            else:
                return
