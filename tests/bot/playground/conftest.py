"""A running playground, and clients nobody here wrote, over real sockets."""

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground


@pytest.fixture
async def playground() -> AsyncIterator[Playground]:
    async with Playground() as running:
        yield running


@pytest.fixture
def client(playground: Playground) -> AsyncWebClient:
    return AsyncWebClient(token=playground.bot_token, base_url=playground.api_url)
