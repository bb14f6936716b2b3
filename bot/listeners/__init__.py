"""Slack's surfaces, one file each; this is their table of contents.

A listener decides nothing by itself: it hands the event to the one door behind it. Bolt runs it to
its end before the event is acknowledged, and a failure leaves the event unacknowledged.
"""

from dataclasses import dataclass

from slack_bolt.app.async_app import AsyncApp

from bot.gateway.ingress import Ingress
from bot.health import Metrics
from bot.listeners import commands, lifecycle, messages, reactions
from bot.listeners.reactions import ThreadOf


@dataclass(frozen=True, slots=True)
class Doors:
    """What the listeners lead to."""

    ingress: Ingress
    thread_of: ThreadOf
    metrics: Metrics


def register(app: AsyncApp, doors: Doors) -> None:
    """Tell Bolt who listens to what; the catch-all comes last."""
    messages.register(app, doors.ingress, doors.metrics)
    reactions.register(app, doors.ingress, doors.thread_of, doors.metrics)
    commands.register(app)
    lifecycle.register(app, doors.ingress, doors.metrics)
