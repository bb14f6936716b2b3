"""Slack's surfaces, one file each; this is their table of contents.

A listener decides nothing by itself: it hands the event to the one door behind it. Bolt runs it to
its end before the event is acknowledged, and a failure leaves the event unacknowledged.
"""

from dataclasses import dataclass

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.gateway.backfill import Backfill
from bot.gateway.ingress import Ingress
from bot.health import Metrics
from bot.listeners import commands, lifecycle, messages, reactions
from bot.listeners.reactions import ThreadOf


@dataclass(frozen=True, slots=True)
class Doors:
    """What the listeners lead to."""

    ingress: Ingress
    backfill: Backfill
    thread_of: ThreadOf
    metrics: Metrics


def bolt(client: AsyncWebClient, doors: Doors) -> AsyncApp:
    """Wire Slack's surfaces; Bolt runs a listener to its end before it acknowledges."""
    me = doors.ingress.me

    async def authorize() -> AuthorizeResult:
        # The preflight has asked already; Bolt by itself would ask again with the first event.
        return AuthorizeResult(
            enterprise_id=None,
            team_id=me.team,
            bot_user_id=me.user,
            bot_id=me.bot,
            bot_token=client.token,
        )

    app = AsyncApp(
        # Without a token of its own: what `authorize` says is the one that counts.
        client=AsyncWebClient(base_url=client.base_url, session=client.session),
        authorize=authorize,
        process_before_response=True,
        ignoring_self_events_enabled=False,
        request_verification_enabled=False,
    )
    _register(app, doors)
    return app


def _register(app: AsyncApp, doors: Doors) -> None:
    """Tell Bolt who listens to what; the catch-all comes last."""
    messages.register(app, doors.ingress, doors.backfill, doors.metrics)
    reactions.register(app, doors.ingress, doors.thread_of, doors.metrics)
    commands.register(app)
    lifecycle.register(app, doors.ingress, doors.metrics)
