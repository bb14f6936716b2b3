"""Who may: the whole table, default no."""

import pytest

from bot.access import judge
from bot.people import Person, read_person
from harness.models import TeamId, UserId

HOME = TeamId("T1")
MEMBER = Person(id=UserId("U1"), name="ann", team=HOME)
GUEST = Person(id=UserId("U2"), name="gil", team=HOME, is_guest=True)
STRANGER = Person(id=UserId("U3"), name="sam", team=TeamId("T9"), is_stranger=True)
FOREIGN = Person(id=UserId("U4"), name="eve", team=TeamId("T9"))
BOT = Person(id=UserId("U5"), name="robo", team=HOME, is_bot=True)
GONE = Person(id=UserId("U6"), name="old", team=HOME, is_deleted=True)
EVERYBODY = (MEMBER, GUEST, STRANGER, FOREIGN, BOT, GONE)


@pytest.mark.parametrize(
    ("listed", "allowed"),
    [
        ((), {"ann"}),
        (("U1",), {"ann"}),
        (("U2",), {"gil"}),
        (("U3",), {"sam"}),
        (("U5", "U6"), set[str]()),
        (("U99",), set[str]()),
    ],
)
def test_who_is_allowed_by_which_list(listed: tuple[str, ...], allowed: set[str]):
    """Empty list: full members; else exactly the listed, bots and deactivated never."""
    may = {p.name for p in EVERYBODY if judge(p, home=HOME, allowed_users=listed).allowed}
    assert may == allowed


def test_guests_and_the_unlisted_are_told_strangers_and_bots_are_not():
    """A notice goes only to people of the home workspace."""
    told = {p.name: judge(p, home=HOME, allowed_users=()).notice for p in EVERYBODY}
    assert told == {
        "ann": None,
        "gil": "guests_refused",
        "sam": None,
        "eve": None,
        "robo": None,
        "old": None,
    }
    assert judge(MEMBER, home=HOME, allowed_users=("U9",)).notice == "not_on_list"
    assert judge(STRANGER, home=HOME, allowed_users=("U9",)).notice is None


def test_slack_s_flags_are_read_as_they_are_named():
    """is_restricted and is_ultra_restricted are guests; Slackbot is a bot."""
    assert read_person({"id": "U1", "is_ultra_restricted": True}).is_guest
    assert read_person({"id": "U1", "is_restricted": True}).is_guest
    assert read_person({"id": "U1", "is_stranger": True}).is_stranger
    assert read_person({"id": "USLACKBOT"}).is_bot
    assert read_person({"id": "U1", "profile": {"display_name": "Ann"}}).name == "Ann"
