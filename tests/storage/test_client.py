"""The connection itself: what a command does to the task that waits for it."""

import asyncio

from storage.client import Store


async def test_a_cancelled_command_ends_its_task(store: Store):
    """The library's own time-out on writes loses a cancellation on Python 3.11; ours must not."""

    async def for_ever() -> None:
        while True:
            await store.ping()

    for steps in range(1, 40):
        task = asyncio.create_task(for_ever())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task}, timeout=1)
        assert task.cancelled()
