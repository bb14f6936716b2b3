"""Reading threads: what was said before, by whom, and how far each of them is trusted.

The thread is read from Slack once, when the bot enters it in the middle; later only what was said
past the bot is told, from the queue's own record. Neighbours: `reading` (text), `people`, `access`.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot import reading
from bot.access import judge
from bot.gateway.ingress import Identity
from bot.people import People, Person
from harness.context import Said, Trust
from harness.models import Aside, ChannelId, SessionKey

# What an entered thread may take of the prompt; the middle of a longer one is left out, and said.
BUDGET_CHARS = 12_000
HEAD_MESSAGES = 5

Replies = Callable[[str, str], Awaitable[Sequence[dict[str, Any]]]]


@dataclass(frozen=True, slots=True)
class Threads:
    """Reads threads; `replies(channel, ts)` gives a thread's messages as Slack has them."""

    replies: Replies
    people: People
    me: Identity

    async def session_of(self, channel: ChannelId, ts: str) -> SessionKey | None:
        """Return the session of any message in a thread, or None if there is no such message."""
        found = [m for m in await self.replies(channel, ts) if m.get("ts")]
        if not found:
            return None
        thread = str(found[0].get("thread_ts") or found[0]["ts"])
        return SessionKey(team=self.me.team, channel=channel, thread=thread)

    async def said_before(self, session: SessionKey, ts: str) -> tuple[Said, ...]:
        """Return what stands in the thread before message `ts`, within the budget."""
        messages = await self.replies(session.channel, session.thread)
        before = [m for m in messages if float(m["ts"]) < float(ts)]
        return _within_budget([await self._said(m) for m in before])

    async def asides(self, asides: Iterable[Aside]) -> tuple[Said, ...]:
        """Return what was said past us since the last turn."""
        told = [
            await self._said({"user": aside.user, "text": aside.text, "ts": aside.ts})
            for aside in asides
        ]
        return _within_budget(told)

    async def text(self, text: str) -> str:
        """Return a person's words as a model reads them; unknown people keep their id."""
        for user in reading.mentioned_users(text):
            await self._known(user)
        return reading.readable(text, self._name)

    def _name(self, user: str) -> str | None:
        return self.me.name if user == self.me.user else self.people.name(user)

    async def _said(self, message: dict[str, Any]) -> Said:
        text = await self.text(reading.message_text(message))
        names = ", ".join(file.name for file in reading.files_of(message))
        if names:
            text = f"{text}\n(files: {names})".strip()
        if message.get("user") == self.me.user:
            return Said(who=self.me.name, text=text, trust="bot")
        if message.get("bot_id") or not message.get("user"):
            name = str(message.get("username") or message.get("bot_id") or "somebody")
            return Said(who=name, text=text, trust="outside")
        person = await self._known(str(message["user"]))
        if person is None:
            return Said(who=str(message["user"]), text=text, trust="outside")
        return Said(who=person.name, text=text, trust=self._trust(person))

    async def _known(self, user: str) -> Person | None:
        """Ask who someone is; who cannot be looked up counts as outside, never as a member."""
        if user == self.me.user:
            return None
        try:
            return await self.people.get(user)
        except LookupError:
            return None

    def _trust(self, person: Person) -> Trust:
        if person.is_guest:
            return "guest"
        return "member" if judge(person, home=self.me.team, allowed_users=()).allowed else "outside"


def _within_budget(said: list[Said]) -> tuple[Said, ...]:
    """Keep the first messages and as many of the newest as fit; say how many were left out."""
    total = 0
    kept_newest: list[Said] = []
    head = said[:HEAD_MESSAGES]
    room = BUDGET_CHARS - sum(len(s.text) for s in head)
    for one in reversed(said[HEAD_MESSAGES:]):
        total += len(one.text)
        if total > room:
            break
        kept_newest.append(one)
    left_out = len(said) - len(head) - len(kept_newest)
    gap = Said(who="Deskmate", text=f"({left_out} messages left out here)", trust="bot")
    return (*head, *([gap] if left_out else []), *reversed(kept_newest))
