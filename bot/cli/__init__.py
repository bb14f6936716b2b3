"""The command line: one file per command; a command is imported only when it is run.

Exit status: 0 ok, 1 something failed while running, 2 settings or arguments are wrong.
"""

import sys
from importlib import metadata
from typing import Annotated

import typer

from bot.cli import demo, doctor, manifest, run

app = typer.Typer(
    name="deskmate",
    help="A self-hosted teammate for Slack. Try it offline: deskmate demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - the shape of a typer callback
    if wanted:
        typer.echo(f"deskmate {metadata.version('deskmate')}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Carry the options every command shares."""


app.command("demo")(demo.demo)
app.command("run")(run.run)
app.command("doctor")(doctor.doctor)
app.command("manifest")(manifest.manifest)


def main() -> None:
    """Run the console script `deskmate`."""
    sys.exit(app(prog_name="deskmate"))
