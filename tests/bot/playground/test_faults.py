"""Faults of calls: what the client sees, and whether Slack did it anyway."""

import time
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Fault, Playground
from bot.playground.faults import CALL_FAULTS, Faults
from bot.playground.ids import Ids
from tests.bot.playground.clients import Api


def texts(playground: Playground) -> list[str]:
    return [message.text for message in playground.channel("api").messages.values()]


async def test_an_error_on_demand(playground: Playground, api: Api, channel: str) -> None:
    """The call is refused with the named error as often as asked, then works."""
    fault = Fault("error", "chat.postMessage", count=2, error="internal_error")
    playground.faults.add(fault)

    refused = [await api.refused("chat.postMessage", channel=channel, text="x") for _ in range(2)]
    await api("chat.postMessage", channel=channel, text="y")

    assert refused == ["internal_error"] * 2
    assert texts(playground) == ["y"]


async def test_a_429_says_how_long(playground: Playground, channel: str) -> None:
    """Status, header and body are those of Slack; the SDK's own retry handler waits and goes on."""
    playground.faults.add(Fault("rate_limited", "chat.postMessage", seconds=1))
    client: Any = AsyncWebClient(
        token=playground.bot_token,
        base_url=playground.api_url,
        retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=1)],
    )
    started = time.monotonic()

    await client.chat_postMessage(channel=channel, text="x")

    first, second = playground.journal.calls("chat.postMessage")
    assert (first["status"], first["error"], second["ok"]) == (429, "ratelimited", True)
    assert time.monotonic() - started >= 1
    assert texts(playground) == ["x"]


async def test_a_5xx(playground: Playground, api: Api, channel: str) -> None:
    """The status is as asked, and nothing was done."""
    playground.faults.add(Fault("status", "chat.postMessage", status=503))

    with pytest.raises(SlackApiError):
        await api("chat.postMessage", channel=channel, text="x")

    assert playground.journal.calls("chat.postMessage")[0]["status"] == 503
    assert texts(playground) == []


async def test_a_lost_response_was_still_done(
    playground: Playground, api: Api, channel: str
) -> None:
    """The caller sees a broken connection; the message is there."""
    playground.faults.add(Fault("lost", "chat.postMessage"))
    api.client.retry_handlers.clear()

    with pytest.raises(aiohttp.ClientError):
        await api("chat.postMessage", channel=channel, text="x")

    assert texts(playground) == ["x"]
    assert playground.journal.calls("chat.postMessage")[0]["ok"]


async def test_a_timeout_does_nothing(playground: Playground, api: Api, channel: str) -> None:
    """Silence, then the end of the connection; nothing was done."""
    playground.faults.add(Fault("timeout", "chat.postMessage", seconds=0.2))
    api.client.retry_handlers.clear()

    with pytest.raises(aiohttp.ClientError):
        await api("chat.postMessage", channel=channel, text="x")

    assert texts(playground) == []


async def test_a_delay_is_only_slow(playground: Playground, api: Api, channel: str) -> None:
    """The call works, later."""
    playground.faults.add(Fault("delay", "chat.postMessage", seconds=0.2))
    started = time.monotonic()

    await api("chat.postMessage", channel=channel, text="x")

    assert time.monotonic() - started >= 0.2


async def test_a_fault_hits_its_method_only(playground: Playground, api: Api, channel: str) -> None:
    """Others go on; `*` means every method."""
    playground.faults.add(Fault("error", "chat.update"))
    await api("chat.postMessage", channel=channel, text="x")
    playground.faults.clear()
    playground.faults.add(Fault("error", "*"))

    assert await api.refused("auth.test") == "internal_error"


@pytest.mark.parametrize(
    ("fault", "hits"),
    [
        (Fault("error", "m", count=2), [True, True, False, False]),
        (Fault("error", "m", skip=2), [False, False, True, False]),
        (Fault("error", "m", count=0), [True, True, True, True]),
        (Fault("error", "m", count=0, probability=0.0), [False] * 4),
    ],
)
def test_counts_and_skips(fault: Fault, hits: list[bool]) -> None:
    """`skip` chances pass, `count` are hit, zero means always."""
    faults = Faults(Ids(1).dice)
    faults.add(fault)

    assert [faults.take("m", CALL_FAULTS) is not None for _ in hits] == hits


def test_probability_repeats_with_the_seed() -> None:
    """The same seed gives the same hits; about as many as asked."""

    def hits(seed: int) -> list[bool]:
        faults = Faults(Ids(seed).dice)
        faults.add(Fault("error", "m", count=0, probability=0.3))
        return [faults.take("m", CALL_FAULTS) is not None for _ in range(500)]

    assert hits(1) == hits(1) != hits(2)
    assert 100 < sum(hits(1)) < 200
