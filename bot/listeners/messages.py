"""Messages and mentions: both twins of a mention come through here, in either order."""

from typing import TYPE_CHECKING, Any

from slack_bolt.app.async_app import AsyncApp

from bot.gateway.ingress import Ingress
from bot.health import Metrics
from bot.listeners.wiring import on_event
from harness.errors import StoreUnavailable

if TYPE_CHECKING:
    from bot.gateway.backfill import Backfill


def register(app: AsyncApp, ingress: Ingress, backfill: "Backfill", metrics: Metrics) -> None:
    async def on_message(event: dict[str, Any], body: dict[str, Any]) -> None:
        metrics.events.labels(event["type"]).inc()
        try:
            accepted = await ingress.message(event, str(body["event_id"]))
        except StoreUnavailable:
            # Not acknowledged, so Slack sends it again; but only a few times.
            backfill.gap()
            raise
        backfill.note(event, accepted)

    on_event(app, "message", on_message)
    on_event(app, "app_mention", on_message)
