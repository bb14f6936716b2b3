"""Bad input to the commands: one clear line each, the promised exit status, no traceback."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from bot.playground import Playground
from tests.acceptance.world import World, a_world

pytestmark = pytest.mark.timeout(30)
BOUND_SECONDS = 10.0


async def deskmate(*arguments: str, cwd: Path, **environ: str) -> tuple[int, str, str]:
    """Run the command to its end within the contract's bound; returns status, out, err."""
    return await ended(arguments, cwd, environ, BOUND_SECONDS)


async def ended(
    arguments: Sequence[str], cwd: Path, environ: dict[str, str], within: float
) -> tuple[int, str, str]:
    """Run the command in an environment of its own; returns status, out, err."""
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=cwd,
        env={"PATH": os.defpath, "HOME": str(cwd), "PYTHONPATH": str(Path.cwd()), **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(within):
        out, err = await running.communicate()
    assert running.returncode is not None
    return running.returncode, out.decode(), err.decode()


def said(err: str) -> list[str]:
    """The lines meant for the operator; log lines are JSON."""
    assert "Traceback" not in err
    return [line for line in err.splitlines() if line.startswith("deskmate: ")]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    async with a_world(tmp_path / "home") as opened:
        opened.home.mkdir()
        yield opened


async def test_nothing_set_names_all_that_is_missing(tmp_path: Path):
    """Unset: exit 2 at once, a line for each."""
    status, out, err = await deskmate("run", cwd=tmp_path)
    assert (status, out) == (2, "")
    assert [line.split()[1] for line in said(err)] == [
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "OPENAI_API_KEY",
    ]


async def test_half_set_and_malformed_settings_are_all_named(tmp_path: Path):
    """Swapped tokens and a bad address: exit 2, no secret in the text."""
    status, _, err = await deskmate(
        "run",
        cwd=tmp_path,
        SLACK_BOT_TOKEN="xapp-canary",
        SLACK_APP_TOKEN="xoxb-canary",
        DESKMATE_HTTP="here",
    )
    assert status == 2
    assert len(said(err)) == 3
    assert "canary" not in err


@pytest.mark.parametrize(
    ("setting", "value", "names"),
    [
        ("SLACK_BOT_TOKEN", "xoxb-wrong", "SLACK_BOT_TOKEN (invalid_auth)"),
        ("SLACK_APP_TOKEN", "xapp-wrong", "SLACK_APP_TOKEN (invalid_auth)"),
        (
            "REDIS_URL",
            "redis://127.0.0.1:1/0",
            "The store at redis://127.0.0.1:1/0 does not answer",
        ),
        ("SLACK_API_URL", "http://127.0.0.1:1/api/", "can't reach Slack"),
    ],
)
async def test_what_is_refused_or_unreachable_ends_with_one_line(
    world: World, setting: str, value: str, names: str
):
    """Wrong tokens, no store, no Slack: exit 1 within 10 s."""
    environ = {**world.environ(), setting: value}
    status, _, err = await deskmate("run", cwd=world.home, **environ)
    assert status == 1
    assert len(said(err)) == 1
    assert names in said(err)[0]
    assert "wrong" not in said(err)[0]


async def test_a_taken_port_ends_with_one_line(world: World):
    """Somebody else listens on DESKMATE_HTTP."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        environ = {**world.environ(), "DESKMATE_HTTP": address}
        status, _, err = await deskmate("run", cwd=world.home, **environ)
    assert status == 1
    assert len(said(err)) == 1
    assert f"I can't listen on {address} (address already in use)" in said(err)[0]
    assert "Set DESKMATE_HTTP" in said(err)[0]


async def test_a_folder_that_cannot_be_written_ends_with_one_line(world: World):
    """A file stands where the data folder should be made."""
    (world.home / "occupied").write_text("")
    environ = {**world.environ(), "DESKMATE_HOME": str(world.home / "occupied" / "data")}
    status, _, err = await deskmate("run", cwd=world.home, **environ)
    assert status == 1
    assert len(said(err)) == 1
    assert "occupied" in said(err)[0]


async def test_a_data_folder_too_deep_for_a_socket_works_all_the_same(world: World):
    """The socket moves to a short folder, whose address is written down."""
    deep = world.home / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    world.home = deep
    async with world.process():
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
    assert (deep / "store" / "address").exists()


async def test_the_demo_s_taken_port_is_said_in_one_line(tmp_path: Path):
    """`--port` in use: what to do stands in the line."""
    async with Playground() as other:
        port = other.page_url.rsplit(":", 1)[1].strip("/")
        status, _, err = await deskmate("demo", "--port", port, cwd=tmp_path)
    assert status == 1
    assert said(err) == [
        f"deskmate: I can't listen on port {port} (address already in use). Try: --port 0"
    ]


async def test_every_command_has_help_with_an_example(tmp_path: Path):
    """--help anywhere, --version, and the manifest; all exit 0."""
    for command in ((), ("run",), ("demo",), ("doctor",), ("manifest",)):
        status, out, _ = await deskmate(*command, "--help", cwd=tmp_path)
        assert status == 0
        assert "deskmate" in out
    status, out, _ = await deskmate("--version", cwd=tmp_path)
    assert (status, out.split()[0]) == (0, "deskmate")
    status, out, _ = await deskmate("manifest", cwd=tmp_path)
    assert (status, "agent_view" in out) == (0, True)


@pytest.mark.parametrize(
    ("typed", "named"),
    [(("rnu",), "No such command 'rnu'"), (("run", "--role", "boss"), "'boss' is not one of")],
)
async def test_what_is_mistyped_is_one_clear_line(
    tmp_path: Path, typed: tuple[str, ...], named: str
):
    """Exit 2, and where to look."""
    status, _, err = await deskmate(*typed, cwd=tmp_path)
    assert status == 2
    assert named in err
    assert "Traceback" not in err


async def test_passwords_kept_for_other_programs_are_neither_a_fault_nor_sent(world: World):
    """A `default` line in ~/.netrc is for others: it stops no start and reaches no socket."""
    netrc = world.home / "netrc"
    netrc.write_text("default login somebody password canary\n")
    netrc.chmod(0o600)
    async with world.process(NETRC=str(netrc)):
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
    calls = world.playground.journal.calls("apps.connections.open")
    assert calls
    assert all(call["ok"] for call in calls)
