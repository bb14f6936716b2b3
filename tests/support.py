"""What tests of every room share: waiting for a fact instead of sleeping, and a first message."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

from harness.models import ChannelId, Incoming, ProjectId, SessionKey, TeamId, UserId

_POLL_SECONDS = 0.01


async def wait_until(
    predicate: Callable[[], bool | Awaitable[bool]], timeout_seconds: float = 5.0
) -> None:
    """Return as soon as `predicate`, plain or async, is true; fail the test after the time."""
    deadline = time.monotonic() + timeout_seconds
    while not await _holds(predicate):
        assert time.monotonic() < deadline, f"not true within {timeout_seconds} s: {predicate}"
        await asyncio.sleep(_POLL_SECONDS)


async def _holds(predicate: Callable[[], bool | Awaitable[bool]]) -> bool:
    answer = predicate()
    return await answer if inspect.isawaitable(answer) else bool(answer)


def an_incoming(
    n: int = 1, *, thread: str = "1.0", channel: str = "C1", **changes: object
) -> Incoming:
    """The nth message of a thread; its channel is its project."""
    return Incoming(
        id=f"{n}.0",
        session=SessionKey(team=TeamId("T1"), channel=ChannelId(channel), thread=thread),
        project=ProjectId(channel),
        user=UserId("U1"),
        text=f"message {n}",
        received_at=float(n),
    ).model_copy(update=changes)
