"""Payloads on their way to an app: over one socket or to its URL, taken in time, or sent again.

Each attempt has its own `envelope_id`; an acknowledgement in time settles the delivery, on
whichever socket it comes. The deadline is on the wall, the retries are on the workspace's clock.
"""

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass

from bot.playground.callbacks import Callbacks
from bot.playground.clock import Clock
from bot.playground.errors import Json
from bot.playground.faults import EVENT_FAULTS, Faults
from bot.playground.ids import Ids
from bot.playground.journal import Journal
from bot.playground.model import App, Delivery, Endpoint
from bot.playground.rules import Rules
from bot.playground.sockets import Switchboard
from bot.playground.traffic import Traffic


@dataclass(slots=True)
class Sent:
    """One envelope that waits for its acknowledgement."""

    delivery: Delivery
    at: float
    deadline: asyncio.TimerHandle


class Deliveries:
    """Sends, waits for the acknowledgement, retries events, gives up in the end."""

    def __init__(
        self,
        clock: Clock,
        ids: Ids,
        journal: Journal,
        faults: Faults,
        board: Switchboard,
        rules: Rules,
    ) -> None:
        self._clock = clock
        self._ids = ids
        self._journal = journal
        self._faults = faults
        self._board = board
        self._rules = rules
        self._waiting: dict[str, Sent] = {}
        self._posts: set[asyncio.Task[None]] = set()
        self._traffic = defaultdict[str, Traffic](lambda: Traffic(rules))
        self.callbacks = Callbacks(rules)
        self._swapped: Delivery | None = None
        self._closed = False
        board.acknowledged = self._acknowledge

    @property
    def waiting(self) -> int:
        """Say how many envelopes have not been acknowledged yet."""
        return len(self._waiting) + len(self._posts)

    def send(self, delivery: Delivery) -> None:
        """Send now, or as the faults in force will have it."""
        fault = self._faults.take(delivery.label, EVENT_FAULTS)
        if fault is None:
            self._attempt(delivery)
        else:
            self._journal.add("fault", target=delivery.label, fault=fault.kind)
            self._misdeliver(delivery, fault.kind, fault.seconds)
        if self._swapped is not None and self._swapped is not delivery:
            late, self._swapped = self._swapped, None
            self._attempt(late)

    def close(self) -> None:
        self._closed = True
        for sent in self._waiting.values():
            sent.deadline.cancel()
        self._waiting.clear()
        for post in self._posts:
            post.cancel()

    def _misdeliver(self, delivery: Delivery, kind: str, seconds: float) -> None:
        if kind == "duplicate":
            self._attempt(delivery)
            self._attempt(delivery)
        elif kind == "retry":
            self._attempt(delivery)
            delivery.attempt += 1
            self._attempt(delivery)
        elif kind == "hold":
            asyncio.get_running_loop().call_later(seconds, self._attempt, delivery)
        elif kind == "swap":
            self._swapped = delivery
        else:
            self._missed(delivery)

    def _attempt(self, delivery: Delivery) -> None:
        if self._closed:
            return
        if delivery.app.endpoint is not None:
            post = asyncio.create_task(self._post(delivery.app.endpoint, delivery))
            self._posts.add(post)
            post.add_done_callback(self._posts.discard)
            return
        line = self._board.pick(delivery.app)
        if line is None:
            self._record("undelivered", delivery, "")
            self._missed(delivery)
            return
        envelope_id = self._ids.uuid()
        deadline = asyncio.get_running_loop().call_later(
            self._rules.ack_seconds, self._late, envelope_id
        )
        self._waiting[envelope_id] = Sent(delivery, time.monotonic(), deadline)
        self._record("delivery", delivery, envelope_id, line=line.number)
        line.send(_envelope(delivery, envelope_id))

    async def _post(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """Try once over HTTP; what the app does not take is missed, as over a socket."""
        if not self._may_post(endpoint, delivery):
            self._record("undelivered", delivery, "")
            return
        envelope_id, started = self._ids.uuid(), time.monotonic()
        self._record("delivery", delivery, envelope_id, line="http")
        outcome = await self.callbacks.post(endpoint, delivery)
        took = round((time.monotonic() - started) * 1000, 3)
        is_event = delivery.kind == "events_api"
        if is_event and self._traffic[delivery.app.id].is_hopeless(
            self._clock.now(), taken=not outcome.reason
        ):
            endpoint.switched_off = True
            self._journal.add("switched_off", app=delivery.app.id)
        if not outcome.reason:
            self._record("ack", delivery, envelope_id, ms=took, known=True)
            self._settle(delivery, outcome.answer)
            return
        self._record("unacknowledged", delivery, envelope_id, reason=outcome.reason)
        delivery.reason = outcome.reason
        self._missed(delivery, final=outcome.final)

    def _may_post(self, endpoint: Endpoint, delivery: Delivery) -> bool:
        """Say whether an app gets this one: not when switched off, nor past the hourly limit."""
        if delivery.kind != "events_api":
            return True
        if endpoint.switched_off:
            return False
        traffic, now = self._traffic[delivery.app.id], self._clock.now()
        limited = delivery.label == "app_rate_limited"
        if limited or delivery.attempt or traffic.has_room(now):
            return True
        if traffic.is_first_refusal(now):
            notice = _rate_limited(delivery, now)
            self._attempt(Delivery(delivery.app, "events_api", "app_rate_limited", notice))
        return False

    def _late(self, envelope_id: str) -> None:
        delivery = self._waiting.pop(envelope_id).delivery
        if not delivery.settled:
            self._record("unacknowledged", delivery, envelope_id)
            self._missed(delivery)

    def _missed(self, delivery: Delivery, *, final: bool = False) -> None:
        delays = self._rules.retry_delays
        if final or delivery.failed is not None or delivery.attempt >= len(delays):
            self._record("gave_up", delivery, "")
            delivery.settled = True
            if delivery.failed:
                delivery.failed()
            return
        delay = delays[delivery.attempt]
        delivery.attempt += 1
        self._clock.call_later(delay, lambda: self._attempt(delivery))

    def _acknowledge(self, app: App, envelope_id: str, payload: Json | None) -> None:
        sent = self._waiting.get(envelope_id)
        if sent is None or sent.delivery.app.id != app.id:
            self._journal.add("ack", envelope_id=envelope_id, app=app.id, known=False)
            return
        del self._waiting[envelope_id]
        sent.deadline.cancel()
        delivery = sent.delivery
        took = round((time.monotonic() - sent.at) * 1000, 3)
        self._record("ack", delivery, envelope_id, ms=took, known=True)
        self._settle(delivery, payload)

    def _settle(self, delivery: Delivery, payload: Json | None) -> None:
        if not delivery.settled:
            delivery.settled = True
            if delivery.answered:
                delivery.answered(payload)

    def _record(self, kind: str, delivery: Delivery, envelope_id: str, **more: object) -> None:
        event: Json = delivery.payload.get("event") or {}
        self._journal.add(
            kind,
            app=delivery.app.id,
            envelope_id=envelope_id,
            envelope=delivery.kind,
            label=delivery.label,
            event_id=delivery.payload.get("event_id"),
            ts=event.get("ts"),
            attempt=delivery.attempt,
            **more,
        )


def _envelope(delivery: Delivery, envelope_id: str) -> Json:
    envelope: Json = {
        "envelope_id": envelope_id,
        "payload": delivery.payload,
        "type": delivery.kind,
        "accepts_response_payload": delivery.kind != "events_api",
    }
    if delivery.kind == "events_api":
        reason = "timeout" if delivery.attempt else ""
        envelope |= {"retry_attempt": delivery.attempt, "retry_reason": reason}
    return envelope


def _rate_limited(delivery: Delivery, now: float) -> Json:
    return {
        "token": "playground",
        "type": "app_rate_limited",
        "team_id": delivery.payload.get("team_id"),
        "minute_rate_limited": int(now // 60) * 60,
        "api_app_id": delivery.app.id,
    }
