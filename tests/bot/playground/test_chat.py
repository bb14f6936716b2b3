"""chat.* by slack_sdk: what is posted is what history shows, and what Slack refuses is refused."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground


def refusal(raised: pytest.ExceptionInfo[SlackApiError]) -> str:
    return raised.value.response["error"]


async def test_a_post_is_in_the_history(playground: Playground, client: AsyncWebClient) -> None:
    """What chat.postMessage says it posted is what conversations.history returns."""
    channel = playground.channel("api").id

    posted = await client.chat_postMessage(channel=channel, text="hello")
    history = await client.conversations_history(channel=channel)

    assert history["messages"][0]["text"] == "hello"
    assert history["messages"][0]["ts"] == posted["ts"]
    assert history["messages"][0]["bot_id"] == playground.app.user.bot_id


async def test_replies_stay_out_of_the_history(
    playground: Playground, client: AsyncWebClient
) -> None:
    """A reply is found by its root; the root counts it."""
    channel = playground.channel("api").id
    root = await playground.people.post("ann", "#api", "root")

    reply = await client.chat_postMessage(channel=channel, text="reply", thread_ts=root)
    history = await client.conversations_history(channel=channel)
    thread = await client.conversations_replies(channel=channel, ts=root)

    assert [message["ts"] for message in history["messages"]] == [root]
    assert history["messages"][0]["reply_count"] == 1
    assert history["messages"][0]["latest_reply"] == reply["ts"]
    assert [message["text"] for message in thread["messages"]] == ["root", "reply"]


@pytest.mark.parametrize(
    ("channel", "error"), [("random", "not_in_channel"), ("secret", "channel_not_found")]
)
async def test_only_members_post(
    playground: Playground, client: AsyncWebClient, channel: str, error: str
) -> None:
    """A public channel refuses a stranger to it, a private one does not exist for them."""
    with pytest.raises(SlackApiError) as raised:
        await client.chat_postMessage(channel=playground.channel(channel).id, text="hello")

    assert refusal(raised) == error


async def test_a_reply_to_a_deleted_message_lands_in_the_channel(
    playground: Playground, client: AsyncWebClient
) -> None:
    """Slack un-threads such a reply in silence; only the missing thread_ts tells."""
    channel = playground.channel("api").id
    root = await playground.people.post("ann", "#api", "root")
    await playground.people.delete("ann", "#api", root)

    posted = await client.chat_postMessage(channel=channel, text="late", thread_ts=root)

    assert "thread_ts" not in posted["message"]


async def test_a_system_message_takes_no_replies(
    playground: Playground, client: AsyncWebClient
) -> None:
    """A join line cannot be replied to."""
    channel = playground.channel("random").id
    await client.conversations_join(channel=channel)
    joined = (await client.conversations_history(channel=channel))["messages"][0]

    with pytest.raises(SlackApiError) as raised:
        await client.chat_postMessage(channel=channel, text="hi", thread_ts=joined["ts"])

    assert joined["subtype"] == "channel_join"
    assert refusal(raised) == "cannot_reply_to_message"


async def test_an_update_replaces_text_and_drops_blocks(
    playground: Playground, client: AsyncWebClient
) -> None:
    """Text alone replaces the blocks and marks the message as edited."""
    channel = playground.channel("api").id
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "old"}}]
    posted = await client.chat_postMessage(channel=channel, text="old", blocks=blocks)

    updated = await client.chat_update(channel=channel, ts=posted["ts"], text="new")

    assert posted["message"]["blocks"][0]["block_id"]
    assert updated["message"]["text"] == "new"
    assert "blocks" not in updated["message"]
    assert updated["message"]["edited"]["user"] == playground.app.user.id


async def test_nobody_edits_the_words_of_others(
    playground: Playground, client: AsyncWebClient
) -> None:
    """An app may neither update nor delete what a person wrote."""
    channel = playground.channel("api").id
    ts = await playground.people.post("ann", "#api", "mine")

    with pytest.raises(SlackApiError) as update:
        await client.chat_update(channel=channel, ts=ts, text="yours")
    with pytest.raises(SlackApiError) as delete:
        await client.chat_delete(channel=channel, ts=ts)

    assert (refusal(update), refusal(delete)) == ("cant_update_message", "cant_delete_message")


async def test_metadata_is_shown_only_when_asked_for(
    playground: Playground, client: AsyncWebClient
) -> None:
    """History carries message metadata only with include_all_metadata."""
    channel = playground.channel("api").id
    metadata = {"event_type": "part", "event_payload": {"n": 1}}
    await client.chat_postMessage(channel=channel, text="one", metadata=metadata)

    plain = await client.conversations_history(channel=channel)
    full = await client.conversations_history(channel=channel, include_all_metadata=True)

    assert "metadata" not in plain["messages"][0]
    assert full["messages"][0]["metadata"] == metadata


async def test_a_deleted_root_with_replies_leaves_a_tombstone(
    playground: Playground, client: AsyncWebClient
) -> None:
    """The thread stays readable under Slackbot's line."""
    root = await playground.people.post("ann", "#api", "root")
    await playground.people.post("ben", "#api", "reply", thread_ts=root)

    await playground.people.delete("ann", "#api", root)
    thread = await client.conversations_replies(channel=playground.channel("api").id, ts=root)

    assert thread["messages"][0]["subtype"] == "tombstone"
    assert thread["messages"][0]["user"] == "USLACKBOT"
    assert thread["messages"][1]["text"] == "reply"


async def test_history_pages_by_cursor(playground: Playground, client: AsyncWebClient) -> None:
    """Pages of two give each of five messages once, newest first."""
    posted = [await playground.people.post("ann", "#api", f"m{n}") for n in range(5)]

    seen = list[str]()
    async for page in await client.conversations_history(
        channel=playground.channel("api").id, limit=2
    ):
        seen += [message["ts"] for message in page["messages"]]

    assert seen == posted[::-1]


async def test_unknown_methods_are_named_so(client: AsyncWebClient) -> None:
    """A method nobody has is HTTP 200 and unknown_method."""
    with pytest.raises(SlackApiError) as raised:
        await client.api_call("chat.teleport")

    assert refusal(raised) == "unknown_method"
    assert raised.value.response.status_code == 200
