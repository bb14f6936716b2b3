"""Rate tiers: bursts pass, floods get 429 with a Retry-After that is enough."""

from typing import Any

from slack_sdk.errors import SlackApiError

from bot.playground import Clock, Playground, Rules
from bot.playground.rates import PER_MINUTE, Rates
from tests.bot.playground.clients import Api


async def test_a_burst_in_one_channel_is_tolerated_and_a_flood_is_not() -> None:
    """About one post a second and channel, ten at once; other channels are free to go on."""
    async with Playground(clock=Clock(scale=0)) as playground:
        api = Api(playground)
        channel, other = playground.channel("api").id, playground.channel("web").id
        for _ in range(10):
            await api("chat.postMessage", channel=channel, text="x")

        assert await api.refused("chat.postMessage", channel=channel, text="x") == "ratelimited"
        await api("chat.postMessage", channel=other, text="x")
        playground.workspace.clock.advance(1)
        await api("chat.postMessage", channel=channel, text="x")


async def test_the_refusal_is_http_429() -> None:
    """With a Retry-After in whole seconds of the wall."""
    async with Playground(clock=Clock(scale=10)) as playground:
        api = Api(playground)
        for _ in range(10):
            await api("apps.connections.open", app_token=playground.app_token)
        try:
            await api("apps.connections.open", app_token=playground.app_token)
        except SlackApiError as error:
            refused: Any = error.response  # pyright: ignore[reportUnknownMemberType] - untyped SDK
            assert refused.status_code == 429
            assert 5 <= int(refused.headers["Retry-After"]) <= 6
        else:
            raise AssertionError("tier 1 did not refuse")


async def test_the_switch(channel: str) -> None:
    """Without rate limits nothing is refused."""
    async with Playground(rules=Rules(rate_limits=False), clock=Clock(scale=0)) as playground:
        api = Api(playground)
        for _ in range(30):
            await api("chat.postMessage", channel=channel, text="x")


async def test_waiting_as_told_is_enough() -> None:
    """After the wait that was named the call goes through, in every tier."""
    clock = Clock(scale=0)
    rates = Rates(clock)
    for tier in PER_MINUTE:
        wait = 0.0
        while not wait:
            wait = rates.wait(tier, "m")
        clock.advance(wait + 1e-6)
        assert rates.wait(tier, "m") == 0.0
