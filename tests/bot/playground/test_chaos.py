"""The dial: what goes wrong by chance, and that a level of zero is peace."""

import asyncio
import random

import aiohttp
import pytest

from bot.playground import LEVELS, Playground
from bot.playground.chaos import shake, weather
from tests.bot.playground.clients import listening
from tests.support import wait_until


class Unlucky(random.Random):
    """Dice that always come up badly."""

    def random(self) -> float:
        return 0.0


def test_the_weather_grows_with_the_level_and_ends_at_ten():
    """Each chance is a share of the one at the top; beyond the dial there is nothing."""
    mild, wild = weather(LEVELS["mild"]), weather(LEVELS["wild"])
    assert weather(LEVELS["off"]) == ()
    assert [f.kind for f in mild] == [f.kind for f in wild]
    assert all(m.probability < w.probability for m, w in zip(mild, wild, strict=True))
    with pytest.raises(ValueError, match="0 to 10"):
        weather(11)


async def test_the_dial_strikes_some_calls_and_peace_returns():
    """At ten some of many calls meet a fault; at zero none does."""
    async with Playground() as playground, aiohttp.ClientSession() as http:

        async def call() -> None:
            async with http.get(f"{playground.api_url}api.test") as answer:
                await answer.read()

        playground.set_dial(10)
        await asyncio.gather(*(call() for _ in range(60)), return_exceptions=True)
        struck = len(playground.journal.of("fault"))
        assert 0 < struck < 60
        playground.set_dial(0)
        await asyncio.gather(*(call() for _ in range(20)))
        assert len(playground.journal.of("fault")) == struck


async def test_the_dial_shakes_sockets_loose():
    """Sockets end now and then, as they do in a bad network, and clients come back."""
    async with Playground() as playground, listening(playground):
        (line,) = playground.board.lines
        shaking = asyncio.create_task(shake(playground.board, lambda: 10, Unlucky(1)))
        await wait_until(lambda: line not in playground.board.lines)
        shaking.cancel()
        await asyncio.gather(shaking, return_exceptions=True)
