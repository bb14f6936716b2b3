"""Messages and mentions: both twins of a mention come through here, in either order."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.gateway.heard import Heard
from bot.gateway.ingress import Ingress
from bot.health import Metrics
from bot.listeners.wiring import on_event


def register(app: AsyncApp, ingress: Ingress, heard: Heard, metrics: Metrics) -> None:
    async def on_message(event: dict[str, Any], body: dict[str, Any]) -> None:
        metrics.events.labels(event["type"]).inc()
        accepted = await ingress.message(event, str(body["event_id"]))
        heard.note(event, accepted)

    on_event(app, "message", on_message)
    on_event(app, "app_mention", on_message)
