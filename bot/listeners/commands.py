"""Slash commands. Slack has none inside threads, so everything they do can also be said."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot import words
from bot.listeners import wiring
from bot.locale import say
from bot.manifest import COMMAND
from bot.outbound import inert
from bot.plain import escape


def register(app: AsyncApp) -> None:
    async def on_command(ack: AsyncAck, command: dict[str, Any]) -> None:
        verb = str(command.get("text") or "").strip().casefold()
        key = "help" if verb in words.HELP_WORDS else "unknown_verb"
        await ack(text=say("en", key, verb=escape(inert(verb[:80]))), response_type="ephemeral")

    wiring.on_command(app, COMMAND, on_command)
