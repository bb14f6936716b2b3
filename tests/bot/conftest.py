"""A thread to reply in, for the tests of the outgoing side."""

from collections.abc import AsyncGenerator

import pytest

from storage.client import Store
from tests.bot.scene import Scene, set_scene


@pytest.fixture
async def scene(store: Store) -> AsyncGenerator[Scene]:
    """A thread in #api in which ann has asked."""
    async with set_scene(store) as made:
        yield made
