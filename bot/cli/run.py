"""`deskmate run`: the bot against Slack."""

import asyncio
import signal
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from bot.settings import Settings


class Role(StrEnum):
    """Which half of the bot a process is; the values are `bot.settings.ProcessRole`."""

    ALL = "all"
    GATEWAY = "gateway"
    WORKER = "worker"


_READY = {
    Role.ALL: "Deskmate is connected as @{name}. Ctrl-C stops it.",
    Role.GATEWAY: "Deskmate's gateway is connected as @{name}; workers answer. Ctrl-C stops it.",
    Role.WORKER: "Deskmate's worker answers as @{name}; a gateway listens. Ctrl-C stops it.",
}

DOUBLED_SECONDS = 1.0


def run(
    *,
    role: Annotated[
        Role,
        typer.Option(help="gateway: only receive and queue; worker: only answer; all: both."),
    ] = Role.ALL,
) -> None:
    """Run the bot against Slack, over Socket Mode.

    Example: SLACK_BOT_TOKEN=xoxb-... SLACK_APP_TOKEN=xapp-... OPENAI_API_KEY=... deskmate run
    """
    from bot.settings import SettingsError, load, require_slack  # noqa: PLC0415 - not for --help

    try:
        settings = load()
        require_slack(settings, role.value)
    except SettingsError as err:
        fail(err.problems, status=2)
    asyncio.run(_serve(settings, role))


async def _serve(settings: "Settings", role: Role) -> None:
    from bot import logs  # noqa: PLC0415 - not for --help
    from bot.app import App  # noqa: PLC0415
    from bot.gateway.preflight import StartError  # noqa: PLC0415
    from harness.errors import StoreUnavailable  # noqa: PLC0415

    logs.configure(secrets=settings.secrets)
    stop = stop_on_signals()
    try:
        async with App(settings, role=role.value) as app:
            await app.connected()
            typer.echo(_READY[role].format(name=app.me.name))
            await app.run_until(stop)
    except (StartError, StoreUnavailable) as err:
        fail([str(err)], status=1)


def stop_on_signals() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set; a later second signal ends the process at once.

    One stop often comes twice, from `make` and from whoever stopped `make`: that is no second one.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        if not stop.is_set():
            stop.set()
            loop.call_later(DOUBLED_SECONDS, loop.remove_signal_handler, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal, number)
    return stop


def fail(problems: list[str], *, status: int) -> NoReturn:
    """Print each problem on a line of its own and end with the status."""
    for problem in problems:
        typer.echo(f"deskmate: {problem}", err=True)
    sys.exit(status)
