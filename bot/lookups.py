"""What we ask Slack about people and threads. A failure is a `LookupError`, never a guess."""

from typing import Any

from bot.delivery import Slack, SlackFailed

MOST_REPLIES = 1000
PAGE = 200


class Lookups:
    """Reads from one workspace."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack

    async def user(self, user: str) -> dict[str, Any]:
        """Return Slack's user object."""
        answer = await self._ask("users.info", {"user": user, "include_locale": True})
        found: dict[str, Any] = answer["user"]
        return found

    async def replies(self, channel: str, ts: str) -> list[dict[str, Any]]:
        """Return the thread that message `ts` belongs to, root first, at most 1,000 messages."""
        found: list[dict[str, Any]] = []
        cursor = ""
        while len(found) < MOST_REPLIES:
            page = {"channel": channel, "ts": ts, "limit": PAGE, "cursor": cursor or None}
            answer = await self._ask("conversations.replies", page)
            found += answer.get("messages") or []
            more: dict[str, Any] = answer.get("response_metadata") or {}
            cursor = str(more.get("next_cursor") or "")
            if not cursor:
                break
        return found

    async def _ask(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self._slack.call(method, arguments, repeatable=True)
        except SlackFailed as err:
            raise LookupError(str(err)) from err
