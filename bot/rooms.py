"""The small gestures in Slack beside an answer: 👀 on what waits, a word to who is refused.

All best-effort: a turn never waits for them and never fails by them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from bot.delivery import Slack, SlackFailed
from bot.locale import say
from bot.people import Person
from harness.models import SessionKey, UserId
from storage.lease import Lease

log = structlog.get_logger()

NOTICE_SECONDS = 3600
WAITED_SECONDS = 1.0
SEEN = "eyes"

Once = Callable[[str, str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Rooms:
    """Gestures; `once(kind, key)` is true the first time in an hour, for all workers together."""

    slack: Slack
    once: Once
    now: Callable[[], float]

    def seen(self, session: SessionKey, ts: str) -> None:
        """Mark a message that waits its turn."""
        self.slack.react(session.channel, ts, SEEN)

    def unsee(self, lease: Lease) -> None:
        """Take the mark away when the turn begins; only a reply that waited can have one."""
        if lease.incoming.id == lease.session.thread:
            return
        if self.now() - lease.incoming.received_at > WAITED_SECONDS:
            self.slack.unreact(lease.session.channel, lease.incoming.id, SEEN)

    def nothing_to_stop(self, session: SessionKey, user: UserId) -> None:
        """Tell a person that nothing runs here."""
        self.slack.whisper(session.channel, user, session.thread, say("en", "nothing_to_stop"))

    async def tell_refused(self, session: SessionKey, person: Person, key: str) -> None:
        """Tell a person once an hour why there is no answer: in the thread, else directly."""
        if not await self.once("refused", f"{session.team}:{person.id}"):
            return
        text = say(person.locale, key)
        try:
            await self.slack.post_ephemeral(session.channel, person.id, session.thread, text)
        except SlackFailed:
            await self._tell_directly(person, text)

    async def tell_undelivered(self, session: SessionKey, person: Person, error: str) -> None:
        """Tell a person directly that Slack takes no answer where they asked."""
        text = say(person.locale, "undelivered", channel=session.channel, error=error)
        await self._tell_directly(person, text)

    async def _tell_directly(self, person: Person, text: str) -> None:
        try:
            await self.slack.post_direct(person.id, text)
        except SlackFailed as err:
            log.info("person not reached", user=person.id, error=str(err))
