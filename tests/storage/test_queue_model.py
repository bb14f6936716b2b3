"""The queue against a simple model of it: any order of pushes, takes, endings and losses."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from harness.errors import LeaseLost
from harness.models import Message, ProjectId, TeamId, TurnId, UserId
from storage.client import Store
from storage.dead_letters import DeadLetters
from storage.keys import Lane, lane
from storage.lease import MOST_FALLS, Finish, Lease, turn_of
from storage.queue import Queue
from storage.sessions import SessionStore
from tests.conftest import stray_keys
from tests.support import an_incoming

Result = TypeVar("Result")

THREADS = ("1.0", "2.0", "3.0", "4.0", "5.0")
CHANNELS = {"1.0": "C1", "2.0": "C1", "3.0": "C1", "4.0": "C1", "5.0": "C2"}
SLOTS = 2
ENDINGS = ("finish", "drop", "bury", "give_back", "delay", "park")
threads = st.sampled_from(THREADS)


@dataclass
class Thread:
    """A session as the model sees it; `turns` holds the number and the text of each turn."""

    state: str = "idle"
    turns: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    begun: bool = False
    fence: int = 0
    tries: int = 0
    falls: int = 0
    slot: bool = False
    woken: bool = False
    stop: int = 0
    history: list[str] = field(default_factory=list[str])

    @property
    def stopping(self) -> bool:
        return bool(self.turns) and self.stop == self.turns[0][0]

    def end_turn(self) -> None:
        self.turns.pop(0)
        self.begun, self.tries, self.falls, self.stop, self.woken = False, 0, 0, 0, False
        self.state = "queued" if self.turns else "idle"

    def put_back(self, turn: tuple[int, str]) -> None:
        """Queue a dead letter again: in order, but never before what has begun."""
        begun = self.turns[: self.begun]
        self.turns = begun + sorted([*self.turns[self.begun :], turn])
        self.state = "queued" if self.state == "idle" else self.state


class QueueMachine(RuleBasedStateMachine):
    """Does the same to the queue and to the model, and compares what they answer."""

    url = ""

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.opened = Store.connect(self.url)
        self.store = self.run(self.opened.__aenter__())
        self.run(self.store.run_command("FLUSHALL"))
        self.queue = Queue(self.store, worker="w1", lease_seconds=60, project_slots=SLOTS)
        self.model = {thread: Thread() for thread in THREADS}
        self.held: list[Lease] = []
        self.given_up: list[Lease] = []
        self.ended: list[Lease] = []
        self.letters: list[tuple[str, tuple[int, str]]] = []
        self.capped: list[str] = []
        self.count = 0

    def run(self, what: Coroutine[Any, Any, Result]) -> Result:
        return self.runner.run(what)

    @rule(thread=threads)
    def push(self, thread: str) -> None:
        self.count += 1
        told = self.model[thread]
        incoming = an_incoming(self.count, thread=thread, channel=CHANNELS[thread])
        pushed = self.run(self.queue.push(incoming, event_id=f"e{self.count}"))
        assert (pushed.outcome, pushed.ahead) == ("queued", len(told.turns))
        told.turns.append((self.count, incoming.text))
        told.state = "queued" if told.state == "idle" else told.state

    @precondition(lambda self: self.count > 0)
    @rule(thread=threads, number=st.integers(1, 30), fresh_event=st.booleans())
    def push_again(self, thread: str, number: int, *, fresh_event: bool) -> None:
        told = self.model[thread]
        if number not in [n for n, _ in told.turns]:
            return
        begun = told.begun and told.turns[0][0] == number
        incoming = an_incoming(number, thread=thread, channel=CHANNELS[thread])
        event = f"again{number}{thread}" if fresh_event else f"e{number}"
        pushed = self.run(self.queue.push(incoming, event_id=event))
        assert pushed.outcome in {"duplicate", "duplicate" if begun else "merged"}

    @rule()
    def take(self) -> None:
        lease = self.run(self.queue.take(0))
        self.cap(lease)
        if lease is None:
            assert not [each for each in self.model.values() if each.state == "queued"]
            return
        told = self.model[lease.session.thread]
        assert told.state == "queued"
        assert (lease.stopped_by is not None) == told.stopping
        told.slot = told.slot or not told.stopping
        told.state, told.begun, told.woken = "running", True, False
        told.fence += 1
        told.tries += 1
        number, text = told.turns[0]
        assert (lease.incoming.id, lease.incoming.text) == (f"{number}.0", text)
        assert (lease.fence, lease.attempt) == (told.fence, told.tries)
        assert lease.falls == told.falls
        self.held.append(lease)

    def cap(self, taken: Lease | None) -> None:
        """Learn who had to wait for a slot while something was taken; only the slotless may."""
        for thread, told in self.model.items():
            if told.state == "queued" and self.state_of(thread) == "capped":
                used = self.slots_used() + (taken is not None and not self.is_used_by(taken))
                assert (used, told.slot, told.stopping) == (SLOTS, False, False)
                told.state = "capped"
        waiting = self.run(self.store.run_command("ZRANGE", self.lane().capped, 0, -1))
        order = [each.rpartition(":")[2] for each in waiting]
        assert order[: len(self.capped)] == self.capped
        self.capped = order

    def is_used_by(self, taken: Lease) -> bool:
        """Say whether what was taken already held a slot of C1, or takes none."""
        told = self.model[taken.session.thread]
        return taken.project != "C1" or told.slot or told.stopping

    def slots_used(self) -> int:
        return sum(self.model[thread].slot for thread in THREADS if CHANNELS[thread] == "C1")

    def lane(self) -> Lane:
        return lane(TeamId("T1"), ProjectId("C1"))

    def free(self, told: Thread) -> None:
        """Hand a slot to whoever has waited longest for it."""
        if told.slot and self.capped:
            heir = self.model[self.capped.pop(0)]
            heir.state, heir.slot = "queued", True
        told.slot = False

    @precondition(lambda self: self.held)
    @rule(data=st.data(), how=st.sampled_from(ENDINGS))
    def end(self, data: st.DataObject, how: str) -> None:
        lease = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
        self.run(self.ending(lease, how))
        told = self.model[lease.session.thread]
        self.ended.append(lease)
        told.falls = 0
        if how == "finish":
            told.history.append(lease.incoming.id)
        if how == "bury":
            self.letters.append((lease.session.thread, told.turns[0]))
        if how == "give_back" or (how == "park" and (told.woken or told.stopping)):
            told.state = "queued"
            return
        if how in {"delay", "park"}:
            told.state = {"delay": "delayed", "park": "parked"}[how]
        else:
            told.end_turn()
        self.free(told)

    def ending(self, lease: Lease, how: str) -> Coroutine[Any, Any, None]:
        said = Finish(history=(Message(role="user", content=lease.incoming.id),))
        return {
            "finish": lambda: self.queue.finish(lease, said),
            "drop": lambda: self.queue.drop(lease),
            "bury": lambda: self.queue.bury(lease, "so"),
            "give_back": lambda: self.queue.give_back(lease, 0),
            "delay": lambda: self.queue.give_back(lease, 0.001),
            "park": lambda: self.queue.park(lease),
        }[how]()

    @precondition(lambda self: self.letters)
    @rule(data=st.data())
    def requeue(self, data: st.DataObject) -> None:
        which = data.draw(st.integers(0, len(self.letters) - 1))
        thread, turn = self.letters.pop(which)
        incoming = an_incoming(turn[0], thread=thread, channel=CHANNELS[thread])
        assert self.run(DeadLetters(self.store).requeue(turn_of(incoming)))
        assert not self.run(DeadLetters(self.store).requeue(TurnId("T-none")))
        self.model[thread].put_back(turn)

    @rule(thread=threads, number=st.integers(0, 30))
    def unpark(self, thread: str, number: int) -> None:
        told = self.model[thread]
        head = told.turns[0][0] if told.begun else 0
        first = an_incoming(number or head, thread=thread, channel=CHANNELS[thread])
        woken = self.run(self.queue.unpark(first.session, first.project, first.id))
        assert woken == (head > 0 and (number or head) == head)
        if woken and told.state == "parked":
            told.state = "queued"
        elif woken and told.state == "running":
            told.woken = True

    @precondition(lambda self: self.held)
    @rule()
    def lose(self) -> None:
        assert self.run(self.queue.take_over(["w1"])) == len(self.held)
        for lease in self.held:
            told = self.model[lease.session.thread]
            told.falls += 1
            told.state = "queued"
            if told.falls > MOST_FALLS:
                self.letters.append((lease.session.thread, told.turns[0]))
                told.end_turn()
                self.free(told)
        self.given_up += self.held
        self.held = []

    @precondition(lambda self: self.given_up)
    @rule(data=st.data(), how=st.sampled_from(ENDINGS))
    def end_too_late(self, data: st.DataObject, how: str) -> None:
        lease = data.draw(st.sampled_from(self.given_up))
        try:
            self.run(self.ending(lease, how))
        except LeaseLost:
            return
        raise AssertionError("a lost lease ended a turn")

    @precondition(lambda self: self.ended)
    @rule(how=st.sampled_from(ENDINGS))
    def end_the_last_again(self, how: str) -> None:
        lease = self.ended[-1]
        newest = max(each.fence for each in self.ended if each.session == lease.session)
        if lease.fence == newest:
            self.run(self.ending(lease, how))

    @rule()
    def let_delays_pass(self) -> None:
        delayed = [told for told in self.model.values() if told.state == "delayed"]
        self.run(asyncio.sleep(0.002 if delayed else 0))
        assert self.run(self.queue.move_due()) == len(delayed)
        for told in delayed:
            told.state = "queued"

    @rule(thread=threads)
    def stop(self, thread: str) -> None:
        told = self.model[thread]
        first = an_incoming(thread=thread, channel=CHANNELS[thread])
        asked = self.run(self.queue.request_stop(first.session, first.project, UserId("U2")))
        assert asked == (told.state != "idle")
        if asked:
            told.stop = told.turns[0][0]
            self.capped = [each for each in self.capped if each != thread]
            told.state = "running" if told.state == "running" else "queued"

    @rule(thread=threads, index=st.integers(0, 3), edit=st.booleans())
    def change(self, thread: str, index: int, *, edit: bool) -> None:
        told = self.model[thread]
        number = told.turns[index][0] if index < len(told.turns) else 0
        first = an_incoming(number, thread=thread, channel=CHANNELS[thread])
        if edit:
            standing = self.run(self.queue.edit(first.session, first.project, first.id, "new"))
        else:
            standing = self.run(self.queue.remove(first.session, first.project, first.id))
        begun = told.begun and index == 0
        assert standing == ("running" if number and begun else "waiting" if number else "none")
        if standing == "waiting" and edit:
            told.turns[index] = (number, "new")
        elif standing == "waiting":
            told.turns.pop(index)
            if not told.turns:
                told.state = "idle"
                self.capped = [each for each in self.capped if each != thread]
                self.free(told)

    def state_of(self, thread: str) -> str:
        first = an_incoming(thread=thread, channel=CHANNELS[thread])
        key = lane(first.session.team, first.project).state(first.session.id)
        return self.run(self.store.run_command("HGET", key, "s")) or "idle"

    @rule()
    def look(self) -> None:
        depth = self.run(self.queue.depth())
        states = {thread: told.state for thread, told in self.model.items()}
        assert states == {thread: self.state_of(thread) for thread in THREADS}
        counted = (depth.waiting, depth.running, depth.delayed, depth.parked, depth.capped)
        named = ("queued", "running", "delayed", "parked", "capped")
        assert counted == tuple(list(states.values()).count(each) for each in named)
        assert depth.dead == len(self.letters)
        used = self.run(self.store.run_command("HGET", self.lane().slots, "T1:C1"))
        assert int(used or 0) == self.slots_used() <= SLOTS
        assert self.run(stray_keys(self.store)) == []

    def teardown(self) -> None:
        if not hasattr(self, "store"):
            return
        for thread, told in self.model.items():
            first = an_incoming(thread=thread, channel=CHANNELS[thread])
            sessions = SessionStore(self.store)
            session = self.run(sessions.load(first.session, first.project))
            assert [message.content for message in session.history] == told.history
            waiting = self.run(self.queue.waiting(first.session, first.project))
            assert waiting == len(told.turns) - told.begun
        self.run(self.opened.__aexit__(None, None, None))
        self.runner.close()


@pytest.mark.timeout(60)
def test_queue_does_what_the_model_does(valkey_url: str):
    """Whatever is done in whatever order, queue and model agree on every answer."""
    check(valkey_url, examples=25)


def check(url: str, examples: int) -> None:
    """Run so many random histories."""
    machine = type("Machine", (QueueMachine,), {"url": url})
    run_machine(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much),
        ),
    )
