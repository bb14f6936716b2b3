"""Who people are: cached `users.info`, and what it says about guests, strangers and bots.

Slack is asked at most once per person and ten minutes; a failure is raised, never guessed around.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from harness.models import TeamId, UserId

FRESH_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Person:
    """One Slack user as far as we need to know them."""

    id: UserId
    name: str
    team: TeamId | None = None
    is_bot: bool = False
    is_guest: bool = False
    is_stranger: bool = False
    is_deleted: bool = False
    locale: str = "en"


def read_person(user: dict[str, Any]) -> Person:
    """Read a `users.info` user object; unset flags mean no."""
    profile: dict[str, Any] = user.get("profile") or {}
    name = profile.get("display_name") or profile.get("real_name") or user.get("real_name")
    team = user.get("team_id")
    return Person(
        id=UserId(str(user["id"])),
        name=str(name or user.get("name") or user["id"]),
        team=TeamId(str(team)) if team else None,
        is_bot=bool(user.get("is_bot")) or user["id"] == "USLACKBOT",
        is_guest=bool(user.get("is_restricted") or user.get("is_ultra_restricted")),
        is_stranger=bool(user.get("is_stranger")),
        is_deleted=bool(user.get("deleted")),
        locale=str(user.get("locale") or "en"),
    )


class People:
    """The cache. `fetch(user)` returns Slack's user object or raises."""

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[dict[str, Any]]],
        now: Callable[[], float],
    ) -> None:
        self._fetch = fetch
        self._now = now
        self._known: dict[str, tuple[float, Person]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def get(self, user: str) -> Person:
        """Return the person; one call to Slack at a time and person."""
        async with self._asking.setdefault(user, asyncio.Lock()):
            known = self._known.get(user)
            if known and self._now() - known[0] < FRESH_SECONDS:
                return known[1]
            person = read_person(await self._fetch(user))
            self._known[user] = (self._now(), person)
            return person

    def forget(self, user: str) -> None:
        self._known.pop(user, None)

    def name(self, user: str) -> str | None:
        """Return the name if it is known without asking."""
        known = self._known.get(user)
        return known[1].name if known else None
