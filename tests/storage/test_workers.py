"""Who is alive on this host, by the kernel's word."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from storage.client import Store
from storage.queue import Queue
from storage.workers import Registration
from tests.support import an_incoming

SLEEPER = """
import sys, time
from pathlib import Path
from storage.workers import Registration
registration = Registration(Path(sys.argv[1]))
print(registration.worker, flush=True)
time.sleep(60)
"""


def a_killed_worker(folder: Path) -> str:
    """Register another process and kill it; returns the name it had."""
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPER, folder], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        with Registration(folder) as here:
            assert here.dead() == []
        process.send_signal(signal.SIGKILL)
        process.wait()
    return name


def test_names_differ(tmp_path: Path):
    """Two registrations of one process are two workers."""
    with Registration(tmp_path) as one, Registration(tmp_path) as two:
        assert one.worker != two.worker
        assert str(os.getpid()) in one.worker


def test_signing_off_leaves_nothing(tmp_path: Path):
    """A worker that ends properly is not among the dead."""
    with Registration(tmp_path):
        pass
    with Registration(tmp_path) as here:
        assert here.dead() == []
        assert [path.name for path in tmp_path.iterdir()] == [here.worker]


def test_killed_worker_is_dead_at_once(tmp_path: Path):
    """The kernel says who is gone; once buried it is not named again."""
    name = a_killed_worker(tmp_path)
    with Registration(tmp_path) as here:
        assert here.dead() == [name]
        here.bury([name])
        assert here.dead() == []


def test_other_hosts_are_not_judged(tmp_path: Path):
    """A file of another machine says nothing about its worker; after a week it goes."""
    foreign = tmp_path / "elsewhere-1-abc"
    foreign.write_text("another-boot 1\n")
    with Registration(tmp_path) as here:
        assert here.dead() == []
        assert foreign.exists()
        long_ago = time.time() - 8 * 24 * 3600
        os.utime(foreign, (long_ago, long_ago))
        assert here.dead() == []
        assert not foreign.exists()


async def test_killed_neighbour_is_taken_over_at_once(store: Store, tmp_path: Path):
    """What a killed process of this host held is queued again without waiting for the lease."""
    dead = a_killed_worker(tmp_path)
    gone = Queue(store, worker=dead, lease_seconds=60)
    await gone.push(an_incoming(), event_id="e1")
    assert await gone.take(0) is not None

    with Registration(tmp_path) as here:
        queue = Queue(store, worker=here.worker, lease_seconds=60)
        assert await queue.take_over(here.dead()) == 1
        lease = await queue.take(0)

    assert lease is not None
    assert lease.attempt == 2
