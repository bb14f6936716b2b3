"""Slack's limits on what a message may carry; each past its limit gets Slack's own error.

Counts code points. Blocks are looked at by `blocks`.
"""

import json

from bot.playground import blocks
from bot.playground.errors import Json, SlackError, pointed
from bot.playground.wire import Call

TEXT = 40_000
UPDATE_TEXT = 4_000
MARKDOWN = 12_000
WHOLE_MESSAGE = 13_200
ATTACHMENTS = 100
METADATA_BYTES = 8_000


def checked_text(call: Call) -> str:
    """Give `text`, cut where Slack cuts it, with Slack's warning."""
    text = call.text("text")
    if len(text) > TEXT:
        call.warnings.append("message_truncated")
        return text[:TEXT]
    return text


def checked_blocks(call: Call, most: int = 50) -> list[Json]:
    """Give `blocks` once every one of them is fit to send."""
    given = call.objects("blocks", "invalid_blocks_format")
    check_blocks(given, most)
    return given


def check_blocks(given: list[Json], most: int = 50) -> None:
    """Refuse blocks as Slack does, with a pointer for each problem."""
    if len(given) > most:
        raise pointed(
            "invalid_blocks", [f"no more than {most} items allowed [json-pointer:/blocks]"]
        )
    problems = blocks.problems(given)
    if problems:
        raise pointed("invalid_blocks", problems)
    if blocks.markdown_length(given) > MARKDOWN:
        raise SlackError("msg_too_long")
    if blocks.text_length(given) > WHOLE_MESSAGE:
        raise SlackError("msg_blocks_too_long")


def checked_markdown(call: Call) -> str:
    """Give `markdown_text`, which stands alone."""
    text = call.text("markdown_text")
    if text and (call.given("text") or call.given("blocks")):
        raise SlackError("markdown_text_conflict")
    if len(text) > MARKDOWN:
        raise SlackError("msg_too_long")
    return text


def checked_attachments(call: Call) -> list[Json]:
    given = call.objects("attachments", "invalid_attachments")
    if len(given) > ATTACHMENTS:
        raise SlackError("too_many_attachments")
    return given


def checked_metadata(call: Call) -> Json | None:
    """Give `metadata`; an empty object is how Slack is told to remove it."""
    given = call.object("metadata", "invalid_metadata_format")
    if not given:
        return given
    if not isinstance(given.get("event_type"), str) or not isinstance(
        given.get("event_payload"), dict
    ):
        raise SlackError("invalid_metadata_schema")
    if len(json.dumps(given).encode()) > METADATA_BYTES:
        raise SlackError("metadata_too_large")
    return given
