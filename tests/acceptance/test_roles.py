"""Gateway and workers as processes of their own: any number of them, on one store.

A gateway has no model key and a worker no app token here: neither needs what it does not use.
"""

import asyncio
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bot.app import App
from bot.playground import Rules
from bot.settings import load
from storage.client import Store
from tests.acceptance.world import World, a_world
from tests.support import wait_until

SCRIPT = """
- when: '\\bslow\\b'
  steps: [{reply: "one two three four five six seven eight nine ten", pace: 300}]
- when: '.*'
  steps: [{reply: "You said: {text}", pace: 40}]
"""
WHOLE = "one two three four five six seven eight nine ten"
UNLIMITED = Rules(rate_limits=False)

pytestmark = pytest.mark.timeout(90)


@asynccontextmanager
async def a_house(world: World, *roles: str, **settings: str) -> AsyncGenerator[list[Process]]:
    """One process for each role, started in that order; a role may be `worker:HOME`."""
    async with AsyncExitStack() as running:
        processes: list[Process] = []
        for place in roles:
            role, _, home = place.partition(":")
            unused = {"gateway": "OPENAI_API_KEY", "worker": "SLACK_APP_TOKEN"}
            own = {unused[role]: ""} if role in unused else {}
            if home:
                own["DESKMATE_HOME"] = str(world.home / home)
            process = world.process("--role", role, **settings, **own)
            processes.append(await running.enter_async_context(process))
        yield processes


async def kill(process: Process) -> None:
    process.kill()
    await process.wait()


async def test_two_workers_one_dies_everything_is_answered_once_and_in_order(
    tmp_path: Path, store: Store, valkey_url: str
):
    """F136: nine threads of four messages; a worker is killed midway, the other does the rest."""
    settings = {"REDIS_URL": valkey_url, "DESKMATE_LEASE_SECONDS": "2"}
    roles = ("gateway:g", "worker:w1", "worker:w2")
    async with (
        a_world(tmp_path, SCRIPT, UNLIMITED) as world,
        a_house(world, *roles, **settings) as (_, victim, other),
    ):
        channels = ("#api", "#web", "#general")
        roots = [
            (channel, await world.says("ann", channel, f"@Deskmate {number} 0"))
            for channel in channels
            for number in range(3)
        ]
        for turn in range(1, 4):
            for place, (channel, root) in enumerate(roots):
                await world.says("ben", channel, f"{place % 3} {turn}", root)
        await wait_until(lambda: len(world.asked()) >= 10, 20)
        assert other.returncode is None
        await kill(victim)
        for place, (channel, root) in enumerate(roots):
            expected = [f"You said: {place % 3} {turn}" for turn in range(4)]
            await answers_are(world, channel, root, expected)
        await world.settled()
        for channel, root in roots:
            assert len(world.answers(channel, root)) == 4
        assert await store.run_command("DBSIZE") > 0


async def test_processes_of_one_home_share_its_embedded_store(tmp_path: Path):
    """The one that started the store is killed: the others keep it, and lose nothing."""
    async with a_world(tmp_path, SCRIPT, UNLIMITED) as world:
        async with a_house(world, "gateway", "worker", "worker") as (gateway, victim, _):
            root = await world.says("ann", "#api", "@Deskmate be slow")
            await wait_until(lambda: any("two" in m.text for m in world.thread("#api", root)))
            await kill(gateway)
            await kill(victim)
            missed = await world.says("ben", "#web", "@Deskmate missed")
            async with a_house(world, "gateway"):
                await wait_until(lambda: world.answers("#api", root) == [WHOLE], 20)
                assert await world.answered("#web", missed) == ["You said: missed"]
                await world.says("ben", "#api", "and now", root)
                assert (await world.answered("#api", root, 2))[1] == "You said: and now"
        await wait_until(lambda: not (tmp_path / "store" / "store.sock").exists())


async def test_a_stop_reaches_the_worker_in_its_other_process(tmp_path: Path):
    """The gateway hears the word, the worker ends the turn."""
    async with (
        a_world(tmp_path, SCRIPT, UNLIMITED) as world,
        a_house(world, "gateway", "worker"),
    ):
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: any("two" in m.text for m in world.thread("#api", root)), 10)
        await world.says("ann", "#api", "stop", root)
        assert "Stopped." in (await world.answered("#api", root))[0]
        await wait_until(lambda: world.model.left == 1)


async def test_a_gentle_stop_of_each_role_ends_within_its_bound(tmp_path: Path):
    """SIGTERM: exit status 0 within 10 s, idle or not; the last one takes the store along."""
    async with (
        a_world(tmp_path, SCRIPT, UNLIMITED) as world,
        a_house(world, "gateway", "worker") as processes,
    ):
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: any("two" in m.text for m in world.thread("#api", root)), 10)
        for process in processes:
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            assert [await process.wait() for process in processes] == [0, 0]


async def test_a_worker_has_no_socket_and_a_gateway_no_turns(tmp_path: Path):
    """Each is ready by itself: health and metrics of the one say nothing of the other's part."""
    async with a_world(tmp_path, SCRIPT, UNLIMITED, DESKMATE_HTTP="127.0.0.1:0") as world:
        settings = load(world.environ(), world.home)
        async with App(settings, role="worker") as worker:
            await worker.connected()
            assert (worker.gateway, world.playground.board.lines) == (None, [])
            assert await page(worker, "readyz") == (200, '{"ok": true, "reasons": []}')
        async with App(settings, role="gateway") as gateway:
            await gateway.connected()
            root = await world.says("ann", "#api", "@Deskmate hi")
            await wait_until(lambda: holds(gateway, 'deskmate_queue{state="waiting"} 1.0'))
            assert gateway.worker is None
            assert world.asked() == []
            async with App(settings, role="worker"):
                assert await world.answered("#api", root) == ["You said: hi"]


async def page(app: App, name: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://127.0.0.1:{app.health.port}/{name}") as answer,
    ):
        return answer.status, await answer.text()


async def holds(app: App, line: str) -> bool:
    return line in (await page(app, "metrics"))[1]


async def test_two_gateways_share_the_events_and_each_is_answered_once(
    tmp_path: Path, store: Store, valkey_url: str
):
    """F138: Slack gives each event to one of two processes; a hundred answers, once, in order."""
    settings = {"REDIS_URL": valkey_url, "DESKMATE_LEASE_SECONDS": "5"}
    async with (
        a_world(tmp_path, SCRIPT, UNLIMITED) as world,
        a_house(world, "all:a", "all:b", **settings),
    ):
        await wait_until(lambda: len(world.playground.board.lines) == 4, 10)
        roots = [
            (channel, await world.says("ann", channel, f"@Deskmate {number} 0"))
            for channel in ("#api", "#web")
            for number in range(10)
        ]
        for turn in range(1, 5):
            for place, (channel, root) in enumerate(roots):
                await world.says("ben", channel, f"{place % 10} {turn}", root)
        for place, (channel, root) in enumerate(roots):
            expected = [f"You said: {place % 10} {turn}" for turn in range(5)]
            await answers_are(world, channel, root, expected)
        await world.settled()
        assert sum(len(world.answers(channel, root)) for channel, root in roots) == 100
        events = world.playground.journal.of("delivery", envelope="events_api")
        assert len(events) >= 200
        assert len({event["line"] for event in events}) == 4
    assert await store.run_command("DBSIZE") > 0


async def answers_are(world: World, channel: str, root: str, expected: list[str]) -> None:
    """Wait for exactly these answers in a thread, in this order."""
    await wait_until(lambda: world.answers(channel, root) == expected, 60)
