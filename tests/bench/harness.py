"""What the core costs without a model: `python -m tests.bench.harness`.

Import time of the core alone, time per step (events, journal in memory, tools on the real disk),
bytes of the request for "hi". Targets: numbers.md 1 and 4.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from itertools import pairwise
from pathlib import Path

from harness.agent import Agent
from harness.budget import Limits
from harness.chat.wire import request_body
from harness.context import build_request, opening_message
from harness.events import StepStarted
from harness.models import Delta, ModelRequest, Project, ProjectId, ToolCallDelta
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.support import KEY, asked, work

STEPS = 400
FRAGMENTS = 40
IMPORTS = 9
MAX_IMPORT_SECONDS = 0.2
MAX_REQUEST_BYTES = 12 * 1024
CORE = "harness.agent, harness.tools.files"


class Instant:
    """A model that answers at once: forty fragments and one tool call, for `STEPS` steps.

    `{n}` in the call is the number of the step: the same again and again would be stopped.
    """

    def __init__(self, tool: str, arguments: str) -> None:
        self._tool, self._arguments = tool, arguments
        self._left = STEPS

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        del request
        self._left -= 1
        for _ in range(FRAGMENTS):
            yield Delta(text="word ")
        if self._left:
            tool, arguments = (
                text.replace("{n}", str(self._left)) for text in (self._tool, self._arguments)
            )
            yield Delta(tool_call=ToolCallDelta(0, "a", tool, arguments))
        yield Delta(finish="stop")


async def step_times(project: Project, tool: str, arguments: str) -> list[float]:
    """Give the milliseconds of each step of one long turn."""
    agent = Agent(Instant(tool, arguments), Toolset(FILE_TOOLS), Limits(steps=STEPS + 1))
    times: list[float] = []
    async for event in agent.run(work(project, "go"), MemoryTurn().take()):
        if isinstance(event, StepStarted):
            times.append(time.perf_counter() * 1000)
    return [later - earlier for earlier, later in pairwise(times)]


def import_seconds() -> float:
    """Give the median import time of the core, net of the interpreter."""
    code = f"import time; t = time.perf_counter(); import {CORE}; print(time.perf_counter() - t)"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(IMPORTS)
    ]
    return statistics.median(runs)


def request_sizes() -> tuple[int, int, int]:
    """Give the bytes of the request for "hi", and of its system prompt and tools."""
    request = build_request(
        "gpt-5-mini", Toolset(FILE_TOOLS).schemas, (opening_message(asked("hi")),), ""
    )
    body = request_body(request)
    return (
        len(json.dumps(body, ensure_ascii=False).encode()),
        len(request.system.encode()),
        len(json.dumps(body["tools"], ensure_ascii=False).encode()),
    )


def show(what: str, value: str, target: str = "") -> None:
    sys.stdout.write(f"{what:44} {value:>24}   {target}\n")


async def main() -> None:
    total, system, tools = request_sizes()
    show("import of the core", f"{import_seconds():.3f} s", f"<= {MAX_IMPORT_SECONDS} s")
    show('request for "hi"', f"{total} bytes", f"<= {MAX_REQUEST_BYTES}")
    show("  of it system prompt, tools", f"{system}, {tools} bytes")
    with tempfile.TemporaryDirectory() as place:
        project = Project(
            team=KEY.team,
            id=ProjectId("C1"),
            kind="public",
            name="api",
            folder=Path(place) / "project",
            model="m",
        )
        for label, tool, arguments in (
            ("no such tool", "none{n}", "{}"),
            ("file_write, fsynced", "file_write", '{"path": "a{n}", "content": "x"}'),
            ("file_read", "file_read", '{"path": "a{n}"}'),
            ("file_search", "file_search", '{"path": "a{n}", "pattern": "x"}'),
        ):
            times = await step_times(project, tool, arguments)
            p95 = statistics.quantiles(times, n=20)[-1]
            value = f"p50 {statistics.median(times):.2f}, p95 {p95:.2f} ms"
            show(f"a step of {FRAGMENTS} fragments + {label}", value)


if __name__ == "__main__":
    asyncio.run(main())
