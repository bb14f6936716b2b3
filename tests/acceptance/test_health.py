"""Health, readiness, metrics and logs of a running process."""

import json
from pathlib import Path

import aiohttp
import pytest

from bot.playground import Fault
from tests.acceptance.world import a_world
from tests.support import wait_until

pytestmark = pytest.mark.timeout(30)


async def test_the_three_pages_tell_the_truth(tmp_path: Path):
    """/healthz answers, /readyz follows the socket, /metrics counts turns and tokens."""
    async with (
        a_world(tmp_path, DESKMATE_HTTP="127.0.0.1:0") as world,
        world.bot() as app,
        aiohttp.ClientSession(f"http://127.0.0.1:{app.health.port}") as http,
    ):
        async with http.get("/healthz") as answer:
            assert (answer.status, await answer.json()) == (200, {"ok": True})
        async with http.get("/readyz") as answer:
            assert (answer.status, await answer.json()) == (200, {"ok": True, "reasons": []})
        root = await world.says("ann", "#api", "@Deskmate hello")
        await world.answered("#api", root)
        await world.settled()
        async with http.get("/metrics") as answer:
            text = await answer.text()
        assert 'deskmate_turns_total{outcome="answered"} 1.0' in text
        assert 'deskmate_tokens_total{direction="input"}' in text
        assert 'deskmate_queue{state="waiting"} 0.0' in text
        async with http.get("/elsewhere") as answer:
            assert answer.status == 404

        world.playground.workspace.faults.add(Fault("refuse", "dial", count=0))
        for line in list(world.playground.board.lines):
            await world.playground.board.end(line, "abort")

        async def is_red() -> bool:
            async with http.get("/readyz") as answer:
                body = await answer.json()
                return answer.status == 503 and "No connection to Slack" in body["reasons"][0]

        await wait_until(is_red)
        world.playground.workspace.faults.clear()

        async def is_green() -> bool:
            async with http.get("/readyz") as answer:
                return answer.status == 200

        await wait_until(is_green, 10)


async def test_logs_carry_the_turn_and_no_secret(tmp_path: Path):
    """Every line is JSON; those of a turn name it; tokens and keys are cut."""
    async with a_world(tmp_path) as world, world.process():
        root = await world.says("ann", "#api", "@Deskmate hello")
        await world.answered("#api", root)
        await world.settled()
    text = (tmp_path / "run.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    (turn,) = [line for line in lines if line["event"] == "turn"]
    assert turn["turn"].startswith("T-")
    assert turn["outcome"] == "answered"
    for secret in (world.playground.bot_token, world.playground.app_token, "sk-rehearsal"):
        assert secret not in text
