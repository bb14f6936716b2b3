"""Whatever the seed, the record obeys the platform's own rules."""

import random
from collections import Counter, defaultdict
from contextlib import suppress

import pytest
from slack_sdk.errors import SlackApiError

from bot.playground import Fault, Playground, Rules, SlackError
from tests.bot.playground.clients import Api, Json, listening
from tests.support import wait_until

PEOPLE = ("ann", "ben", "chris")
EVENT_FAULTS = ("duplicate", "retry", "hold", "swap", "drop")


class Life:
    """People and the app, doing things at random in one channel."""

    def __init__(self, playground: Playground, seed: int) -> None:
        self.playground = playground
        self.people = playground.people
        self.api = Api(playground)
        self.dice = random.Random(seed)
        self.roots = [""]
        self.streams = [""]

    async def go_on(self, steps: int) -> None:
        acts = (self.say, self.say, self.react, self.edit, self.delete, self.start, self.grow)
        for _ in range(steps):
            with suppress(SlackError, SlackApiError):
                await self.dice.choice(acts)()
            if self.dice.random() < 0.1:
                kind = self.dice.choice(EVENT_FAULTS)
                self.playground.faults.add(Fault(kind, "*", seconds=0.01))

    async def say(self) -> None:
        root = self.dice.choice(self.roots)
        text = self.dice.choice(("hello", "@Deskmate do it"))
        ts = await self.people.post(self.dice.choice(PEOPLE), "#api", text, thread_ts=root)
        self.roots.append(root or ts)

    async def react(self) -> None:
        await self.people.react("ben", "#api", self.dice.choice(self.roots), "eyes")

    async def edit(self) -> None:
        text = self.dice.choice(("hello", "@Deskmate hello"))
        await self.people.edit("ann", "#api", self.dice.choice(self.roots), text)

    async def delete(self) -> None:
        await self.people.delete("ann", "#api", self.dice.choice(self.roots))

    async def start(self) -> None:
        ann = self.playground.workspace.user_named("ann")
        place = {"channel": self.playground.channel("api").id}
        to_ann = {"recipient_user_id": ann.id, "recipient_team_id": ann.team}
        root = self.dice.choice(self.roots)
        started = await self.api("chat.startStream", **place, **to_ann, thread_ts=root)
        self.streams.append(started["ts"])

    async def grow(self) -> None:
        """Append or stop, whether or not that is allowed any more."""
        method = self.dice.choice(("chat.appendStream", "chat.appendStream", "chat.stopStream"))
        channel, ts = self.playground.channel("api").id, self.dice.choice(self.streams[-3:])
        chunks = [{"type": "markdown_text", "text": "x"}]
        await self.api(method, channel=channel, ts=ts, chunks=chunks)


@pytest.mark.parametrize("seed", range(4))
async def test_the_record_is_slacks(seed: int) -> None:
    """Checks a life of 200 acts with two sockets and faults of delivery."""
    rules = Rules(ack_seconds=1.0, retry_delays=(0.0, 0.0, 0.0), rate_limits=False)
    async with Playground(seed=seed, rules=rules) as playground:
        async with listening(playground), listening(playground):
            await Life(playground, seed).go_on(200)
            await wait_until(lambda: playground.deliveries.waiting == 0)
        one_socket_per_envelope(playground)
        no_more_tries_than_four(playground)
        rising_ts_per_channel(playground)
        streams_live_once(playground)
        acknowledged_after_delivery(playground)


def one_socket_per_envelope(playground: Playground) -> None:
    lines = defaultdict[str, set[str]](set)
    for entry in playground.journal.of("delivery"):
        lines[entry["envelope_id"]].add(entry["line"])
    assert lines
    assert all(len(used) == 1 for used in lines.values())


def no_more_tries_than_four(playground: Playground) -> None:
    tries = Counter(entry["event_id"] for entry in playground.journal.of("delivery"))
    assert max(tries.values()) <= 5  # four, and one more where a fault doubled it


def rising_ts_per_channel(playground: Playground) -> None:
    for channel in playground.workspace.channels.values():
        stamps = [float(ts) for ts in channel.messages]
        assert stamps == sorted(set(stamps))
        for root, replies in channel.threads.items():
            assert all(reply.thread_ts == root for reply in replies)


def streams_live_once(playground: Playground) -> None:
    """An append that worked lies between the start of its stream and its stop."""
    state = dict[str, str]()
    for entry in playground.journal.calls():
        if "Stream" not in entry["method"] or not entry["ok"]:
            continue
        ts, step = entry["ts"], entry["method"].removeprefix("chat.")
        allowed: dict[str, set[str]] = {
            "startStream": {""},
            "appendStream": {"open"},
            "stopStream": {"open"},
        }
        assert state.get(ts, "") in allowed[step]
        state[ts] = "stopped" if step == "stopStream" else "open"
    assert state


def acknowledged_after_delivery(playground: Playground) -> None:
    sent = dict[str, Json]()
    for entry in playground.journal:
        if entry["kind"] == "delivery":
            sent[entry["envelope_id"]] = entry
        if entry["kind"] == "ack":
            assert entry["t"] >= sent[entry["envelope_id"]]["t"]
