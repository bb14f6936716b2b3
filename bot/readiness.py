"""Whether this process is in order, for `/readyz`; the gauges of `/metrics` are set here too."""

from bot.gateway.socket_mode import SocketGateway
from bot.health import Metrics
from harness.errors import StoreUnavailable
from storage.dead_letters import DeadLetters
from storage.queue import Queue, QueueDepth

STALE_SOCKET_SECONDS = 60.0
STUCK_QUEUE_SECONDS = 60.0


class Readiness:
    """Looks at the store, the queue, and Slack's connection where this process has one."""

    def __init__(
        self, queue: Queue, letters: DeadLetters, gateway: SocketGateway | None, metrics: Metrics
    ) -> None:
        self._queue = queue
        self._letters = letters
        self._gateway = gateway
        self._metrics = metrics

    async def reasons(self) -> list[str]:
        """Return why this process is not ready, one sentence each; empty means ready."""
        found = _deafness(self._gateway) if self._gateway is not None else []
        try:
            depth = await self._queue.depth()
        except StoreUnavailable as err:
            return [*found, str(err)]
        if depth.waiting and depth.oldest_seconds > STUCK_QUEUE_SECONDS:
            found.append(f"A message has waited {depth.oldest_seconds:.0f} s for a worker.")
        return found

    async def notes(self) -> list[str]:
        """Return what an operator should look at although this process is in order."""
        try:
            letters = await self._letters.all()
        except StoreUnavailable:
            return []
        if not letters:
            return []
        last = letters[-1]
        count = f"{len(letters)} message{'s' if len(letters) > 1 else ''}"
        return [f"Put aside unanswered: {count}, the latest as {last.id}. {last.why} See the log."]

    async def refresh(self) -> None:
        """Set the gauges; a store that does not answer leaves them as they were."""
        if self._gateway is not None:
            self._metrics.reconnects.set(self._gateway.reconnects)
        try:
            depth: QueueDepth = await self._queue.depth()
        except StoreUnavailable:
            return
        for state in ("waiting", "running", "delayed", "parked", "capped", "dead"):
            self._metrics.queue.labels(state).set(getattr(depth, state))


def _deafness(gateway: SocketGateway) -> list[str]:
    heard = gateway.heard_seconds_ago()
    if heard is None:
        return ["No connection to Slack is open."]
    return (
        [f"Nothing was heard from Slack for {heard:.0f} s."] if heard > STALE_SOCKET_SECONDS else []
    )
