"""Messages that cannot be answered: said so, put aside, and the thread goes on."""

import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.app import App
from bot.playground import Rules
from bot.settings import load
from harness.chat.rehearsal import Rehearsal
from harness.chat.script import load_script
from harness.models import Delta, ModelRequest
from storage.lease import MOST_FALLS
from tests.acceptance.world import a_world
from tests.support import wait_until

pytestmark = pytest.mark.timeout(60)

SCRIPT = """
- when: '\\bdie'
  steps: [{reply: "one two three four five six seven eight nine ten", pace: 2000}]
- when: '.*'
  steps: [{reply: "You said: {text}"}]
"""


class Faulty:
    """A model whose adapter has a bug: it trips over one word."""

    def __init__(self) -> None:
        self._model = Rehearsal(load_script(SCRIPT))

    async def complete(self, request: ModelRequest) -> AsyncIterator[Delta]:
        if request.messages[-1].content.rstrip().endswith("trip"):
            raise KeyError("a secret of the request")
        async for delta in self._model.complete(request):
            yield delta


async def test_a_bug_costs_one_message_and_leaves_a_trace(tmp_path: Path):
    """The person gets a reference, the operator the same with the reason, the next its answer."""
    async with a_world(tmp_path, DESKMATE_HTTP="127.0.0.1:0") as world:
        settings = load(world.environ(), tmp_path)
        async with (
            App(settings, model=Faulty()) as app,
            aiohttp.ClientSession(f"http://127.0.0.1:{app.health.port}") as http,
        ):
            await app.connected()
            root = await world.says("ann", "#api", "@Deskmate trip")
            (said,) = await world.answered("#api", root)
            found = re.search(r"Something broke on my side \(ref `(T-\w+)`\)", said)
            assert found
            await world.says("ann", "#api", "hi", root)
            assert (await world.answered("#api", root, 2))[1:] == ["You said: hi"]
            async with http.get("/readyz") as answer:
                body = await answer.json()
                assert (answer.status, body["ok"]) == (200, True)
            (note,) = body["notes"]
            assert f"1 message, the latest as {found[1]}. It failed: KeyError." in note
            assert "secret" not in note
            async with http.get("/metrics") as answer:
                text = await answer.text()
            assert 'deskmate_queue{state="dead"} 1.0' in text
            assert 'deskmate_turns_total{outcome="failed"} 1.0' in text


async def test_a_message_that_takes_the_process_with_it_is_given_up(tmp_path: Path):
    """After so many kills in the middle of it the person is told, and the next is answered."""
    # Slack's limits on connecting would make each restart a wait; they have tests of their own.
    async with a_world(tmp_path, SCRIPT, Rules(rate_limits=False)) as world:
        running = await world.start()
        root = await world.says("ann", "#api", "@Deskmate die")
        for number in range(MOST_FALLS):
            await wait_until(lambda number=number: len(world.asked()) > number, 20)
            running.kill()
            await running.wait()
            running = await world.start()
        await wait_until(
            lambda: any("Something broke" in each for each in world.answers("#api", root)), 20
        )
        asked = len(world.asked())
        await world.says("ann", "#api", "hi", root)
        await wait_until(lambda: world.answers("#api", root)[-1:] == ["You said: hi"], 20)
        assert (asked, len(world.asked())) == (MOST_FALLS, MOST_FALLS + 1)
        running.send_signal(signal.SIGTERM)
        await running.wait()
