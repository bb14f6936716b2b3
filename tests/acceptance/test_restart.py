"""`kill -9` at the worst moments: nothing lost, nothing twice.

`deskmate run` is a process of its own here, with its embedded store; the store survives it.
"""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from bot.gateway.ingress import Identity, read_incoming
from harness.models import Answered, Claimed, Message, Opened, TeamId, ToolCall, UserId
from storage.client import Store
from storage.queue import Queue
from storage.server import embedded
from storage.sessions import SessionStore
from tests.acceptance.world import World, a_world, store_pid
from tests.support import wait_until

SCRIPT = """
- when: '\\bwrite\\b'
  steps:
    - reply: I write it.
      calls: [{tool: file_write, arguments: {path: hello.md, content: "# Hello\\n"}}]
    - reply: I wrote `hello.md`.
      hang: 0.4
- when: '\\bslow\\b'
  steps: [{reply: "one two three four five six seven eight nine ten", pace: 120}]
- when: '\\bstuck\\b'
  steps: [{reply: "at last", hang: 30, times: 1}]
- when: '.*'
  steps: [{reply: "You said: {text}"}]
"""

pytestmark = pytest.mark.timeout(40)


async def kill(process: Process) -> None:
    """kill -9, and wait until it is gone."""
    process.kill()
    await process.wait()


@asynccontextmanager
async def restarted(world: World) -> AsyncGenerator[None]:
    async with world.process():
        yield


async def test_killed_before_the_ack_the_event_comes_again_and_is_answered_once(tmp_path: Path):
    """The push hangs in a frozen store, the process dies, the push may still arrive: one turn."""
    async with a_world(tmp_path, SCRIPT) as world:
        running = await world.start()
        server = await store_pid(tmp_path)
        assert server is not None
        os.kill(server, signal.SIGSTOP)
        root = await world.says("ann", "#api", "@Deskmate hi")
        journal = world.playground.journal
        await wait_until(lambda: len(journal.of("delivery")) >= 2)
        assert journal.of("ack") == []
        await kill(running)
        os.kill(server, signal.SIGCONT)
        async with restarted(world):
            assert await world.answered("#api", root) == ["You said: hi"]
            await world.settled()
            assert len(world.answers("#api", root)) == 1
        assert len(world.asked()) == 1


async def test_killed_with_messages_in_the_queue_they_are_answered_in_order(tmp_path: Path):
    """One turn runs, two wait; after the restart all three are answered, each once."""
    async with a_world(tmp_path, SCRIPT) as world:
        running = await world.start()
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: len(world.asked()) == 1)
        await world.says("ben", "#api", "second", root)
        last = await world.says("ann", "#api", "third", root)
        api = world.playground.channel("api")
        await wait_until(lambda: "eyes" in api.messages[last].reactions)
        await kill(running)
        async with restarted(world):
            texts = await world.answered("#api", root, 3)
            await world.settled()
            assert len(world.answers("#api", root)) == 3
        assert texts[0].endswith("nine ten")
        assert texts[1:] == ["You said: second", "You said: third"]


async def test_killed_in_the_model_call_half_an_answer_becomes_the_whole_one(tmp_path: Path):
    """F136, F140: half a stream is out; the same message is completed, no second one is posted."""
    async with a_world(tmp_path, SCRIPT) as world:
        running = await world.start()
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: any("three" in m.text for m in world.thread("#api", root)))
        await kill(running)
        async with restarted(world):
            whole = ["one two three four five six seven eight nine ten"]
            await wait_until(lambda: world.answers("#api", root) == whole)
            await world.settled()
            assert len(world.thread("#api", root)) == 1


async def test_killed_after_a_write_the_file_is_not_written_again(tmp_path: Path):
    """The tool has run, the next model call is under way: the turn goes on behind the write."""
    async with a_world(tmp_path, SCRIPT) as world:
        running = await world.start()
        root = await world.says("ann", "#api", "@Deskmate write it down")
        await wait_until(lambda: len(world.asked()) == 2)
        (written,) = (tmp_path / "projects").glob("*/*/hello.md")
        inode = written.stat().st_ino
        await kill(running)
        async with restarted(world):
            whole = ["I write it.\n\nI wrote `hello.md`."]
            await wait_until(lambda: world.answers("#api", root) == whole, 20)
        assert written.stat().st_ino == inode
        assert len(world.asked()) == 3
        assert [m["role"] for m in world.asked()[2]["messages"]][-2:] == ["assistant", "tool"]


async def test_killed_between_a_write_and_its_result_the_write_is_not_repeated(tmp_path: Path):
    """Claimed without a result: nobody knows whether it happened, and the model is told so."""
    async with a_world(tmp_path, SCRIPT, DESKMATE_LEASE_SECONDS="1") as world:
        root = await world.says("ann", "#api", "@Deskmate write it down")
        await leave_a_claimed_write(world, root)
        async with restarted(world):
            texts = await world.answered("#api", root)
            await world.settled()
            assert texts == ["I write it.\n\nI wrote `hello.md`."]
            assert len(world.answers("#api", root)) == 1
        assert list((tmp_path / "projects").glob("*/*/hello.md")) == []
        assert "unknown_outcome" in str(world.asked()[0]["messages"][-1])


async def leave_a_claimed_write(world: World, root: str) -> None:
    """Leave behind what a worker leaves that dies between a write and its result."""
    playground = world.playground
    user = playground.app.user
    me = Identity(TeamId(user.team), UserId(user.id), user.bot_id, "deskmate")
    asked = playground.channel("api").messages[root]
    event = {
        "type": "app_mention",
        "channel": playground.channel("api").id,
        "user": asked.user,
        "text": asked.text,
        "ts": root,
    }
    incoming = read_incoming(event, me, 1.0)
    call = ToolCall(
        id="c1", name="file_write", arguments='{"path": "hello.md", "content": "# Hello\\n"}'
    )
    async with embedded(world.home) as server, Store.connect(server.url, server.password) as store:
        queue = Queue(store, worker="gone", lease_seconds=1)
        await queue.push(incoming, event_id="Ev1")
        lease = await queue.take(1)
        assert lease is not None
        journal = SessionStore(store).journal(lease)
        await journal.append(Opened(message=Message(role="user", content="write it down")))
        said = Message(role="assistant", content="I write it.", tool_calls=(call,))
        await journal.append(Answered(message=said))
        await journal.append(Claimed(call_id="c1"))


async def test_a_stop_that_comes_twice_at_once_is_one_gentle_stop(tmp_path: Path):
    """`make` and whoever stopped `make` both send it; no store is left running."""
    async with a_world(tmp_path, SCRIPT) as world:
        running = await world.start()
        running.send_signal(signal.SIGTERM)
        running.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.05)
        with suppress(ProcessLookupError):
            running.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            assert await running.wait() == 0
        assert await store_pid(tmp_path) is None


async def test_a_gentle_stop_hands_the_turn_back_and_leaves_no_process(tmp_path: Path):
    """SIGTERM in a long turn: the process ends within 10 s, the next one finishes the turn."""
    async with a_world(tmp_path, SCRIPT) as world:
        running = await world.start()
        root = await world.says("ann", "#api", "@Deskmate get stuck")
        await wait_until(lambda: len(world.asked()) == 1)
        server = await store_pid(tmp_path)
        assert server is not None
        running.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            assert await running.wait() == 0
        assert await store_pid(tmp_path) is None
        async with restarted(world):
            assert await world.answered("#api", root) == ["at last"]
