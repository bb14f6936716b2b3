"""A message that is being written live: opens, grows, ends; by its app, its reader or the wall.

The life of a stream is about five minutes whatever is appended. Who may call is in
`methods.streams`.
"""

from typing import Literal

from bot.playground import events
from bot.playground.errors import Json, SlackError
from bot.playground.limits import WHOLE_MESSAGE
from bot.playground.model import App, Channel, Message, Stream
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace

Ended = Literal["stopped", "stopped_by_user", "expired"]
_TASK_STATES = frozenset({"pending", "in_progress", "complete", "error"})
_BLOCKS = 50


def begin(
    workspace: Workspace, channel: Channel, message: Message, recipient: str, chunks: list[Json]
) -> None:
    """Make a message a stream with its first piece; the wall starts to count."""
    parts = checked(chunks, message)
    message.stream = Stream(message.app_id, recipient)
    message.stream.wall = workspace.clock.call_later(
        workspace.rules.stream_seconds, lambda: _end(workspace, channel, message, "expired")
    )
    _grow(message, parts)


def append(workspace: Workspace, channel: Channel, message: Message, chunks: list[Json]) -> None:
    """Add a piece; only while the stream is open."""
    if not chunks:
        raise SlackError("no_text")
    _grow(message, checked(chunks, message))
    events.show(workspace, channel, message)


def finish(
    workspace: Workspace,
    channel: Channel,
    message: Message,
    chunks: list[Json],
    closing: list[Json],
) -> None:
    """Add the last piece and the closing blocks, and end the stream."""
    _grow(message, checked(chunks, message))
    message.blocks += [dict(block) for block in closing]
    _end(workspace, channel, message, "stopped")


def stop_by_user(workspace: Workspace, channel: Channel, app: App, root: str) -> list[str]:
    """End the app's live streams in a thread, as a person's Stop does; returns their ts."""
    live = [
        message
        for message in channel.replies(root)
        if message.is_streaming and message.app_id == app.id
    ]
    for message in live:
        _end(workspace, channel, message, "stopped_by_user")
    return [message.ts for message in live]


def live(channel: Channel, ts: str, app: App) -> Message:
    """Give the app's open stream; refuse by what it is instead."""
    message = channel.messages.get(ts)
    if message is None:
        raise SlackError("message_not_found")
    if message.app_id != app.id:
        raise SlackError("message_not_owned_by_app")
    if message.stream is None or message.stream.state in {"stopped", "expired"}:
        raise SlackError("message_not_in_streaming_state")
    if message.stream.state == "stopped_by_user":
        raise SlackError("stopped_by_user")
    return message


def checked(chunks: list[Json], message: Message) -> list[Json]:
    """Refuse chunks Slack would not take, and those that make the message too long."""
    for chunk in chunks:
        _check_chunk(chunk)
    size = len(message.text) + sum(
        len(chunk["text"]) for chunk in chunks if chunk["type"] == "markdown_text"
    )
    if size > WHOLE_MESSAGE:
        raise SlackError("msg_blocks_too_long")
    added = sum(len(chunk["blocks"]) for chunk in chunks if chunk["type"] == "blocks")
    if added + sum(block["type"] != "markdown" for block in message.blocks) > _BLOCKS:
        raise SlackError("msg_blocks_too_many")
    return chunks


def _check_chunk(chunk: Json) -> None:
    kind = chunk.get("type")
    fits = {
        "markdown_text": isinstance(chunk.get("text"), str),
        "task_update": bool(chunk.get("id")) and chunk.get("status") in {None, *_TASK_STATES},
        "plan_update": isinstance(chunk.get("title"), str),
        "blocks": isinstance(chunk.get("blocks"), list),
    }
    if not fits.get(str(kind), False):
        raise SlackError("invalid_chunks")


def _grow(message: Message, chunks: list[Json]) -> None:
    for chunk in chunks:
        _GROWTH[chunk["type"]](message, chunk)


def _grow_text(message: Message, chunk: Json) -> None:
    """Lengthen the last markdown block, or open one after other blocks."""
    if not chunk["text"]:
        return
    message.text += chunk["text"]
    last = message.blocks[-1] if message.blocks else None
    if last is None or last["type"] != "markdown":
        last = {"type": "markdown", "block_id": f"stream{len(message.blocks)}", "text": ""}
        message.blocks.append(last)
    last["text"] += chunk["text"]


def _grow_task(message: Message, chunk: Json) -> None:
    """Replace a task's title and status, lengthen its details."""
    card = next((b for b in message.blocks if b.get("task_id") == chunk["id"]), None)
    if card is None:
        card = {"type": "task_card", "task_id": chunk["id"], "title": "", "status": "pending"}
        message.blocks.append(card)
    for name in ("title", "status", "output", "sources"):
        if chunk.get(name):
            card[name] = chunk[name]
    if chunk.get("details"):
        card["details"] = card.get("details", "") + chunk["details"]


def _grow_plan(message: Message, chunk: Json) -> None:
    plan = next((b for b in message.blocks if b["type"] == "plan"), None)
    if plan is None:
        plan = {"type": "plan"}
        message.blocks.insert(0, plan)
    plan["title"] = chunk["title"]


def _grow_blocks(message: Message, chunk: Json) -> None:
    message.blocks += [dict(block) for block in chunk["blocks"]]


_GROWTH = {
    "markdown_text": _grow_text,
    "task_update": _grow_task,
    "plan_update": _grow_plan,
    "blocks": _grow_blocks,
}


def _end(workspace: Workspace, channel: Channel, message: Message, state: Ended) -> None:
    stream = message.stream
    if stream is None or stream.state != "open":
        return
    if stream.wall:
        stream.wall.cancel()
    previous = message_json(channel, message)
    stream.state = state
    workspace.journal.add("stream", channel=channel.id, ts=message.ts, state=state)
    events.tell_change(workspace, channel, message, previous=previous)
