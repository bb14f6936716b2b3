"""The hard proof of the queue: many sessions, some workers, all but one killed or stopped midway.

    python -m tests.storage.trial --sessions 200 --messages 5 --runs 7 [--stop]

What was committed stands in the histories of the store, what was started in the notes of the
workers (`trial_worker.py`); from both comes a `Verdict`.
"""

import argparse
import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from harness.models import Incoming
from storage.client import Store
from storage.queue import Queue
from storage.server import embedded
from storage.sessions import SessionStore
from tests.support import an_incoming, wait_until


@dataclass(frozen=True)
class Trial:
    """What is tried. With `stop` workers are stopped past their lease instead of killed."""

    sessions: int
    messages: int
    workers: int = 2
    projects: int = 50
    slots: int | None = None
    lease_seconds: float = 2.0
    shortest_seconds: float = 0.02
    longest_seconds: float = 0.1
    stop: bool = False

    def incoming(self, session: int, number: int) -> Incoming:
        # Ids count up over all sessions of a channel, as the ts of Slack does.
        return an_incoming(
            number * self.sessions + session + 1,
            thread=f"{session}.0",
            channel=f"C{session % self.projects}",
        )

    @property
    def turns(self) -> int:
        return self.sessions * self.messages


@dataclass(frozen=True)
class Span:
    """One start of a turn, until its worker left it or was killed; seconds."""

    number: int
    start: float
    end: float


@dataclass(frozen=True)
class Verdict:
    """Committed: never, twice or out of order. Started: out of order, at once, again.

    `acknowledged_twice` counts commits that two workers took for their own.
    """

    lost: int
    twice_or_out_of_order: int
    started_out_of_order: int
    at_once: int
    most_in_a_project: int
    redone: int
    refused: int
    acknowledged_twice: int
    seconds: float

    @property
    def is_committed_right(self) -> bool:
        """Say whether every turn is remembered once and in order."""
        return self.lost + self.twice_or_out_of_order + self.acknowledged_twice == 0

    @property
    def is_started_right(self) -> bool:
        """Say whether a session's turns were started in order and never two at once.

        Not to be asked of a worker that was stopped: it does not know yet that it lost them.
        """
        return self.started_out_of_order + self.at_once == 0


async def run_trial(home: Path, trial: Trial) -> Verdict:
    """Run one trial in a fresh home."""
    async with embedded(home) as server, Store.connect(server.url, server.password) as store:
        began = time.monotonic()
        with ExitStack() as stack:
            workers = [_start_worker(home, trial, stack) for _ in range(trial.workers)]
            await wait_until(lambda: len(list(home.glob("*.notes"))) == len(workers), 60)
            pushing = asyncio.create_task(_push_all(store, trial))
            gone: dict[int, float] = {}
            for number, victim in enumerate(workers[1:], 1):
                begun = trial.turns * number / (trial.workers + 1)
                await wait_until(lambda begun=begun: len(_notes(home, "start")) > begun, 60)
                await wait_until(lambda victim=victim: _is_busy(home, victim), 60)
                gone[victim.pid] = await _disturb(victim, trial)
            await pushing
            await wait_until(lambda: _is_empty(store), 120)
            if trial.stop:
                await _let_them_come_back(home, workers[1:])
        seconds = time.monotonic() - began
        histories = await _histories(store, trial)
    return _judge(home, trial, histories, gone, seconds)


def _start_worker(home: Path, trial: Trial, stack: ExitStack) -> subprocess.Popen[bytes]:
    times = (trial.lease_seconds, trial.shortest_seconds, trial.longest_seconds)
    numbers = map(str, (*times, trial.slots or 0))
    command = [sys.executable, "-m", "tests.storage.trial_worker", home, *numbers]
    worker = stack.enter_context(subprocess.Popen(command))
    stack.callback(worker.kill)
    return worker


async def _push_all(store: Store, trial: Trial) -> None:
    queue = Queue(store, worker="gateway", lease_seconds=1)
    for number in range(trial.messages):
        for session in range(trial.sessions):
            incoming = trial.incoming(session, number)
            await queue.push(incoming, event_id=f"{session}-{number}")


def _is_busy(home: Path, worker: subprocess.Popen[bytes]) -> bool:
    started, left = (
        [who for who, _, _ in _notes(home, what) if f"-{worker.pid}-" in who]
        for what in ("start", "leave")
    )
    return len(started) > len(left)


async def _disturb(worker: subprocess.Popen[bytes], trial: Trial) -> float:
    """Kill or stop a worker; returns when, in seconds of the monotonic clock."""
    gone = time.monotonic()
    worker.send_signal(signal.SIGSTOP if trial.stop else signal.SIGKILL)
    if not trial.stop:
        await asyncio.to_thread(worker.wait)
    return gone


async def _let_them_come_back(home: Path, workers: list[subprocess.Popen[bytes]]) -> None:
    """Continue stopped workers and wait until they have tried to commit all that they held."""
    for worker in workers:
        worker.send_signal(signal.SIGCONT)
    await wait_until(lambda: _have_all_ended(home), 20)


async def _is_empty(store: Store) -> bool:
    depth = await Queue(store, worker="gateway", lease_seconds=1).depth()
    return depth.waiting + depth.running + depth.delayed + depth.capped == 0


async def _histories(store: Store, trial: Trial) -> list[list[str]]:
    found: list[list[str]] = []
    for session in range(trial.sessions):
        first = trial.incoming(session, 0)
        loaded = await SessionStore(store).load(first.session, first.project)
        found.append([message.content for message in loaded.history])
    return found


def _have_all_ended(home: Path) -> bool:
    started, committed, refused = (
        len(_notes(home, what)) for what in ("start", "committed", "refused")
    )
    return started == committed + refused


def _notes(home: Path, what: str) -> list[tuple[str, str, float]]:
    """Return the notes of all workers about `what`: worker and session, number, time."""
    found: list[tuple[str, str, float]] = []
    for notes in home.glob("*.notes"):
        for line in notes.read_text("utf-8").splitlines():
            kind, session, number, when = line.split(" ")
            if kind == what:
                found.append((f"{notes.stem} {session}", number, float(when)))
    return found


def _spans(home: Path, gone: dict[int, float]) -> dict[str, list[Span]]:
    """Return what was started, by session and in order; who never left was gone by then."""
    left = {note[:2]: note[2] for note in _notes(home, "leave")}
    spans: dict[str, list[Span]] = defaultdict(list)
    for who, number, start in _notes(home, "start"):
        worker, session = who.split(" ")
        end = left.get((who, number)) or gone.get(int(worker.split("-")[-2]), start)
        spans[session].append(Span(int(number), start, end))
    return {session: sorted(each, key=lambda s: s.start) for session, each in spans.items()}


def _most_in_a_project(spans: dict[str, list[Span]]) -> int:
    """Return how many turns of one project ran at once at most."""
    edges: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for session, each in spans.items():
        for span in each:
            edges[session.split(":")[1]] += [(span.start, 1), (span.end, -1)]
    return max(max(accumulate(step for _, step in sorted(each))) for each in edges.values())


def _judge(
    home: Path, trial: Trial, histories: list[list[str]], gone: dict[int, float], seconds: float
) -> Verdict:
    wanted = [
        [trial.incoming(session, number).id for number in range(trial.messages)]
        for session in range(trial.sessions)
    ]
    spans = _spans(home, gone)
    neighbours = [pair for each in spans.values() for pair in pairwise(each)]
    return Verdict(
        lost=sum(len(set(w) - set(h)) for w, h in zip(wanted, histories, strict=True)),
        twice_or_out_of_order=sum(w != h for w, h in zip(wanted, histories, strict=True)),
        started_out_of_order=sum(after.number < before.number for before, after in neighbours),
        at_once=sum(after.start < before.end for before, after in neighbours),
        most_in_a_project=_most_in_a_project(spans),
        redone=sum(len(each) for each in spans.values()) - trial.turns,
        refused=len(_notes(home, "refused")),
        acknowledged_twice=max(len(_notes(home, "committed")) - trial.turns, 0),
        seconds=round(seconds, 2),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--messages", type=int, default=5)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--stop", action="store_true")
    asked = parser.parse_args()
    trial = Trial(asked.sessions, asked.messages, stop=asked.stop)
    clean = True
    for run in range(1, asked.runs + 1):
        with tempfile.TemporaryDirectory() as home:
            verdict = asyncio.run(run_trial(Path(home), trial))
        clean &= verdict.is_committed_right and (trial.stop or verdict.is_started_right)
        sys.stdout.write(f"{run}: {verdict}\n")
    sys.exit(0 if clean else 1)


if __name__ == "__main__":
    main()
