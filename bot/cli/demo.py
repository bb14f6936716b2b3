"""`deskmate demo`: a local Slack-like workspace and the bot, in one process, offline."""

import asyncio
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.run import fail, stop_on_signals

if TYPE_CHECKING:
    from bot.playground import Playground
    from bot.settings import Settings


class Chaos(StrEnum):
    """How much goes wrong on purpose; the numbers of the page's dial stand in the playground."""

    off = "off"
    mild = "mild"
    wild = "wild"


def demo(
    *,
    port: Annotated[int, typer.Option(help="Port of the page.", min=0, max=65535)] = 8420,
    data: Annotated[
        Path | None, typer.Option(help="Folder for the demo's data [$DESKMATE_HOME/demo].")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A model of your endpoint (OPENAI_*) [rehearsal].")
    ] = None,
    chaos: Annotated[
        Chaos, typer.Option(help="How much goes wrong on purpose.", show_choices=True)
    ] = Chaos.off,
    seed: Annotated[int, typer.Option(help="Where the dice of --chaos begin.")] = 1,
) -> None:
    """Show Deskmate offline: a local workspace in the browser, the bot, a scripted model.

    Example: deskmate demo --port 8420 --chaos mild --seed 7
    """
    from bot.settings import SettingsError, load  # noqa: PLC0415 - not for --help

    try:
        settings = load()
    except SettingsError as err:
        fail(err.problems, status=2)
    if model and settings.openai_api_key is None and settings.openai_base_url is None:
        fail([f"--model {model} needs OPENAI_API_KEY or OPENAI_BASE_URL."], status=2)
    data = data or settings.deskmate_home / "demo"
    asyncio.run(_show(settings, Stage(port, data, model, chaos, seed)))


@dataclass(frozen=True, slots=True)
class Stage:
    """What the person asked the demo to be."""

    port: int
    data: Path
    model: str | None
    chaos: Chaos
    seed: int


async def _show(settings: "Settings", stage: Stage) -> None:
    from bot import logs  # noqa: PLC0415 - not for --help
    from bot.app import App  # noqa: PLC0415
    from bot.gateway.preflight import StartError  # noqa: PLC0415
    from bot.playground import LEVELS, Playground  # noqa: PLC0415
    from bot.settings import REHEARSAL  # noqa: PLC0415
    from harness.errors import StoreUnavailable  # noqa: PLC0415

    logs.configure(secrets=settings.secrets, level="WARNING")
    stop = stop_on_signals()
    name = stage.model or REHEARSAL
    try:
        async with (
            Playground(port=stage.port, seed=stage.seed, model=name) as playground,
            App(_settings_for(settings, playground, stage.data, name)) as app,
        ):
            await app.connected()
            playground.set_dial(LEVELS[stage.chaos])
            typer.echo(f"Deskmate demo: {playground.page_url} (model: {name}; Ctrl-C stops it)")
            await app.run_until(stop)
    except (StartError, StoreUnavailable) as err:
        fail([str(err)], status=1)
    except OSError as err:
        reason = os.strerror(err.errno).lower() if err.errno else str(err)
        fail([f"I can't listen on port {stage.port} ({reason}). Try: --port 0"], status=1)


def _settings_for(
    settings: "Settings", playground: "Playground", data: Path, model: str
) -> "Settings":
    """Point the bot at the playground; what the operator set for a real workspace stays out."""
    from pydantic import SecretStr  # noqa: PLC0415 - not for --help

    listens = "deskmate_http" in settings.model_fields_set
    return settings.model_copy(
        update={
            "slack_bot_token": SecretStr(playground.bot_token),
            "slack_app_token": SecretStr(playground.app_token),
            "slack_api_url": playground.api_url,
            "deskmate_home": data.expanduser().absolute(),
            "deskmate_model": model,
            "deskmate_http": settings.deskmate_http if listens else None,
            "deskmate_allowed_users": (),
            "redis_url": None,
        }
    )
