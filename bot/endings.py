"""How a turn ends that did not end well: kept for later, undelivered, or broken by a bug of ours.

Whatever Slack does meanwhile, the queue hears of the end: a sentence that cannot be posted never
keeps a turn from ending. Neighbour: `turns` (who decides which ending it is).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import structlog

from bot.failures import SlackBusy, SlackFailed, SlackRefused
from bot.health import Metrics
from bot.locale import say
from bot.people import Person
from bot.rooms import Rooms
from harness.errors import ModelUnavailable
from storage.lease import Lease
from storage.queue import Queue

if TYPE_CHECKING:
    from bot.reply import Reply

log = structlog.get_logger()

BACK_OFF_SECONDS = (15.0, 30.0, 60.0, 120.0, 300.0, 600.0)
OPERATOR_BACK_OFF_SECONDS = (60.0, 300.0, 600.0)
SLACK_BACK_OFF_SECONDS = (2.0, 5.0, 15.0, 60.0, 300.0)
GIVE_UP_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Endings:
    """Ends turns; `zone` is the time zone in which times are told."""

    queue: Queue
    rooms: Rooms
    metrics: Metrics
    zone: str
    now: Callable[[], float]

    async def model_unavailable(
        self, lease: Lease, person: Person, reply: "Reply", err: ModelUnavailable
    ) -> None:
        """Say what is wrong and when it is tried again, and put the message back."""
        log.warning("model unavailable", reason=err.reason, attempt=lease.attempt)
        if self._waited(lease) > GIVE_UP_SECONDS:
            await _try_to_say(reply, say(person.locale, "model_gave_up", reason=err.reason))
            await self._put_aside(lease, f"The model did not answer for a day: {err.reason}.")
            return
        steps = OPERATOR_BACK_OFF_SECONDS if err.needs_operator else BACK_OFF_SECONDS
        delay = max(_step(steps, lease.attempt), err.retry_after or 0.0)
        again = datetime.fromtimestamp(self.now(), ZoneInfo(self.zone)) + timedelta(seconds=delay)
        key = "model_refuses" if err.needs_operator else "model_down"
        time = again.strftime("%H:%M %Z")
        await _try_to_say(reply, say(person.locale, key, reason=err.reason, time=time))
        await self.queue.give_back(lease, delay)
        self.metrics.turns.labels("kept").inc()

    async def undelivered(self, lease: Lease, person: Person, err: SlackFailed) -> None:
        """Try again while Slack may take the answer; tell the person directly once it will not."""
        log.warning("answer not delivered", error=str(err), attempt=lease.attempt)
        refused = isinstance(err, SlackRefused)
        if not refused and self._waited(lease) < GIVE_UP_SECONDS:
            asked = err.retry_after if isinstance(err, SlackBusy) else 0.0
            delay = max(_step(SLACK_BACK_OFF_SECONDS, lease.attempt), asked)
            await self.queue.give_back(lease, delay)
            self.metrics.turns.labels("kept").inc()
            return
        reason = err.error if isinstance(err, SlackRefused) else "no answer"
        await self.rooms.tell_undelivered(lease.session, person, reason)
        await self.queue.drop(lease)
        self.metrics.turns.labels("undelivered").inc()

    async def broke(self, lease: Lease, person: Person, reply: "Reply", why: str) -> None:
        """Give the person a reference, and put the turn aside under it; the log says more."""
        await _try_to_say(reply, say(person.locale, "broke", reference=lease.turn))
        await self._put_aside(lease, why)

    async def _put_aside(self, lease: Lease, why: str) -> None:
        """End a turn that an operator should look at: it is kept among the dead letters."""
        log.warning("put aside", reference=lease.turn, why=why)
        await self.queue.bury(lease, why)
        self.metrics.turns.labels("failed").inc()

    def _waited(self, lease: Lease) -> float:
        return self.now() - lease.incoming.received_at


def _step(steps: tuple[float, ...], attempt: int) -> float:
    return steps[min(attempt, len(steps)) - 1]


async def _try_to_say(reply: "Reply", text: str) -> None:
    try:
        await reply.say(text)
    except SlackFailed as err:
        log.warning("could not say it", text=text, error=str(err))
