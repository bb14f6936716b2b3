"""The calls by which one part of a reply reaches its thread: post, stream, change, take back, find.

Every call names the channel and thread of its target and marks the message, so that it can be
recognised when Slack's answer got lost. Neighbours: `part` (which call when), `delivery` (how).
"""

from dataclasses import replace
from functools import partial

import structlog

from bot.delivery import Json, Slack
from bot.failures import NOT_HERE, SlackRefused
from bot.locale import say
from bot.lookup import Lookup, Target, mark
from bot.markdown import plain

log = structlog.get_logger()

_UNFIT = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_blocks_too_many",
        "msg_too_long",
    }
)
_SECTION_CHARS = 2_900


class Outlet:
    """One target, and what is known of it: whether it takes streams, which messages are ours.

    `known` are the ts of its messages, `opened` counts new ones; `stopped` is set once a person
    has stopped a stream.
    """

    def __init__(self, slack: Slack, target: Target) -> None:
        self._slack = slack
        self.target = target
        self._streams = True
        self.known: set[str] = set()
        self.opened = 0
        self.stopped = False

    def may_stream(self) -> bool:
        """Tell whether a stream can be opened here and now."""
        ready = self._slack.pacing.delay("chat.startStream") <= 0
        return self._streams and self._slack.streams and bool(self.target.thread_ts) and ready

    def refuse_streams(self, error: str) -> None:
        """Go on without streams: for good where Slack has none, else for this reply."""
        self._streams = False
        if error in NOT_HERE:
            self._slack.streams = False

    def leave_thread(self) -> None:
        """Go on in the channel: nothing can be said under the message that is answered."""
        self.target = replace(self.target, thread_ts="")

    async def post(self, n: int, content: str, *, patient: bool) -> str:
        """Post a part and return its ts; in a thread that is gone nothing stays behind."""
        target = self.target
        said = {"channel": target.channel, "thread_ts": target.thread_ts or None}
        said |= {"unfurl_links": False, "unfurl_media": False, "metadata": mark(self.target, n)}
        answer = await self._say("chat.postMessage", said, content, patient=patient)
        ts = str(answer["ts"])
        posted: Json = answer.get("message") or {}
        if target.thread_ts and not posted.get("thread_ts"):
            # Slack puts a reply to a deleted message into the channel without a word.
            await self.delete(n, ts)
            raise SlackRefused("chat.postMessage", "thread_not_found")
        self.opened += 1
        self._slack.signs.posted(target.channel, target.thread_ts)
        return ts

    async def start(self, content: str) -> str:
        """Open a stream with its first text and return its ts."""
        target = self.target
        said: Json = {"channel": target.channel, "thread_ts": target.thread_ts}
        if not target.is_dm:
            said |= {"recipient_user_id": target.user, "recipient_team_id": target.user_team}
        said["markdown_text"] = content
        answer = await self._slack.call_now("chat.startStream", said)
        self.opened += 1
        return str(answer["ts"])

    async def append(self, ts: str, text: str) -> None:
        """Add text to an open stream, if the pace allows it now."""
        said = {"channel": self.target.channel, "ts": ts, "markdown_text": text}
        await self._slack.call_now("chat.appendStream", said)

    async def stop(self, n: int, ts: str, text: str = "") -> None:
        """End a stream, with its last text."""
        said = {"channel": self.target.channel, "ts": ts, "markdown_text": text or None}
        said |= {"metadata": mark(self.target, n)}
        await self._slack.call("chat.stopStream", said, repeatable=not text)

    async def update(self, n: int, ts: str, content: str, *, patient: bool) -> None:
        """Let a message say something else."""
        said = {"channel": self.target.channel, "ts": ts, "metadata": mark(self.target, n)}
        await self._say("chat.update", said, content, patient=patient)

    async def delete(self, n: int, ts: str) -> None:
        """Take a message back; one that is gone is fine, one that must stay says so."""
        said = {"channel": self.target.channel, "ts": ts}
        try:
            await self._slack.call("chat.delete", said, repeatable=True)
        except SlackRefused as refused:
            if refused.error == "message_not_found":
                return
            log.warning("delete refused", error=refused.error)
            await self.update(n, ts, say(self.target.lang, "part_moved"), patient=True)

    async def find(self, n: int, *, streamed: bool) -> str:
        """Look up a part whose ts is not known; empty if it never arrived."""
        read = partial(self._slack.call, repeatable=True)
        lookup = Lookup(read, self._slack.bot_user)
        return await lookup.find(self.target, n, streamed=streamed, known=self.known)

    async def _say(self, method: str, said: Json, content: str, *, patient: bool) -> Json:
        """Say it as Markdown; in plain sections where Slack does not take that."""
        said = said | {"text": plain(content)}
        blocks: list[Json] = [{"type": "markdown", "text": content}]
        try:
            return await self._call(method, said | {"blocks": blocks}, patient=patient)
        except SlackRefused as refused:
            if refused.error not in _UNFIT:
                raise
            log.warning("markdown refused", method=method, error=refused.error)
        return await self._call(method, said | {"blocks": _sections(content)}, patient=patient)

    async def _call(self, method: str, said: Json, *, patient: bool) -> Json:
        if method == "chat.update":
            if patient:  # the last edit waits for nothing but Slack's own word
                return await self._slack.call(
                    method, said, key=said["ts"], repeatable=True, urgent=True
                )
            return await self._slack.call_now(method, said, key=said["ts"])
        call = self._slack.call if patient else self._slack.call_now
        return await call(method, said, key=self.target.channel)


def _sections(content: str) -> list[Json]:
    starts = range(0, len(content), _SECTION_CHARS)
    texts = (content[start : start + _SECTION_CHARS] for start in starts)
    return [{"type": "section", "text": {"type": "plain_text", "text": text}} for text in texts]
