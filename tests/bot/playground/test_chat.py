"""chat.*: what is posted is what history shows, and what Slack refuses is refused."""

import pytest

from bot.playground import Playground
from tests.bot.playground.clients import Api


async def test_a_post_is_in_the_history(playground: Playground, api: Api, channel: str) -> None:
    """What chat.postMessage says it posted is what conversations.history returns."""
    posted = await api("chat.postMessage", channel=channel, text="hello")
    history = await api("conversations.history", channel=channel)

    assert history["messages"][0] == posted["message"]
    assert posted["message"]["bot_id"] == playground.app.user.bot_id


async def test_replies_stay_out_of_the_history(
    playground: Playground, api: Api, channel: str
) -> None:
    """A reply is found by its root; the root counts it."""
    root = await playground.people.post("ann", "#api", "root")

    reply = await api("chat.postMessage", channel=channel, text="reply", thread_ts=root)
    history = await api("conversations.history", channel=channel)
    thread = await api("conversations.replies", channel=channel, ts=root)

    assert [message["ts"] for message in history["messages"]] == [root]
    assert history["messages"][0]["reply_count"] == 1
    assert history["messages"][0]["latest_reply"] == reply["ts"]
    assert [message["text"] for message in thread["messages"]] == ["root", "reply"]


async def test_a_broadcast_reply_is_in_the_channel_too(
    playground: Playground, api: Api, channel: str
) -> None:
    """reply_broadcast shows a reply in the channel as thread_broadcast."""
    root = await playground.people.post("ann", "#api", "root")

    await api(
        "chat.postMessage", channel=channel, text="reply", thread_ts=root, reply_broadcast=True
    )
    history = await api("conversations.history", channel=channel)

    assert history["messages"][0]["subtype"] == "thread_broadcast"
    assert history["messages"][0]["thread_ts"] == root


@pytest.mark.parametrize(
    ("name", "error"), [("random", "not_in_channel"), ("secret", "channel_not_found")]
)
async def test_only_members_post(playground: Playground, api: Api, name: str, error: str) -> None:
    """A public channel refuses who is not in it, a private one does not exist for them."""
    place = playground.channel(name).id

    assert await api.refused("chat.postMessage", channel=place, text="hello") == error


async def test_an_archived_channel_takes_nothing(
    playground: Playground, api: Api, channel: str
) -> None:
    """is_archived for posts, is_inactive for edits."""
    posted = await api("chat.postMessage", channel=channel, text="hello")
    playground.channel("api").archived = True

    assert await api.refused("chat.postMessage", channel=channel, text="x") == "is_archived"
    assert (
        await api.refused("chat.update", channel=channel, ts=posted["ts"], text="x")
        == "is_inactive"
    )


async def test_a_reply_to_a_deleted_message_lands_in_the_channel(
    playground: Playground, api: Api, channel: str
) -> None:
    """Slack un-threads such a reply in silence; only the missing thread_ts tells."""
    root = await playground.people.post("ann", "#api", "root")
    await playground.people.delete("ann", "#api", root)

    posted = await api("chat.postMessage", channel=channel, text="late", thread_ts=root)

    assert "thread_ts" not in posted["message"]


async def test_a_system_message_takes_no_replies(playground: Playground, api: Api) -> None:
    """A join line cannot be replied to."""
    place = playground.channel("random").id
    await api("conversations.join", channel=place)
    joined = (await api("conversations.history", channel=place))["messages"][0]

    refused = await api.refused(
        "chat.postMessage", channel=place, text="hi", thread_ts=joined["ts"]
    )

    assert (joined["subtype"], refused) == ("channel_join", "cannot_reply_to_message")


async def test_an_update_of_the_text_drops_the_blocks(
    playground: Playground, api: Api, channel: str
) -> None:
    """Text alone replaces the blocks and marks the message as edited."""
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "old"}}]
    posted = await api("chat.postMessage", channel=channel, text="old", blocks=blocks)

    updated = await api("chat.update", channel=channel, ts=posted["ts"], text="new")

    assert posted["message"]["blocks"][0]["block_id"]
    assert playground.journal.calls("chat.postMessage")[0]["args"]["blocks"] == blocks
    assert updated["message"]["text"] == "new"
    assert "blocks" not in updated["message"]
    assert updated["message"]["edited"]["user"] == playground.app.user.id


async def test_nobody_edits_the_words_of_others(
    playground: Playground, api: Api, channel: str
) -> None:
    """An app may neither update nor delete what a person wrote."""
    ts = await playground.people.post("ann", "#api", "mine")

    update = await api.refused("chat.update", channel=channel, ts=ts, text="yours")
    delete = await api.refused("chat.delete", channel=channel, ts=ts)

    assert (update, delete) == ("cant_update_message", "cant_delete_message")


async def test_metadata_is_shown_only_when_asked_for(api: Api, channel: str) -> None:
    """History carries message metadata only with include_all_metadata."""
    metadata = {"event_type": "part", "event_payload": {"n": 1}}
    await api("chat.postMessage", channel=channel, text="one", metadata=metadata)

    plain = await api("conversations.history", channel=channel)
    full = await api("conversations.history", channel=channel, include_all_metadata=True)

    assert "metadata" not in plain["messages"][0]
    assert full["messages"][0]["metadata"] == metadata


async def test_a_deleted_root_with_replies_leaves_a_tombstone(
    playground: Playground, api: Api, channel: str
) -> None:
    """The thread stays readable under Slackbot's line."""
    root = await playground.people.post("ann", "#api", "root")
    await playground.people.post("ben", "#api", "reply", thread_ts=root)

    await playground.people.delete("ann", "#api", root)
    thread = await api("conversations.replies", channel=channel, ts=root)

    assert thread["messages"][0]["subtype"] == "tombstone"
    assert thread["messages"][0]["user"] == "USLACKBOT"
    assert thread["messages"][1]["text"] == "reply"


async def test_an_ephemeral_is_in_nobodys_history(
    playground: Playground, api: Api, channel: str
) -> None:
    """Ephemerals reach a member of the channel and are never history."""
    ann = playground.workspace.user_named("ann").id
    sam = playground.workspace.user_named("sam").id

    sent = await api("chat.postEphemeral", channel=channel, user=ann, text="psst")
    refused = await api.refused("chat.postEphemeral", channel=channel, user=sam, text="psst")

    assert sent["message_ts"]
    assert refused == "user_not_in_channel"
    assert (await api("conversations.history", channel=channel))["messages"] == []


async def test_a_permalink_leads_into_the_thread(
    playground: Playground, api: Api, channel: str
) -> None:
    """chat.getPermalink names the thread of a reply."""
    root = await playground.people.post("ann", "#api", "root")
    reply = await playground.people.post("ann", "#api", "reply", thread_ts=root)

    link = (await api("chat.getPermalink", channel=channel, message_ts=reply))["permalink"]

    assert link.endswith(f"/p{reply.replace('.', '')}?thread_ts={root}&cid={channel}")


async def test_no_text_is_an_error(api: Api, channel: str) -> None:
    """A message says something, in one way or another."""
    with pytest.warns(UserWarning, match="text"):
        assert await api.refused("chat.postMessage", channel=channel, text=" ") == "no_text"
    assert await api.refused("chat.postMessage", channel="", text="x") == "invalid_arguments"
