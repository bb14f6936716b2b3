"""Bolt's registration with types: the one place that calls its loosely typed decorators."""

import re
from collections.abc import Awaitable, Callable

from slack_bolt.app.async_app import AsyncApp

Listener = Callable[..., Awaitable[None]]


def on_event(app: AsyncApp, kind: str | re.Pattern[str], listener: Listener) -> None:
    """Let `listener` take events of a kind; Bolt passes arguments by their names."""
    app.event(kind)(listener)  # pyright: ignore[reportUnknownMemberType] - Bolt's types have holes


def on_command(app: AsyncApp, name: str, listener: Listener) -> None:
    """Let `listener` take a slash command."""
    app.command(name)(listener)  # pyright: ignore[reportUnknownMemberType] - Bolt's types have holes
