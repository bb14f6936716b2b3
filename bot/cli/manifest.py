"""`deskmate manifest`: print the Slack app manifest."""

import typer


def manifest() -> None:
    """Print the Slack app manifest; paste it at api.slack.com/apps, «From a manifest».

    Example: deskmate manifest > manifest.yml
    """
    from bot.manifest import render  # noqa: PLC0415 - YAML is not needed for --help

    typer.echo(render(), nl=False)
