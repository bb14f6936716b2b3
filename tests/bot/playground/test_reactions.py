"""reactions.*: names, doubles, and the events everybody hears, one's own included."""

import pytest

from bot.playground import Playground
from tests.bot.playground.clients import Api, events, listening
from tests.support import wait_until


async def test_a_reaction_is_added_once(playground: Playground, api: Api, channel: str) -> None:
    """The second time is already_reacted; reactions.get shows who."""
    ts = await playground.people.post("ann", "#api", "hello")

    await api("reactions.add", channel=channel, timestamp=ts, name="eyes")
    again = await api.refused("reactions.add", channel=channel, timestamp=ts, name="eyes")
    await playground.people.react("ben", "#api", ts, "eyes")
    got = await api("reactions.get", channel=channel, timestamp=ts, full=True)

    ben = playground.workspace.user_named("ben").id
    assert again == "already_reacted"
    assert got["message"]["reactions"] == [
        {"name": "eyes", "users": [playground.app.user.id, ben], "count": 2}
    ]


async def test_only_ones_own_reaction_is_removed(
    playground: Playground, api: Api, channel: str
) -> None:
    """An app cannot take back a person's reaction."""
    ts = await playground.people.post("ann", "#api", "hello")
    await playground.people.react("ben", "#api", ts, "eyes")

    refused = await api.refused("reactions.remove", channel=channel, timestamp=ts, name="eyes")

    assert refused == "no_reaction"


@pytest.mark.parametrize("name", ["\N{EYES}", ":eyes:", "no_such_emoji", "eyes::skin-tone-3"])
async def test_names_are_slacks_short_names(
    playground: Playground, api: Api, channel: str, name: str
) -> None:
    """Unicode, colons, unknown names and tones where none exist are invalid_name."""
    ts = await playground.people.post("ann", "#api", "hello")

    refused = await api.refused("reactions.add", channel=channel, timestamp=ts, name=name)

    assert refused == "invalid_name"


async def test_there_is_an_end_to_emoji(playground: Playground, api: Api, channel: str) -> None:
    """The 24th different emoji on one message is one too many."""
    ts = await playground.people.post("ann", "#api", "hello")
    names = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "zero",
        "x",
        "eyes",
        "tada",
        "rocket",
        "fire",
        "bug",
        "bulb",
        "key",
        "lock",
        "link",
        "mega",
        "memo",
        "zap",
    ]
    for name in names:
        await api("reactions.add", channel=channel, timestamp=ts, name=name)

    refused = await api.refused("reactions.add", channel=channel, timestamp=ts, name="gem")

    assert (len(names), refused) == (23, "too_many_emoji")


async def test_reactions_of_people_and_our_own_come_as_events(
    playground: Playground, api: Api, channel: str
) -> None:
    """reaction_added carries user, item and item_user, and no thread_ts; own echoes come too."""
    ts = await playground.people.post("ann", "#api", "hello")
    async with listening(playground) as heard:
        await playground.people.react("ben", "#api", ts, "+1::skin-tone-3")
        await api("reactions.add", channel=channel, timestamp=ts, name="eyes")
        await playground.people.unreact("ben", "#api", ts, "+1::skin-tone-3")
        await wait_until(lambda: len(heard) == 3)

    added, removed = events(heard, "reaction_added"), events(heard, "reaction_removed")
    assert {event["user"] for event in added} == {
        playground.workspace.user_named("ben").id,
        playground.app.user.id,
    }
    assert removed[0]["reaction"] == "+1::skin-tone-3"
    assert removed[0]["item"] == {"type": "message", "channel": channel, "ts": ts}
    assert removed[0]["item_user"] == playground.workspace.user_named("ann").id
    assert "thread_ts" not in removed[0]
