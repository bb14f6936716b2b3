"""The connection itself: what a command does to the task that waits for it."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from harness.errors import StoreUnavailable
from storage import scripts
from storage.client import Store, run_sync
from storage.keys import Lane
from storage.queue import Queue
from storage.server import EmbeddedServer, attach_or_start
from tests.support import an_incoming, wait_until


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


@pytest.fixture
async def own_server(tmp_path: Path) -> AsyncGenerator[EmbeddedServer]:
    """A server that a test may kill."""
    server = await attach_or_start(tmp_path)
    yield server
    await server.stop()


async def kill_server(store: Store) -> None:
    """Kill the server and wait until nobody answers."""
    pid = int((await store.run_command("INFO", "server"))["process_id"])
    os.kill(pid, signal.SIGKILL)
    await wait_until(lambda: is_away(store))


async def is_away(store: Store) -> bool:
    try:
        await store.blocking.execute_command("PING")
    except StoreUnavailable:
        return True
    return False


async def test_scripts_are_sent_again_after_the_server_forgot_them(store: Store, queue: Queue):
    """A server that lost its scripts gets their text, alone, many at once and from a thread."""
    await queue.push(an_incoming(1), event_id="e1")
    await store.run_command("SCRIPT", "FLUSH")
    assert (await queue.push(an_incoming(2), event_id="e2")).outcome == "queued"
    await store.run_command("SCRIPT", "FLUSH")
    assert (await queue.depth()).waiting == 1
    await store.run_command("SCRIPT", "FLUSH")
    client = store.open_sync()
    assert run_sync(client, scripts.move_due(Lane(1), 1)) == 0
    client.close()


async def test_a_command_rides_through_a_restart(own_server: EmbeddedServer):
    """A push while the server restarts is accepted late, once."""
    async with Store.connect(own_server.url, own_server.password) as store:
        queue = Queue(store, worker="w1", lease_seconds=10)
        await kill_server(store)
        push = asyncio.create_task(queue.push(an_incoming(), event_id="e1"))
        await asyncio.sleep(0.05)
        assert await own_server.revive()
        assert (await push).outcome == "queued"
        assert (await queue.depth()).waiting == 1
        assert await queue.take(1) is not None


async def test_no_server_is_said_within_a_second(own_server: EmbeddedServer):
    """Slack waits three seconds for an ack: a dead store is known well before."""
    async with Store.connect(own_server.url, own_server.password) as store:
        await kill_server(store)
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match="does not answer"):
            await store.ping()
        assert time.monotonic() - began < 2


async def test_stalled_server_is_no_hang(own_server: EmbeddedServer):
    """A server that is there but silent is given up, by commands and by waiting workers."""
    async with Store.connect(own_server.url, own_server.password) as store:
        queue = Queue(store, worker="w1", lease_seconds=10)
        pid = int((await store.run_command("INFO", "server"))["process_id"])
        waiting = asyncio.create_task(queue.take(0.1))
        await asyncio.sleep(0.05)
        os.kill(pid, signal.SIGSTOP)
        store.redis.answer_seconds = 0.2
        for stalled in (store.ping(), waiting):
            with pytest.raises(StoreUnavailable, match="does not answer"):
                await stalled
        os.kill(pid, signal.SIGCONT)
        store.redis.answer_seconds = 5
        await queue.push(an_incoming(), event_id="e1")
        assert await queue.take(1) is not None


async def test_a_bug_in_a_command_is_not_a_lost_connection(store: Store):
    """What the server refuses is raised at once, with its words."""
    await store.run_command("SET", "dm:project:x", "x")
    with pytest.raises(StoreUnavailable, match=r"refused a command.*WRONGTYPE"):
        await store.run_command("LPUSH", "dm:project:x", "x")
