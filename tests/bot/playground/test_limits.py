"""Slack's limits: each crossed once, with Slack's error and where it points."""

import pytest

from bot.playground import Playground, blocks
from tests.bot.playground.clients import Api, Json


def mrkdwn(length: int) -> Json:
    return {"type": "mrkdwn", "text": "x" * length}


def plain(length: int) -> Json:
    return {"type": "plain_text", "text": "x" * length}


def button(**fields: object) -> Json:
    return {"type": "actions", "elements": [{"type": "button", "text": plain(5), **fields}]}


def rows(count: int, columns: int = 1) -> list[list[Json]]:
    return [[{"type": "raw_text", "text": "x"}] * columns] * count


FITS: list[Json] = [
    {"type": "section", "text": mrkdwn(3_000)},
    {"type": "section", "fields": [mrkdwn(2_000)] * 10},
    {"type": "header", "text": plain(150)},
    {"type": "context", "elements": [mrkdwn(10)] * 10},
    {"type": "actions", "elements": [{"type": "button", "text": plain(75)}] * 25},
    button(value="x" * 2_000, url="x" * 3_000, action_id="x" * 255),
    {"type": "divider", "block_id": "x" * 255},
    {"type": "markdown", "text": "x" * 12_000},
    {"type": "table", "rows": rows(100, 20)},
    {"type": "image", "image_url": "https://example.org/a.png", "alt_text": "a"},
]
PASSES: list[tuple[Json, str]] = [
    ({"type": "section", "text": mrkdwn(3_001)}, "/blocks/0/text/text"),
    ({"type": "section", "text": mrkdwn(0)}, "/blocks/0/text/text"),
    ({"type": "section"}, "/blocks/0"),
    ({"type": "section", "fields": [mrkdwn(2_001)]}, "/blocks/0/fields/0/text"),
    ({"type": "section", "fields": [mrkdwn(1)] * 11}, "/blocks/0/fields"),
    ({"type": "header", "text": plain(151)}, "/blocks/0/text/text"),
    ({"type": "header", "text": mrkdwn(5)}, "/blocks/0/text/type"),
    ({"type": "context", "elements": [mrkdwn(1)] * 11}, "/blocks/0/elements"),
    ({"type": "actions", "elements": []}, "/blocks/0"),
    ({"type": "actions", "elements": [button()["elements"][0]] * 26}, "/blocks/0/elements"),
    (button(text=plain(76)), "/blocks/0/elements/0/text/text"),
    (button(value="x" * 2_001), "/blocks/0/elements/0/value"),
    (button(url="x" * 3_001), "/blocks/0/elements/0/url"),
    (button(action_id="x" * 256), "/blocks/0/elements/0/action_id"),
    ({"type": "divider", "block_id": "x" * 256}, "/blocks/0/block_id"),
    ({"type": "table", "rows": rows(101)}, "/blocks/0/rows"),
    ({"type": "table", "rows": rows(1, 21)}, "/blocks/0/rows/0"),
    ({"type": "image", "alt_text": "a"}, "/blocks/0"),
    ({"type": "hologram"}, "/blocks/0/type"),
]


@pytest.mark.parametrize("block", FITS, ids=lambda block: block["type"])
def test_what_fits_is_taken(block: Json) -> None:
    """At the limit nothing is wrong."""
    assert blocks.problems([block]) == []


@pytest.mark.parametrize(("block", "pointer"), PASSES, ids=lambda value: str(value)[:40])
async def test_what_does_not_fit_is_pointed_at(
    api: Api, channel: str, block: Json, pointer: str
) -> None:
    """One past the limit is invalid_blocks with a JSON pointer."""
    refusal = await api.refusal("chat.postMessage", channel=channel, text="x", blocks=[block])

    assert refusal["error"] == "invalid_blocks"
    assert any(
        message.startswith("[ERROR]") and message.endswith(f"[json-pointer:{pointer}]")
        for message in refusal["response_metadata"]["messages"]
    )


DIVIDER: Json = {"type": "divider"}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([DIVIDER] * 51, "invalid_blocks"),
        ([DIVIDER | {"block_id": "a"}] * 2, "invalid_blocks"),
        ([{"type": "table", "rows": rows(1)}] * 2, "invalid_blocks"),
        ([{"type": "markdown", "text": "x" * 6_001}] * 2, "msg_too_long"),
        ([{"type": "section", "text": mrkdwn(2_700)}] * 5, "msg_blocks_too_long"),
        ("{not json", "invalid_blocks_format"),
        ("[1]", "invalid_blocks_format"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_whole_messages_have_limits_too(
    api: Api, channel: str, given: object, error: str
) -> None:
    """Counts, doubles, sums over all blocks, and what is not Block Kit at all."""
    refused = await api.refused("chat.postMessage", channel=channel, text="x", blocks=given)

    assert refused == error


async def test_long_text_is_cut_with_a_warning(api: Api, channel: str) -> None:
    """Past 40,000 characters Slack truncates and says so."""
    posted = await api("chat.postMessage", channel=channel, text="x" * 40_001)

    assert len(posted["message"]["text"]) == 40_000
    assert posted["warning"] == "message_truncated"


async def test_an_update_takes_less(api: Api, channel: str) -> None:
    """chat.update refuses more than 4,000 characters of text."""
    ts = (await api("chat.postMessage", channel=channel, text="x"))["ts"]

    assert (
        await api.refused("chat.update", channel=channel, ts=ts, text="x" * 4_001) == "msg_too_long"
    )


async def test_markdown_text_stands_alone(api: Api, channel: str) -> None:
    """With text it conflicts; past 12,000 characters it is too long; else it is a block."""
    conflict = await api.refused("chat.postMessage", channel=channel, text="x", markdown_text="y")
    too_long = await api.refused("chat.postMessage", channel=channel, markdown_text="x" * 12_001)
    posted = await api("chat.postMessage", channel=channel, markdown_text="**y**")

    assert (conflict, too_long) == ("markdown_text_conflict", "msg_too_long")
    assert posted["message"]["blocks"][0]["text"] == "**y**"


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"event_type": "a"}, "invalid_metadata_schema"),
        ("nonsense", "invalid_metadata_format"),
        ({"event_type": "a", "event_payload": {"x": "y" * 9_000}}, "metadata_too_large"),
    ],
    ids=["schema", "format", "size"],
)
async def test_metadata_is_checked(api: Api, channel: str, metadata: object, error: str) -> None:
    """Shape and size of message metadata."""
    refused = await api.refused("chat.postMessage", channel=channel, text="x", metadata=metadata)

    assert refused == error


async def test_a_refused_message_is_nowhere(playground: Playground, api: Api, channel: str) -> None:
    """What was refused left no trace in the channel."""
    await api.refused("chat.postMessage", channel=channel, text="x", blocks=[DIVIDER] * 51)

    assert playground.channel("api").messages == {}
