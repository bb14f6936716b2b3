"""What an app hears of what people and apps do."""

import pytest

from bot.playground import Clock, Playground, Rules
from tests.bot.playground.clients import Api, Json, events, listening
from tests.support import wait_until


async def test_a_mention_arrives_as_a_pair(playground: Playground) -> None:
    """A mention in a channel comes as message and app_mention: two event ids, one ts."""
    async with listening(playground) as heard:
        ts = await playground.people.post("ann", "#api", "@Deskmate hello")
        await wait_until(lambda: len(heard) == 2)

    message, mention = events(heard, "message")[0], events(heard, "app_mention")[0]
    assert message["ts"] == mention["ts"] == ts
    assert message["text"] == mention["text"] == f"<@{playground.app.user.id}> hello"
    assert (message["channel_type"], "channel_type" in mention) == ("channel", False)
    assert heard[0]["event_id"] != heard[1]["event_id"]


async def test_the_twins_come_in_either_order() -> None:
    """Over a few seeds both orders occur."""
    first = set[str]()
    for seed in range(6):
        async with Playground(seed=seed, clock=Clock(scale=0)) as playground:
            async with listening(playground):
                await playground.people.post("ann", "#api", "@Deskmate hello")
            first.add(playground.journal.of("delivery")[0]["label"])

    assert first == {"message", "app_mention"}


async def test_a_direct_message_is_one_event(playground: Playground) -> None:
    """In a DM there is no app_mention, even with a mention; the type is im."""
    async with listening(playground) as heard:
        await playground.people.post("ann", "@Deskmate", "@Deskmate hello")
        await playground.people.post("ann", "#api", "the end")
        await wait_until(lambda: len(heard) == 3)

    assert not events(heard, "app_mention")
    assert events(heard, "app_home_opened")[0]["tab"] == "messages"
    assert {event["channel_type"] for event in events(heard, "message")} == {"im", "channel"}


async def test_own_messages_come_back(playground: Playground, api: Api, channel: str) -> None:
    """What the app posts it hears too, marked with its bot_id."""
    async with listening(playground) as heard:
        await api("chat.postMessage", channel=channel, text="mine")
        await wait_until(lambda: len(heard) == 1)

    event = events(heard, "message")[0]
    assert event["bot_id"] == playground.app.user.bot_id
    assert event["user"] == playground.app.user.id


async def test_where_the_app_is_not_it_hears_nothing(playground: Playground) -> None:
    """A channel without the bot, even a mention in it, is silence."""
    await playground.people.post("ann", "#random", "@Deskmate hello")

    assert playground.journal.of("undelivered") == []


async def test_an_edit_is_a_message_changed(playground: Playground) -> None:
    """It is hidden and carries the message before and after."""
    ts = await playground.people.post("ann", "#api", "befor")
    async with listening(playground) as heard:
        await playground.people.edit("ann", "#api", ts, "before")
        await wait_until(lambda: len(heard) == 1)

    event = events(heard, "message")[0]
    assert (event["subtype"], event["hidden"]) == ("message_changed", True)
    assert event["message"]["ts"] == event["previous_message"]["ts"] == ts != event["ts"]
    assert (event["previous_message"]["text"], event["message"]["text"]) == ("befor", "before")
    assert "befor" in str(event["previous_message"]["blocks"])
    assert "before" not in str(event["previous_message"]["blocks"])
    assert event["message"]["edited"]["user"] == event["message"]["user"]


async def test_an_edit_that_adds_a_mention_is_also_a_mention(playground: Playground) -> None:
    """The mention comes late, with the ts of the message."""
    ts = await playground.people.post("ann", "#api", "hello")
    async with listening(playground) as heard:
        await playground.people.edit("ann", "#api", ts, "hello @Deskmate")
        await wait_until(lambda: len(heard) == 2)

    assert events(heard, "app_mention")[0]["ts"] == ts


async def test_a_deletion_is_a_message_deleted(playground: Playground) -> None:
    """It names the ts that is gone and carries what was there."""
    ts = await playground.people.post("ann", "#api", "oops")
    async with listening(playground) as heard:
        await playground.people.delete("ann", "#api", ts)
        await wait_until(lambda: len(heard) == 1)

    event = events(heard, "message")[0]
    assert (event["subtype"], event["deleted_ts"]) == ("message_deleted", ts)
    assert event["previous_message"]["text"] == "oops"


async def test_a_deleted_root_changes_into_a_tombstone(playground: Playground) -> None:
    """With replies below it, a deletion comes as message_changed."""
    ts = await playground.people.post("ann", "#api", "root")
    await playground.people.post("ben", "#api", "reply", thread_ts=ts)
    async with listening(playground) as heard:
        await playground.people.delete("ann", "#api", ts)
        await wait_until(lambda: len(heard) == 1)

    event = events(heard, "message")[0]
    assert event["subtype"] == "message_changed"
    assert event["message"]["subtype"] == "tombstone"


@pytest.mark.parametrize(
    ("rule", "mentions"), [("bare", [False]), ("sent", [True]), ("missed", list[bool]())]
)
async def test_a_mention_with_a_file(rule: str, mentions: list[bool]) -> None:
    """The message has the file; its twin has it, lacks it, or is missing."""
    rules = Rules(mention_with_file=rule)  # pyright: ignore[reportArgumentType] - one of three
    async with Playground(rules=rules) as playground, listening(playground) as heard:
        await playground.people.upload(
            "ann", "#api", [("a.txt", b"hello")], text="@Deskmate read this"
        )
        await wait_until(lambda: len(events(heard, "file_shared")) == 1)
        await wait_until(lambda: len(heard) == 2 + len(mentions))

    message = events(heard, "message")[0]
    assert (message["subtype"], message["files"][0]["name"]) == ("file_share", "a.txt")
    assert ["files" in event for event in events(heard, "app_mention")] == mentions


async def test_a_stranger_is_marked(playground: Playground) -> None:
    """In a shared channel the envelope says so and the message carries the other team."""
    async with listening(playground) as heard:
        await playground.people.post("sam", "#partners", "hello")
        await wait_until(lambda: len(heard) == 1)

    sam = playground.workspace.user_named("sam")
    assert heard[0]["is_ext_shared_channel"]
    assert heard[0]["team_id"] == playground.workspace.team.id
    assert heard[0]["authorizations"][0]["team_id"] == playground.workspace.team.id
    assert events(heard, "message")[0]["user_team"] == sam.team


async def test_another_bot_is_a_bot_message(playground: Playground) -> None:
    """Robo's posts carry its own bot_id."""
    async with listening(playground) as heard:
        await playground.people.post("robo", "#api", "@Deskmate beep")
        await wait_until(lambda: len(heard) == 2)

    robo = playground.workspace.user_named("robo")
    assert {event["bot_id"] for event in events(heard, "message")} == {robo.bot_id}


async def test_an_event_without_its_scope_is_not_sent(playground: Playground) -> None:
    """Without reactions:read no reaction is heard."""
    playground.app.scopes.remove("reactions:read")
    ts = await playground.people.post("ann", "#api", "one")
    async with listening(playground) as heard:
        await playground.people.react("ann", "#api", ts, "eyes")
        await playground.people.post("ann", "#api", "two")
        await wait_until(lambda: len(heard) == 1)

    assert [body["event"]["type"] for body in heard] == ["message"]


async def test_joining_is_heard(playground: Playground, api: Api) -> None:
    """The join line and member_joined_channel follow conversations.join."""
    async with listening(playground) as heard:
        await api("conversations.join", channel=playground.channel("random").id)
        await wait_until(lambda: len(heard) == 2)

    kinds: list[Json] = events(heard, "member_joined_channel")
    assert kinds[0]["user"] == playground.app.user.id


async def test_a_link_is_unfurled(playground: Playground) -> None:
    """A second later the message changes, its text does not, and it is not marked as edited."""
    async with listening(playground) as heard:
        await playground.people.post("ann", "#api", "see https://example.org/page")
        playground.workspace.clock.advance(1)
        await wait_until(lambda: len(heard) == 2)

    changed = events(heard, "message")[1]
    assert changed["subtype"] == "message_changed"
    assert changed["message"]["text"] == changed["previous_message"]["text"]
    assert changed["message"]["attachments"][0]["from_url"] == "https://example.org/page"
    assert "edited" not in changed["message"]


async def test_a_ping_is_noted(playground: Playground, api: Api, channel: str) -> None:
    """The journal says whom a message notifies; what stands in code notifies nobody."""
    ann = playground.workspace.user_named("ann").id
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "<!here|here> `<!everyone>`"}}
    await api("chat.postMessage", channel=channel, text=f"<@{ann}> @channel", blocks=[section])
    await api("chat.postMessage", channel=channel, markdown_text="```\n<!channel>\n```")
    await playground.people.post("ann", "#api", "@channel hello")

    assert [entry["names"] for entry in playground.journal.of("ping")] == [
        [ann, "here"],
        ["channel"],
    ]


async def test_typed_text_becomes_slacks_text(playground: Playground, channel: str) -> None:
    """Names, broadcasts, links and special characters are encoded as Slack's composer does."""
    bot = playground.app.user.id
    typed = "@Deskmate see https://example.org/a, #api & <b> `a < b` @here <@U1>"

    ts = await playground.people.post("ann", "#api", typed)

    message = playground.channel("api").messages[ts]
    assert message.text == (
        f"<@{bot}> see <https://example.org/a>, <#{channel}|api> &amp; &lt;b&gt; "
        "`a &lt; b` <!here> <@U1>"
    )
    assert message.blocks[0]["elements"][0]["elements"][0] == {"type": "user", "user_id": bot}
