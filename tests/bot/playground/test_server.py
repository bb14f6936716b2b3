"""The playground as one object: its address, its end, and what a seed repeats."""

import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from bot.playground import Clock, Playground, Rules
from tests.bot.playground.clients import Api
from tests.support import wait_until

ROOT = Path(__file__).parents[3]


async def test_it_listens_on_this_computer_only(playground: Playground) -> None:
    """Every address it gives out is on 127.0.0.1."""
    assert playground.api_url.startswith("http://127.0.0.1:")
    assert playground.page_url == f"{playground.workspace.base_url}/"


async def test_a_taken_port_is_an_os_error(playground: Playground) -> None:
    """The caller can say it in one line; nothing is left behind."""
    port = int(playground.workspace.base_url.rpartition(":")[2])

    with pytest.raises(OSError, match="address already in use"):
        async with Playground(port):
            pass


async def test_it_ends_at_once_with_an_open_page_and_an_open_socket() -> None:
    """Neither a page that reads the feed nor a connected bot holds it up."""
    async with aiohttp.ClientSession() as session:
        async with Playground() as playground:
            headers = {"Authorization": f"Bearer {playground.control_token}"}
            await session.get(f"{playground.page_url}_playground/events", headers=headers)
            app = Api(playground, playground.app_token)
            url = (await app("apps.connections.open", app_token=playground.app_token))["url"]
            await session.ws_connect(url)
            await wait_until(lambda: len(playground.board.lines) == 1)
            started = time.monotonic()
        assert time.monotonic() - started < 0.9


async def some_minutes(seed: int) -> list[Any]:
    """Do the same things in a workspace of this seed; gives all that was recorded."""
    clock = Clock(start=1_700_000_000.0, scale=0)
    async with Playground(seed=seed, clock=clock, rules=Rules(rate_limits=False)) as playground:
        api, channel = Api(playground), playground.channel("api").id
        for n in range(5):
            root = await playground.people.post("ann", "#api", f"@Deskmate {n}")
            await api("chat.postMessage", channel=channel, text="ok", thread_ts=root)
            await api("reactions.add", channel=channel, timestamp=root, name="eyes")
            clock.advance(60)
        history = await api("conversations.history", channel=channel)
        entries = [
            {name: value for name, value in entry.items() if name not in {"t", "ms"}}
            for entry in playground.journal
        ]
        return [*entries, history]


async def test_a_seed_repeats_a_run() -> None:
    """Two runs of one seed are equal to the last id; another seed has other ids."""
    first, second, other = [await some_minutes(seed) for seed in (1, 1, 2)]

    assert first == second
    assert first != other
    assert len(first) == len(other) > 30


async def test_a_later_run_of_a_seed_has_the_same_places_and_new_events() -> None:
    """A bot that kept its data finds its channels again, and takes no event for an old one."""
    places, marks = list[list[str]](), list[str]()
    for start in (1_000.0, 2_000.0):
        async with Playground(clock=Clock(start=start, scale=0)) as playground:
            await playground.people.open_dm("ann", "Deskmate")
            await playground.people.post("ann", "#api", "hello")
            places.append([*playground.workspace.channels, *playground.workspace.users])
            marks.append(playground.journal.of("undelivered", label="message")[0]["event_id"])

    assert places[0] == places[1]
    assert marks[0] != marks[1]


def test_the_fixture_grants_what_the_manifest_asks_for() -> None:
    """Scopes and events of the app under test are those of manifest.yml, no more."""
    manifest: Any = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    app = Playground().app

    assert sorted(app.scopes) == sorted(manifest["oauth_config"]["scopes"]["bot"])
    assert sorted(app.events) == sorted(manifest["settings"]["event_subscriptions"]["bot_events"])
