"""Who may talk to Deskmate. Pure; the default is no.

Where a person is refused, the verdict says whether they are told: guests and people who are not on
the list are, once an hour; strangers of other workspaces and bots are not.
"""

from dataclasses import dataclass

from bot.people import Person
from harness.models import TeamId


@dataclass(frozen=True, slots=True)
class Verdict:
    """May they, and if not, the key of the sentence to tell them (none: silence)."""

    allowed: bool
    reason: str
    notice: str | None = None


def judge(person: Person, *, home: TeamId, allowed_users: tuple[str, ...]) -> Verdict:
    """Decide for one person; `allowed_users` empty means full members of the home workspace."""
    if person.is_bot or person.is_deleted:
        return Verdict(allowed=False, reason="bot or deactivated account")
    if allowed_users:
        if person.id in allowed_users:
            return Verdict(allowed=True, reason="on the allow-list")
        told = None if _is_foreign(person, home) else "not_on_list"
        return Verdict(allowed=False, reason="not on the allow-list", notice=told)
    if _is_foreign(person, home):
        return Verdict(allowed=False, reason="from another workspace")
    if person.is_guest:
        return Verdict(allowed=False, reason="guest", notice="guests_refused")
    return Verdict(allowed=True, reason="full member")


def _is_foreign(person: Person, home: TeamId) -> bool:
    return person.is_stranger or (person.team is not None and person.team != home)
