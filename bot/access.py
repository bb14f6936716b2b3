"""Who may talk to Deskmate; the default is no.

Where a person is refused, the verdict says whether they are told: guests and people who are not on
the list are, once an hour; strangers of other workspaces and bots are not.
"""

from dataclasses import dataclass

from bot.people import People, Person
from harness.models import TeamId, UserId


@dataclass(frozen=True, slots=True)
class Verdict:
    """May they, and if not, the key of the sentence to tell them (none: silence)."""

    allowed: bool
    reason: str
    notice: str | None = None


def judge(person: Person, *, home: TeamId, allowed_users: tuple[str, ...]) -> Verdict:
    """Decide for one person; `allowed_users` empty means full members of the home workspace."""
    foreign = person.is_stranger or (person.team is not None and person.team != home)
    rules = (
        (person.is_bot or person.is_deleted, _no("bot or deactivated account")),
        (person.id in allowed_users, Verdict(allowed=True, reason="on the allow-list")),
        (foreign, _no("from another workspace")),
        (bool(allowed_users), _no("not on the allow-list", notice="not_on_list")),
        (person.is_guest, _no("guest", notice="guests_refused")),
    )
    met = (verdict for applies, verdict in rules if applies)
    return next(met, Verdict(allowed=True, reason="full member"))


def _no(reason: str, notice: str | None = None) -> Verdict:
    return Verdict(allowed=False, reason=reason, notice=notice)


class Access:
    """The rules of one workspace, applied to people by id."""

    def __init__(self, people: People, home: TeamId, allowed_users: tuple[str, ...]) -> None:
        self._people = people
        self._home = home
        self._allowed_users = allowed_users

    async def judge(self, user: UserId) -> tuple[Person, Verdict]:
        """Decide for a user. Raises `LookupError` if Slack does not say who that is."""
        person = await self._people.get(user)
        return person, judge(person, home=self._home, allowed_users=self._allowed_users)

    async def may(self, user: UserId) -> bool:
        """Whether a user may; not if that cannot be found out."""
        try:
            return (await self.judge(user))[1].allowed
        except LookupError:
            return False
