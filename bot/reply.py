"""The answer to one turn as people see it: status, growing text, parts, and a clean end.

`show` only takes note of an event; one task beside it sends, so that the agent never waits for
Slack. Neighbours: `draft` (the text), `parts` (the messages), `signs` (the status line).
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from bot.delivery import Slack
from bot.draft import Draft
from bot.failures import SlackBusy, SlackFailed, SlackRefused, SlackUnreachable
from bot.locale import say
from bot.lookup import Target
from bot.markdown import plain
from bot.outlet import Outlet
from bot.part import NO_REPLIES, THREAD_GONE
from bot.parts import Parts
from bot.timing import Pace, Timing
from harness.errors import LeaseLost, StoreUnavailable
from harness.events import Event, StepStarted, TextStarted, TextStreamed, ToolStarted, TurnFinished
from storage.ledger import Ledger

__all__ = ["Pace", "Reply", "Target"]

log = structlog.get_logger()

STATUS_CHARS = 120
CLOSE_SECONDS = 2.0


class Reply:
    """One turn's reply; resumes what an earlier attempt at the turn has left in the thread.

    `on_stop` is called once if Slack says that a person has stopped the stream. To be closed.
    """

    def __init__(
        self,
        slack: Slack,
        ledger: Ledger,
        target: Target,
        *,
        may_ping: frozenset[str] = frozenset(),
        pace: Pace | None = None,
        on_stop: Callable[[], None] | None = None,
    ) -> None:
        self._signs = slack.signs
        self._target = target
        self._on_stop = on_stop
        self._outlet = Outlet(slack, target)
        self._pace = pace or Pace()
        self._parts = Parts(self._outlet, ledger, self._pace)
        self._draft = Draft(may_ping)
        self._timing = Timing(self._pace)
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._flusher: asyncio.Task[None] | None = None
        self._doing = ""
        self._has_words = False
        self._is_over = False

    @property
    def is_quiet(self) -> bool:
        """Nothing that could be shown now waits, or is on its way."""
        return not self._timing.has_news and not self._lock.locked()

    async def show(self, event: Event) -> None:
        """Take note of what happens in the turn. Raises `LeaseLost`, `StoreUnavailable`."""
        await self._open()
        lang = self._target.lang
        if isinstance(event, StepStarted):
            self._status(say(lang, "status_thinking"))
        elif isinstance(event, ToolStarted):
            self._draft.complete()
            self._timing.text_came()
            self._status(say(lang, "status_tool", label=plain(event.label, STATUS_CHARS)))
        elif isinstance(event, TextStarted):
            self._draft.begin(event.step)
        elif isinstance(event, TextStreamed):
            self._draft.add(event.text)
            self._has_words = True
            self._timing.text_came()
        self._wake.set()

    async def finish(self, finished: TurnFinished) -> None:
        """Deliver all that the turn said, at once. Raises `SlackFailed`, `LeaseLost`."""
        await self._open()
        self._draft.settle(finished.text)
        if finished.note:
            ours = finished.outcome == "no_answer"
            self._draft.note(say(self._target.lang, "no_answer") if ours else finished.note)
        await self._deliver()

    async def say(self, text: str) -> None:
        """Add one plain sentence of our own and deliver all. Raises `SlackFailed`, `LeaseLost`."""
        await self._open()
        self._draft.note(text)
        await self._deliver()

    async def close(self) -> None:
        """End what is under way, without a word; what is undelivered waits for the next attempt."""
        if self._flusher is None:
            return
        self._flusher.cancel()
        await asyncio.gather(self._flusher, return_exceptions=True)
        self._flusher = None
        if self._is_over:
            return
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._parts.pause()
        except LeaseLost:
            return
        except (SlackFailed, StoreUnavailable, TimeoutError) as err:
            log.debug("stream left open", error=str(err))
        self._status("")
        if self._timing.session_shown:
            self._signs.session(self._target.channel, self._target.thread_ts, "active")

    async def _open(self) -> None:
        """Begin with the first event; later, say what ended the sending beside us."""
        if self._flusher is None:
            self._status(say(self._target.lang, "status_thinking"))
            await self._parts.load()
            self._flusher = asyncio.create_task(self._keep_flushing())
        elif self._flusher.done():
            self._flusher.result()

    def _status(self, text: str) -> None:
        """Say what goes on; words that came after it make it stale."""
        self._doing = text
        self._has_words = False
        if not self._is_over:
            self._signs.status(self._target.channel, self._target.thread_ts, text)

    async def _deliver(self) -> None:
        async with self._lock:
            if self._is_over:
                return
            try:
                await self._deliver_all()
            except LeaseLost:
                self._is_over = True
                raise
            finally:
                self._timing.flushed()

    async def _deliver_all(self) -> None:
        try:
            await self._parts.deliver(self._draft.text(), final=True)
        except SlackRefused as refused:
            if refused.error == NO_REPLIES:
                self._outlet.leave_thread()
                self._draft.lead(say(self._target.lang, "detached"))
                await self._parts.deliver(self._draft.text(), final=True)
            elif _is_gone(refused):
                log.info("the thread is gone", channel=self._target.channel)
                self._is_over = True
            else:
                raise

    async def _keep_flushing(self) -> None:
        """Send what is new, at our pace, until `close`."""
        while True:
            if self._timing.is_session_due():
                self._signs.session(self._target.channel, self._target.thread_ts, "processing")
            wait = self._timing.wait(self._parts.rotate_at)
            if wait is not None and wait <= 0:
                await self._flush()
                continue
            self._wake.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake.wait()

    async def _flush(self) -> None:
        async with self._lock:
            wait = self._timing.wait(self._parts.rotate_at)
            if self._is_over or wait is None or wait > 0:
                return  # the end came first
            shown = self._outlet.opened
            self._timing.flushed()
            await self._preview()
            if self._has_words:
                self._status("")
            elif self._outlet.opened > shown:
                self._status(self._doing)  # Slack cleared it with the new message
            if self._outlet.stopped:
                self._timing.give_up()
                if self._on_stop is not None:
                    self._on_stop()

    async def _preview(self) -> None:
        try:
            await self._parts.deliver(self._draft.text(), final=False)
        except SlackBusy as busy:
            self._timing.hold(busy.retry_after)
        except SlackUnreachable:
            self._timing.hold(self._pace.pause)
        except SlackRefused as refused:
            # The last word is tried all the same, and says what is wrong.
            self._timing.give_up()
            log.warning("preview refused", error=refused.error)
        except LeaseLost:
            self._is_over = True
            raise


def _is_gone(refused: SlackRefused) -> bool:
    """Tell whether the thread is gone: then there is nobody to answer and nothing more to say."""
    return refused.error in THREAD_GONE and refused.method != "chat.update"
