"""The store and what waits in it: durable, never evicting, moving, no letters that nobody reads."""

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from bot.doctor.findings import Finding, fail, ok, warn
from bot.readiness import STUCK_QUEUE_SECONDS
from harness.errors import StoreUnavailable
from storage.client import Store, StoreReport
from storage.lease import DeadLetter
from storage.queue import QueueDepth

STORE, QUEUE = "store", "queue"
MOST_LETTERS = 3


async def fsync_policy(store: Store) -> str:
    """Return how often the store's file reaches the disk; "" where it does not tell."""
    with suppress(StoreUnavailable):
        found = cast("dict[str, str]", await store.run_command("CONFIG", "GET", "appendfsync"))
        return str(found.get("appendfsync", ""))
    return ""


def check_report(report: StoreReport, where: str, fsync: str) -> list[Finding]:
    """Judge what the store says of itself."""
    name = f"{report.product} {report.version} at {where}"
    return [ok(STORE, f"{name} answers"), _durability(report, fsync), _eviction(report)]


def _durability(report: StoreReport, fsync: str) -> Finding:
    if not report.aof:
        return fail(
            STORE,
            "Its append-only file is off, so a restart loses what was accepted",
            "Set appendonly yes.",
        )
    if fsync in {"everysec", "no"}:
        return warn(
            STORE,
            f"It writes to disk with appendfsync {fsync}, so a power cut may lose the last second",
            "Set appendfsync always.",
        )
    return ok(STORE, "Its append-only file is on" + (f" (appendfsync {fsync})" if fsync else ""))


def _eviction(report: StoreReport) -> Finding:
    if report.eviction != "noeviction":
        return fail(
            STORE,
            f"It throws keys away when it is full ({report.eviction})",
            "Set maxmemory-policy noeviction.",
        )
    return ok(STORE, f"It evicts nothing; {report.used_bytes // 1024**2} MB are in use")


def check_queue(depth: QueueDepth, letters: Sequence[DeadLetter]) -> list[Finding]:
    """Judge whether the queue moves, and name what left it unanswered."""
    found = [_movement(depth)]
    if letters:
        shown = "; ".join(
            f"{each.id} in {each.session}: {each.why}" for each in letters[-MOST_LETTERS:]
        )
        more = f" and {len(letters) - MOST_LETTERS} more" if len(letters) > MOST_LETTERS else ""
        found.append(
            warn(
                QUEUE,
                f"{len(letters)} could not be answered ({shown}{more})",
                "The log of that time says why; ask again in the thread.",
            )
        )
    return found


def _movement(depth: QueueDepth) -> Finding:
    if depth.waiting and depth.oldest_seconds > STUCK_QUEUE_SECONDS:
        return fail(
            QUEUE,
            f"A message has waited {depth.oldest_seconds:.0f} s and no worker takes it",
            "Start one: deskmate run, or deskmate run --role worker.",
        )
    counts = f"{depth.running} running, {depth.waiting} waiting, {depth.delayed} to be tried again"
    return ok(QUEUE, f"It moves: {counts}")
