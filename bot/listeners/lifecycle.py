"""The native Stop button, and the catch-all that acknowledges what nobody listens to."""

import re
from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.gateway.ingress import Ingress
from bot.health import Metrics
from bot.listeners.wiring import on_event
from harness.models import ChannelId, SessionKey, UserId


def register(app: AsyncApp, ingress: Ingress, metrics: Metrics) -> None:
    async def on_session_stopped(event: dict[str, Any]) -> None:
        metrics.events.labels(event["type"]).inc()
        session = SessionKey(
            team=ingress.me.team,
            channel=ChannelId(str(event["channel"])),
            thread=str(event["thread_ts"]),
        )
        said = str(event.get("event_ts") or "")
        await ingress.stop(session, UserId(str(event["user"])), said=said)

    async def on_anything(event: dict[str, Any]) -> None:
        metrics.events.labels(str(event.get("type"))).inc()

    on_event(app, "agent_session_stopped", on_session_stopped)
    # An event without a listener is not acknowledged and comes again three times.
    on_event(app, re.compile(".*"), on_anything)
