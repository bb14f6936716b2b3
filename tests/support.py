"""What tests of every room share: waiting for a fact instead of sleeping."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

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
