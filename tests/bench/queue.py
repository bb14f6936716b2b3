# ruff: noqa: A005 - it measures the queue, and is only ever run as tests.bench.queue
"""How fast the queue is, and what it costs when nothing happens: `python -m tests.bench.queue`.

A gateway process pushes, a worker process takes and finishes, over the embedded server with an
fsync per write. Bars: push to start p50 <= 2 ms and p99 <= 5 ms; idle <= 0.1 % of a core.
"""

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from storage.client import Store
from storage.heartbeat import Heartbeat
from storage.lease import Finish
from storage.queue import Queue
from storage.server import embedded
from tests.support import an_incoming

SESSIONS = 200
PER_SECOND = 100
TIDY_SECONDS = 1.0
BLOCK_SECONDS = 5.0


async def work(home: Path, calm: int, burst: int, idle_seconds: float) -> None:
    """Be the worker: be idle, then take `calm` turns as they come, then `burst` turns at once."""
    async with embedded(home) as server, Store.connect(server.url, server.password) as store:
        queue = Queue(store, worker="bench", lease_seconds=10)
        async with Heartbeat(
            store,
            worker="bench",
            lease_seconds=10,
            on_lost=lambda _: None,
            on_stop=lambda _: None,
        ):
            say({"idle_cpu_percent": await cost_of_nothing(queue, idle_seconds)})
            say({"latencies": await take_all(queue, calm)})
            await asyncio.to_thread(sys.stdin.readline)
            began = time.perf_counter()
            await asyncio.gather(*(take_all(queue, burst // 10) for _ in range(10)))
            say({"drained_per_second": burst / (time.perf_counter() - began)})


async def cost_of_nothing(queue: Queue, seconds: float) -> float:
    """Wait for turns that do not come, as a worker does; returns percent of a core."""
    tidying = asyncio.create_task(tidy(queue))
    await queue.take(BLOCK_SECONDS)  # connections and scripts are loaded once
    before, began = cpu_seconds(), time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        await queue.take(BLOCK_SECONDS)
    tidying.cancel()
    return 100 * (cpu_seconds() - before) / passed


async def tidy(queue: Queue) -> None:
    while True:
        await queue.move_due()
        await queue.take_over()
        await asyncio.sleep(TIDY_SECONDS)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def take_all(queue: Queue, count: int) -> list[float]:
    """Take and finish so many turns; returns milliseconds from push to start of each."""
    latencies: list[float] = []
    while len(latencies) < count:
        lease = await queue.take(5)
        if lease is not None:
            latencies.append(1000 * (time.time() - lease.incoming.received_at))
            await queue.finish(lease, Finish())
    return latencies


async def measure(home: Path, calm: int, burst: int, idle_seconds: float) -> dict[str, float]:
    """Be the gateway; returns the measured numbers."""
    command = [sys.executable, "-m", "tests.bench.queue", "--work", str(home)]
    counts = ["--calm", str(calm), "--burst", str(burst), "--idle", str(idle_seconds)]
    async with embedded(home) as server, Store.connect(server.url, server.password) as store:
        queue = Queue(store, worker="gateway", lease_seconds=10)
        pipe = asyncio.subprocess.PIPE
        worker = await asyncio.create_subprocess_exec(
            *command, *counts, stdin=pipe, stdout=pipe, limit=2**24
        )
        assert worker.stdout is not None
        assert worker.stdin is not None
        found: dict[str, float] = json.loads(await worker.stdout.readline())
        pushes = await push(queue, range(calm), 1 / PER_SECOND)
        latencies: list[float] = json.loads(await worker.stdout.readline())["latencies"]
        await push(queue, range(calm, calm + burst), 0)
        worker.stdin.write(b"\n")
        found |= json.loads(await worker.stdout.readline())
        await worker.wait()
    return found | percentiles("push_to_start", latencies) | percentiles("push", pushes)


async def push(queue: Queue, numbers: range, pause_seconds: float) -> list[float]:
    """Push turns, evenly in time; returns milliseconds that each push took."""
    took: list[float] = []
    for number in numbers:
        incoming = an_incoming(number, thread=f"{number % SESSIONS}.0", channel=f"C{number % 20}")
        began = time.time()
        incoming = incoming.model_copy(update={"received_at": began})
        await queue.push(incoming, event_id=f"e{number}")
        took.append(1000 * (time.time() - began))
        await asyncio.sleep(max(0.0, pause_seconds - (time.time() - began)))
    return took


def percentiles(name: str, values: list[float]) -> dict[str, float]:
    cuts = quantiles(values, n=100)
    return {f"{name}_ms_p50": cuts[49], f"{name}_ms_p95": cuts[94], f"{name}_ms_p99": cuts[98]}


def say(what: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calm", type=int, default=1000)
    parser.add_argument("--burst", type=int, default=2000)
    parser.add_argument("--idle", type=float, default=10.0)
    parser.add_argument("--work", type=Path, default=None)
    asked = parser.parse_args()
    if asked.work:
        asyncio.run(work(asked.work, asked.calm, asked.burst, asked.idle))
        return
    with tempfile.TemporaryDirectory() as home:
        found = asyncio.run(measure(Path(home), asked.calm, asked.burst, asked.idle))
    for name, value in sorted(found.items()):
        sys.stdout.write(f"{name:24} {value:10.3f}\n")


if __name__ == "__main__":
    main()
