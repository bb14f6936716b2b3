"""Things to say once in a while."""

import asyncio

from storage.client import Store
from storage.notices import once
from tests.support import wait_until


async def test_only_the_first_says_it(store: Store):
    """Of twenty who want to say one thing at once, one does; another thing is another matter."""
    asked = await asyncio.gather(*(once(store, "down", "C1", ttl_seconds=60) for _ in range(20)))
    assert asked.count(True) == 1
    assert await once(store, "down", "C2", ttl_seconds=60)


async def test_again_after_a_while(store: Store):
    """Once the time is over it may be said again."""
    assert await once(store, "down", ttl_seconds=1)
    await wait_until(lambda: once(store, "down", ttl_seconds=1))
