"""The smaller groups of methods: groups, pins, schedules, channels, search, validation."""

import pytest

from bot.playground import Playground
from tests.bot.playground.clients import Api, Json, events, listening
from tests.support import wait_until


@pytest.fixture
def wide(playground: Playground, api: Api) -> Api:
    """Give a client whose app may do all that these methods ask for."""
    playground.app.scopes += [
        "pins:read",
        "pins:write",
        "channels:manage",
        "users:read.email",
        "users.profile:read",
        "search:read.public",
    ]
    return api


async def test_user_groups(playground: Playground, api: Api) -> None:
    """They are listed with their people when asked; an unknown one is no_such_subteam."""
    groups = (await api("usergroups.list", include_users=True))["usergroups"]
    ann = playground.workspace.user_named("ann").id
    users = (await api("usergroups.users.list", usergroup=groups[0]["id"]))["users"]

    assert groups[0]["handle"] == "deployers"
    assert users == groups[0]["users"]
    assert ann in users
    assert await api.refused("usergroups.users.list", usergroup="S0") == "no_such_subteam"


async def test_pins(playground: Playground, wide: Api, channel: str) -> None:
    """Pinned once, listed with a link, unpinned once; the app hears of it if it subscribed."""
    playground.app.events.append("pin_added")
    ts = await playground.people.post("ann", "#api", "read me")
    pin = {"channel": channel, "timestamp": ts}
    async with listening(playground) as heard:
        await wide("pins.add", **pin)
        await wait_until(lambda: bool(events(heard, "pin_added")))
    again = await wide.refused("pins.add", **pin)
    items = (await wide("pins.list", channel=channel))["items"]
    await wide("pins.remove", **pin)

    assert again == "already_pinned"
    assert items[0]["message"]["permalink"].endswith(ts.replace(".", ""))
    assert await wide.refused("pins.remove", **pin) == "no_pin"


async def test_a_scheduled_message_comes_at_its_time(
    playground: Playground, api: Api, channel: str
) -> None:
    """It is listed while it waits and posted by the clock."""
    at = int(playground.workspace.clock.now()) + 60
    waits = await api("chat.scheduleMessage", channel=channel, text="later", post_at=at)
    listed = (await api("chat.scheduledMessages.list"))["scheduled_messages"]
    playground.workspace.clock.advance(61)

    assert [one["id"] for one in listed] == [waits["scheduled_message_id"]]
    assert [m.text for m in playground.channel("api").messages.values()] == ["later"]
    assert (await api("chat.scheduledMessages.list"))["scheduled_messages"] == []


async def test_a_scheduled_message_can_be_taken_back(
    playground: Playground, api: Api, channel: str
) -> None:
    """Then it never comes; the past and the far future are refused."""
    now = int(playground.workspace.clock.now())
    waits = await api("chat.scheduleMessage", channel=channel, text="x", post_at=now + 60)
    one = {"channel": channel, "scheduled_message_id": waits["scheduled_message_id"]}
    await api("chat.deleteScheduledMessage", **one)
    playground.workspace.clock.advance(61)

    assert not playground.channel("api").messages
    assert await api.refused("chat.deleteScheduledMessage", **one) == (
        "invalid_scheduled_message_id"
    )
    for post_at, error in ((now - 1, "time_in_past"), (now + 121 * 86_400, "time_too_far")):
        late = {"channel": channel, "text": "x", "post_at": post_at}
        assert await api.refused("chat.scheduleMessage", **late) == error


async def test_a_channel_from_beginning_to_end(playground: Playground, wide: Api) -> None:
    """Created, peopled, given a topic, read, left, archived by another; names are checked."""
    made = (await wide("conversations.create", name="launch"))["channel"]
    place = {"channel": made["id"]}
    ann = playground.workspace.user_named("ann").id
    await wide("conversations.invite", **place, users=ann)
    ts = await playground.people.post("ann", "#launch", "go")
    await wide("conversations.mark", **place, ts=ts)
    topic = (await wide("conversations.setTopic", **place, topic="lift off"))["channel"]["topic"]
    await wide("conversations.archive", **place)

    assert topic["value"] == "lift off"
    assert playground.channel("launch").read[playground.app.user.id] == ts
    assert await wide.refused("chat.postMessage", **place, text="x") == "is_archived"
    assert await wide.refused("conversations.archive", **place) == "already_archived"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", "invalid_name_required"),
        ("x" * 81, "invalid_name_maxlength"),
        ("Up & Down", "invalid_name_specials"),
        ("api", "name_taken"),
    ],
)
async def test_channel_names(wide: Api, name: str, error: str) -> None:
    """Each bad name has its error."""
    assert await wide.refused("conversations.create", name=name) == error


async def test_leaving_a_channel(playground: Playground, wide: Api, channel: str) -> None:
    """The bot is out, hears no more there, and cannot post."""
    await wide("conversations.leave", channel=channel)

    assert playground.app.user.id not in playground.channel("api").members
    assert await wide.refused("chat.postMessage", channel=channel, text="x") == "not_in_channel"
    assert (await wide("conversations.leave", channel=channel))["not_in_channel"]


async def test_search_needs_the_token_of_an_event(playground: Playground, wide: Api) -> None:
    """The event of a mention carries it; public messages are found by their words, newest first."""
    await playground.people.post("ann", "#random", "the deploy is on Tuesday")
    await playground.people.post("ann", "#secret", "the deploy key is hidden")
    async with listening(playground) as heard:
        await playground.people.post("ben", "#api", "@Deskmate when do we ship?")
        await wait_until(lambda: bool(events(heard, "app_mention")))
    token = events(heard, "app_mention")[0]["assistant_thread"]["action_token"]

    found = (await wide("assistant.search.context", query="deploy", action_token=token))["results"]
    wrong = await wide.refused("assistant.search.context", query="deploy", action_token="x")

    assert [hit["content"] for hit in found["messages"]] == ["the deploy is on Tuesday"]
    assert wrong == "invalid_action_token"
    assert token not in str(playground.journal.calls("assistant.search.context"))
    assert (await wide("assistant.search.info"))["ok"]


async def test_bots_do_not_search_messages(api: Api) -> None:
    """search.messages is for people's tokens."""
    assert await api.refused("search.messages", query="x") == "not_allowed_token_type"


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"blocks": [{"type": "header"}]}, "/blocks/0/text"),
        ({"message": {"blocks": [{"type": "header"}]}}, "/blocks/0/text"),
        ({"view": {"type": "home", "blocks": [{"type": "header"}]}}, "/view/blocks/0/text"),
        ({}, "exactly one of"),
    ],
)
async def test_validation_points_at_the_problem(
    playground: Playground, given: Json, pointer: str
) -> None:
    """blocks.validate needs no token and says where each problem is."""
    nobody = Api(playground, "")

    refusal = await nobody.refusal("blocks.validate", **given)

    assert pointer in str(refusal["response_metadata"]["messages"])
    assert (await nobody("blocks.validate", blocks=[{"type": "divider"}]))["ok"]


async def test_reading_about_people(playground: Playground, wide: Api) -> None:
    """By address, by profile, by channel; the team, the bot and the emoji."""
    ann = playground.workspace.user_named("ann")
    by_email = await wide("users.lookupByEmail", email=ann.email)
    profile = (await wide("users.profile.get", user=ann.id))["profile"]
    places = (await wide("users.conversations", user=ann.id))["channels"]

    assert by_email["user"]["id"] == ann.id
    assert profile["real_name"] == "Ann Arbor"
    assert {place["name"] for place in places} >= {"general", "api"}
    assert (await wide("team.info"))["team"]["domain"] == "playground"
    bot = (await wide("bots.info", bot=playground.app.user.bot_id))["bot"]
    assert bot["user_id"] == playground.app.user.id
    assert await wide.refused("users.lookupByEmail", email="nobody@x") == "users_not_found"


async def test_what_an_agent_shows_beside_its_messages(
    playground: Playground, api: Api, channel: str
) -> None:
    """A title, at most four prompts; emoji with aliases."""
    root = await playground.people.post("ann", "#api", "root")
    place = {"channel_id": channel, "thread_ts": root}
    prompts = [{"title": "Look", "message": "Look around"}] * 5

    assert (await api("assistant.threads.setTitle", **place, title="Launch"))["ok"]
    assert (await api("assistant.threads.setSuggestedPrompts", **place, prompts=prompts[:4]))["ok"]
    too_many = {**place, "prompts": prompts}
    refused = await api.refused("assistant.threads.setSuggestedPrompts", **too_many)
    assert refused == "invalid_arguments"
    assert (await api("emoji.list"))["emoji"]["shipit"].startswith("alias:")
