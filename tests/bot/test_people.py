"""The cache of people: one question to Slack, never a guess."""

import asyncio
from typing import Any

import pytest

from bot.people import FRESH_SECONDS, People


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_person_is_asked_for_once_in_ten_minutes_even_by_many_at_once():
    """Eight turns at once make one call."""
    asked: list[str] = []

    async def fetch(user: str) -> dict[str, Any]:
        asked.append(user)
        await asyncio.sleep(0)
        return {"id": user, "name": "ann"}

    clock = Clock()
    people = People(fetch, clock)
    found = await asyncio.gather(*(people.get("U1") for _ in range(8)))
    assert {p.name for p in found} == {"ann"}
    assert asked == ["U1"]
    clock.now = FRESH_SECONDS + 1
    await people.get("U1")
    assert asked == ["U1", "U1"]
    people.forget("U1")
    assert people.name("U1") is None


async def test_a_failure_is_raised_and_not_remembered():
    """Who cannot be looked up is not guessed at, and asked for again."""
    answers = [LookupError("down"), {"id": "U1", "name": "ann"}]

    async def fetch(_user: str) -> dict[str, Any]:
        answer = answers.pop(0)
        if isinstance(answer, LookupError):
            raise answer
        return answer

    people = People(fetch, Clock())
    with pytest.raises(LookupError):
        await people.get("U1")
    assert (await people.get("U1")).name == "ann"
