"""The floor: a bare Bolt echo bot over Socket Mode, without a model, a store or a memory.

What it costs any Slack bot in Python costs. Run as a process of its own, by `turn`.
"""

import asyncio
import os
import sys
from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.say.async_say import AsyncSay
from slack_sdk.web.async_client import AsyncWebClient


async def on_mention(event: dict[str, Any], say: AsyncSay) -> None:
    await say(text=event["text"], thread_ts=event.get("thread_ts") or event["ts"])


async def on_message() -> None:
    """Acknowledge the twin of a mention; without a listener it would come again."""


async def main() -> None:
    client = AsyncWebClient(os.environ["SLACK_BOT_TOKEN"], os.environ["SLACK_API_URL"])
    app: Any = AsyncApp(client=client)
    app.event("app_mention")(on_mention)
    app.event("message")(on_message)
    socket: Any = AsyncSocketModeHandler(app, os.environ["SLACK_APP_TOKEN"])
    await socket.connect_async()
    sys.stdout.write("connected\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
