"""A playground for clients in other languages: prints one line of JSON, runs until its input ends.

The line has addresses, tokens and ids. Faults, people and the clock go through the control API.
"""

import asyncio
import json
import sys

from bot.playground import Clock, Playground, Rules
from bot.playground.model import Shortcut


async def main() -> None:
    """Run a playground whose clock is real and whose files arrive at once."""
    async with Playground(rules=Rules(file_seconds=0.0), clock=Clock()) as playground:
        playground.app.shortcuts.append(Shortcut("global", "ask", "Ask"))
        print(json.dumps(described(playground)), flush=True)
        await asyncio.to_thread(sys.stdin.read)


def described(playground: Playground) -> dict[str, object]:
    workspace, app = playground.workspace, playground.app
    return {
        "apiUrl": playground.api_url,
        "pageUrl": playground.page_url,
        "botToken": playground.bot_token,
        "appToken": playground.app_token,
        "controlToken": playground.control_token,
        "signingSecret": app.signing_secret,
        "clientId": app.client_id,
        "clientSecret": app.client_secret,
        "botUser": app.user.id,
        "team": workspace.team.id,
        "users": {user.name: user.id for user in workspace.users.values()},
        "channels": {c.name: c.id for c in workspace.channels.values() if c.name},
    }


if __name__ == "__main__":
    asyncio.run(main())
