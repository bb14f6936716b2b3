"""One message of a reply on its way: new -> unsure -> streaming -> standing -> leaving, or gone.

Is brought to say a text, whatever it said before and whatever got lost on the way, and never posts
a second time what may stand in the thread already. Neighbours: `outlet` (the calls), `entries`
(the ledger), `parts` (which text belongs to which part).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from bot.entries import LEAVING, Entry, digest_of
from bot.failures import SlackBusy, SlackRefused, SlackUnreachable
from bot.markdown import has_table
from bot.outlet import Outlet

State = Literal["new", "unsure", "streaming", "standing", "leaving", "gone"]
Via = Literal["stream", "post"]

THREAD_GONE = frozenset({"thread_not_found", "message_not_found"})
NO_REPLIES = "cannot_reply_to_message"
_FIXED = frozenset({"cant_update_message", "edit_window_closed"})
_TRIES = 4
_BACK_OFF_SECONDS = 0.3
_ARRIVAL_SECONDS = 0.5


class PartFixed(Exception):  # noqa: N818 - reads as the state it names
    """The message stands as it is and can no longer be changed; the rest needs another one."""


class LivePart:
    """One message; `sent` is what it says in Slack, None where that is not known."""

    def __init__(self, outlet: Outlet, entry: Entry) -> None:
        self._outlet = outlet
        self.entry = entry
        self._tried: str | None = None
        self.state = _state_of(entry)
        self.sent: str | None = "" if self.state == "new" else None
        if entry.ts:
            outlet.known.add(entry.ts)

    async def write(self, content: str, *, final: bool, seal: str = "") -> None:
        """Let the message say `content`; `final`: wait for Slack, and seal it.

        `seal` is what the ledger keeps of its place. Raises `SlackFailed`, `LeaseLost`,
        `PartFixed`.
        """
        if self.sent is None and self.entry.says(content):
            self.sent = content
        for tries_left in reversed(range(_TRIES)):
            try:
                await self._bring_to(content, final=final)
                break
            except SlackUnreachable as lost:
                if not (final and tries_left and lost.may_be_done):
                    raise
                await asyncio.sleep(_BACK_OFF_SECONDS)
        if final:
            await self.entry.seal(f"{seal}:{digest_of(content)}")

    async def pause(self) -> None:
        """End the stream, if one is open, without a further word."""
        if self.state == "streaming":
            await self._end_stream()

    async def withdraw(self) -> None:
        """Take the message back: its text has no place in the reply any more.

        The ledger knows of it before: the next worker must not take it for deleted by a person.
        """
        if self.state == "unsure":
            await self._recover()
        await self.pause()
        if self.state == "standing":
            await self.entry.check(LEAVING)
            self.state = "leaving"
        await self._leave()

    async def _leave(self) -> None:
        if self.state == "leaving":
            await self._outlet.delete(self.entry.n, self.entry.ts)
        await self.entry.clear()
        self.state, self.sent = "new", ""

    async def _bring_to(self, content: str, *, final: bool) -> None:
        if self.state == "unsure":
            await self._recover()
        elif self.state == "leaving":
            await self._leave()
        if self.sent == content and not (final and self.state == "streaming"):
            return
        if self.state == "new":
            await self._open(content, final=final)
        elif self.state == "streaming":
            await self._grow(content, final=final)
        elif self.state == "standing":
            await self._edit(content, final=final)

    async def _recover(self) -> None:
        """Find out whether a call whose answer is missing has arrived."""
        streamed = self.entry.record.via == "stream"
        ts = await self._outlet.find(self.entry.n, streamed=streamed)
        if not ts and self._tried is None:
            # The worker before us may have died with the call on its way.
            await asyncio.sleep(_ARRIVAL_SECONDS)
            ts = await self._outlet.find(self.entry.n, streamed=streamed)
        if not ts:
            self.state, self.sent = "new", ""
            return
        await self.entry.opened(ts)
        self._outlet.known.add(ts)
        self.sent = self._tried
        self.state = "streaming" if streamed else "standing"

    async def _open(self, content: str, *, final: bool) -> None:
        outlet, n = self._outlet, self.entry.n
        if not final and outlet.may_stream():
            try:
                await self._send("stream", content, lambda: outlet.start(content))
            except SlackRefused as refused:
                if refused.error in THREAD_GONE or refused.error == NO_REPLIES:
                    raise
                outlet.refuse_streams(refused.error)
            else:
                await self.entry.opened()
                return
        await self._send("post", content, lambda: outlet.post(n, content, patient=final))
        if not final:
            await self.entry.opened()

    async def _send(self, via: Via, content: str, call: Callable[[], Awaitable[str]]) -> None:
        await self.entry.opening(via)
        self.state, self._tried, self.sent = "unsure", content, None
        try:
            self.entry.ts = await call()
        except (SlackBusy, SlackRefused):
            self.state, self.sent = "new", ""
            raise
        except SlackUnreachable as lost:
            if not lost.may_be_done:
                self.state, self.sent = "new", ""
            raise
        self._outlet.known.add(self.entry.ts)
        self.state = "streaming" if via == "stream" else "standing"
        self.sent = content

    async def _grow(self, content: str, *, final: bool) -> None:
        sent = self.sent
        if sent is None or not content.startswith(sent):
            await self._end_stream()
            await self._edit(content, final=final)
            return
        await self.entry.check()
        self.sent = None  # until Slack has answered, nobody knows
        try:
            if final:
                await self._outlet.stop(self.entry.n, self.entry.ts, content[len(sent) :])
            else:
                await self._outlet.append(self.entry.ts, content[len(sent) :])
        except SlackBusy:
            self.sent = sent
            raise
        except SlackRefused as refused:
            self.sent = sent
            await self._after_refusal(refused.error, content, final=final)
            return
        self.sent = content
        if final:
            self.state = "standing"
            if has_table(content):  # only the block is sure to show tables
                self.sent = None
                await self._edit(content, final=True)

    async def _after_refusal(self, error: str, content: str, *, final: bool) -> None:
        """Go on where a stream takes no more: it has run out, was stopped, or is gone."""
        if error == "message_not_found":
            self.state = "gone"
            return
        if error == "stopped_by_user":
            self.state, self._outlet.stopped = "standing", True
            if not final:
                return
        elif error == "message_not_in_streaming_state":
            self.state, self.sent = "standing", None
        else:
            await self._end_stream()
        await self._edit(content, final=final)

    async def _end_stream(self) -> None:
        await self.entry.check()
        self.state = "standing"
        try:
            await self._outlet.stop(self.entry.n, self.entry.ts)
        except SlackRefused as refused:
            if refused.error == "stopped_by_user":
                self._outlet.stopped = True
            elif refused.error == "message_not_found":
                self.state = "gone"
        except (SlackBusy, SlackUnreachable):
            self.state = "streaming"
            raise

    async def _edit(self, content: str, *, final: bool) -> None:
        if self.state == "gone" or content == self.sent:
            return
        await self.entry.check()
        sent, self.sent = self.sent, None
        try:
            await self._outlet.update(self.entry.n, self.entry.ts, content, patient=final)
        except SlackBusy:
            self.sent = sent
            raise
        except SlackRefused as refused:
            self.sent = sent
            if refused.error == "streaming_state_conflict":
                self.state = "streaming"
                raise SlackUnreachable("chat.update", may_be_done=True) from refused
            if refused.error not in {*_FIXED, "message_not_found"}:
                raise
            self.state = "gone"  # what somebody deleted does not come back
            if refused.error in _FIXED:
                raise PartFixed from refused
            return
        self.sent = content


def _state_of(entry: Entry) -> State:
    record = entry.record
    if not entry.is_written or (record.state == "sealed" and not record.ts):
        return "new"
    if record.digest == LEAVING:
        return "leaving"
    if not record.ts:
        return "unsure"
    return "streaming" if record.via == "stream" and record.state == "open" else "standing"
