"""A running playground, and slack_sdk pointed at it."""

from collections.abc import AsyncIterator

import pytest

from bot.playground import Clock, Playground, Rules
from tests.bot.playground.clients import Api


@pytest.fixture
async def playground() -> AsyncIterator[Playground]:
    """Give a playground whose clock stands still: what takes minutes takes an `advance`."""
    rules = Rules(file_seconds=0.0, rate_limits=False)
    async with Playground(clock=Clock(scale=0), rules=rules) as running:
        yield running


@pytest.fixture
def api(playground: Playground) -> Api:
    return Api(playground)


@pytest.fixture
def channel(playground: Playground) -> str:
    """Give the id of #api."""
    return playground.channel("api").id
