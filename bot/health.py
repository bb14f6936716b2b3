"""Health, readiness and metrics over HTTP, on the one address that listens.

`/healthz`: the process runs. `/readyz`: store, Slack connection and queue are in order, else 503
with the reasons; `notes` are for an operator, and cost no readiness. `/metrics`: Prometheus text.
"""

from typing import Protocol

from aiohttp import web
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.settings import HttpAddress


class Condition(Protocol):
    """What the pages ask: `reasons` why not ready, `notes` besides, `refresh` of the gauges."""

    async def reasons(self) -> list[str]: ...

    async def notes(self) -> list[str]: ...

    async def refresh(self) -> None: ...


class Metrics:
    """The counters of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.turns = Counter(
            "deskmate_turns", "Turns by how they ended", ["outcome"], registry=self.registry
        )
        self.turn_seconds = Histogram(
            "deskmate_turn_seconds",
            "From the event to the end of the turn",
            buckets=(0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900),
            registry=self.registry,
        )
        self.tokens = Counter(
            "deskmate_tokens", "Model tokens by direction", ["direction"], registry=self.registry
        )
        self.events = Counter(
            "deskmate_slack_events", "Slack events by type", ["type"], registry=self.registry
        )
        self.queue = Gauge(
            "deskmate_queue", "Messages in the queue by state", ["state"], registry=self.registry
        )
        self.missed = Counter(
            "deskmate_missed_messages",
            "Turns begun by messages read after an outage",
            registry=self.registry,
        )
        self.reconnects = Gauge(
            "deskmate_slack_reconnects", "Socket replacements", registry=self.registry
        )


class HealthServer:
    """Serves the three pages."""

    def __init__(self, metrics: Metrics, condition: Condition) -> None:
        self._metrics = metrics
        self._condition = condition
        self._runner: web.AppRunner | None = None
        self.port: int | None = None

    async def start(self, address: HttpAddress) -> None:
        """Listen. Raises `OSError` if the address is taken or not ours."""
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._metrics_page)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, address.host, address.port).start()
        self.port = self._runner.addresses[0][1]

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _healthz(self, _: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async def _readyz(self, _: web.Request) -> web.Response:
        reasons = await self._condition.reasons()
        body: dict[str, bool | list[str]] = {"ok": not reasons, "reasons": reasons}
        if notes := await self._condition.notes():
            body["notes"] = notes
        return web.json_response(body, status=503 if reasons else 200)

    async def _metrics_page(self, _: web.Request) -> web.Response:
        await self._condition.refresh()
        return web.Response(
            body=generate_latest(self._metrics.registry),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )
