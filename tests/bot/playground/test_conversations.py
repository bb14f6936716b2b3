"""conversations.* and users.*: reading, paging, opening, and who is who."""

import pytest

from bot.playground import Playground
from tests.bot.playground.clients import Api


async def test_history_pages_by_cursor(playground: Playground, api: Api, channel: str) -> None:
    """Pages of two give each of five messages once, newest first."""
    posted = [await playground.people.post("ann", "#api", f"m{n}") for n in range(5)]

    seen, cursor = list[str](), ""
    for _ in range(3):
        page = await api("conversations.history", channel=channel, limit=2, cursor=cursor)
        seen += [message["ts"] for message in page["messages"]]
        cursor = page.get("response_metadata", {}).get("next_cursor", "")

    assert seen == posted[::-1]
    assert not cursor


async def test_a_made_up_cursor_is_refused(api: Api, channel: str) -> None:
    """Cursors are opaque, not guessable."""
    refused = await api.refused("conversations.history", channel=channel, cursor="abc")

    assert refused == "invalid_cursor"


async def test_oldest_and_latest_leave_their_ends_out(
    playground: Playground, api: Api, channel: str
) -> None:
    """`inclusive` decides whether the named messages themselves count."""
    ts = [await playground.people.post("ann", "#api", f"m{n}") for n in range(3)]

    between = await api("conversations.history", channel=channel, oldest=ts[0], latest=ts[2])
    with_ends = await api(
        "conversations.history", channel=channel, oldest=ts[0], latest=ts[2], inclusive=True
    )

    assert [message["ts"] for message in between["messages"]] == [ts[1]]
    assert len(with_ends["messages"]) == 3


async def test_a_thread_that_is_not_there(api: Api, channel: str) -> None:
    """conversations.replies knows no such root."""
    refused = await api.refused("conversations.replies", channel=channel, ts="1.000001")

    assert refused == "thread_not_found"


async def test_one_ts_is_never_used_twice(playground: Playground, api: Api, channel: str) -> None:
    """Timestamps are unique and rising in a channel even while the clock stands still."""
    ts = [await playground.people.post("ann", "#api", "x") for _ in range(20)]
    ts.append((await api("chat.postMessage", channel=channel, text="y"))["ts"])

    assert sorted(set(ts), key=float) == ts


async def test_a_direct_message_is_opened_once(playground: Playground, api: Api) -> None:
    """Opening the same DM again gives the same channel and says so."""
    ann = playground.workspace.user_named("ann").id

    first = await api("conversations.open", users=[ann])
    again = await api("conversations.open", users=[ann], return_im=True)

    assert again["already_open"]
    assert again["channel"]["id"] == first["channel"]["id"]
    assert again["channel"]["user"] == ann


async def test_a_group_dm_has_all_its_members(playground: Playground, api: Api) -> None:
    """Several users make a group DM with the bot in it."""
    users = [playground.workspace.user_named(name).id for name in ("ann", "ben")]

    opened = (await api("conversations.open", users=users))["channel"]["id"]
    info = (await api("conversations.info", channel=opened))["channel"]
    members = (await api("conversations.members", channel=opened))["members"]

    assert info["is_mpim"]
    assert set(members) == {*users, playground.app.user.id}


async def test_bots_have_no_dms(playground: Playground, api: Api) -> None:
    """One bot cannot write to another."""
    robo = playground.workspace.user_named("robo").id

    assert await api.refused("conversations.open", users=[robo]) == "cannot_dm_bot"


async def test_the_list_shows_public_channels_only_unless_asked(
    playground: Playground, api: Api
) -> None:
    """Slack's default is public channels; private ones show only to members."""
    await playground.people.open_dm("ann", "Deskmate")

    public = await api("conversations.list")
    everything = await api("conversations.list", types="public_channel,private_channel,im")

    assert {c["name"] for c in public["channels"]} >= {"general", "api", "random"}
    assert all(c["is_channel"] for c in public["channels"])
    assert [c.get("is_im", False) for c in everything["channels"]].count(True) == 1
    assert "secret" not in {c.get("name") for c in everything["channels"]}


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("ann", "is_admin"),
        ("gil", "is_restricted"),
        ("sam", "is_stranger"),
        ("robo", "is_bot"),
    ],
)
async def test_users_carry_their_rank(
    playground: Playground, api: Api, name: str, flag: str
) -> None:
    """users.info flags admins, guests, strangers and bots; members have none of these."""
    user = (await api("users.info", user=playground.workspace.user_named(name).id))["user"]
    ben = (await api("users.info", user=playground.workspace.user_named("ben").id))["user"]

    assert user[flag]
    assert not ben.get(flag)


async def test_a_stranger_belongs_to_another_team(playground: Playground, api: Api) -> None:
    """Sam's team is not ours, and team.info knows both."""
    sam = (await api("users.info", user=playground.workspace.user_named("sam").id))["user"]

    assert sam["team_id"] != playground.workspace.team.id
    assert (await api("team.info", team=sam["team_id"]))["team"]["name"] == "Partner Inc"


async def test_unknown_users_are_not_found(api: Api) -> None:
    """users.info and the scope-less lookup say why not."""
    assert await api.refused("users.info", user="U000") == "user_not_found"
    assert await api.refused("users.lookupByEmail", email="a@b") == "missing_scope"


async def test_the_user_list_pages(playground: Playground, api: Api) -> None:
    """users.list gives everybody once over its pages."""
    first = await api("users.list", limit=5)
    rest = await api("users.list", limit=5, cursor=first["response_metadata"]["next_cursor"])

    ids = [user["id"] for user in first["members"] + rest["members"]]

    assert ids == list(playground.workspace.users)
