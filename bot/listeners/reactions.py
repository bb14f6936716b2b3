"""Reactions: 🛑 on a message of a running turn stops it; no other reaction means anything yet."""

from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot import words
from bot.gateway.ingress import Ingress
from bot.health import Metrics
from bot.listeners.wiring import on_event
from harness.models import ChannelId, SessionKey, UserId

ThreadOf = Callable[[ChannelId, str], Awaitable[SessionKey | None]]


def register(app: AsyncApp, ingress: Ingress, thread_of: ThreadOf, metrics: Metrics) -> None:
    async def on_reaction(event: dict[str, Any]) -> None:
        metrics.events.labels(event["type"]).inc()
        item: dict[str, Any] = event.get("item") or {}
        name = str(event.get("reaction")).partition("::")[0]
        if item.get("type") != "message" or name not in words.STOP_REACTIONS:
            return
        # The event names no thread, so Slack is asked; it is rare enough.
        session = await thread_of(ChannelId(str(item["channel"])), str(item["ts"]))
        if session is not None:
            said = str(event.get("event_ts") or "")
            await ingress.stop(session, UserId(str(event["user"])), said=said)

    on_event(app, "reaction_added", on_reaction)
