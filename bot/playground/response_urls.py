"""Addresses an app posts to without a token: response URLs and incoming webhooks.

A response URL answers one press or command, lives half an hour and takes five answers.
"""

from typing import Any, cast

from aiohttp import web

from bot.playground import limits, posting
from bot.playground.errors import Json, SlackError
from bot.playground.events import show, tell_change, tell_pages
from bot.playground.model import Channel, Message
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace


async def take(home: Workspace, request: web.Request) -> web.Response:
    """Take what an app sends to an address: `ok`, or 404 with the reason."""
    key = request.match_info["key"]
    workspace = home.org.holding(lambda w: key in w.response_urls)
    try:
        answer = await _read(request)
        _use(workspace, key, answer)
    except SlackError as refused:
        workspace.journal.add("response_url", ok=False, error=refused.error)
        return web.json_response(refused.body(), status=404)
    workspace.journal.add("response_url", ok=True, args=answer)
    return web.Response(text="ok")


async def take_webhook(home: Workspace, request: web.Request) -> web.Response:
    """Take what is posted to an incoming webhook: `ok`, or the reason as plain text."""
    key = request.match_info["key"]
    workspace = home.org.holding(lambda w: key in w.webhooks)
    try:
        answer = await _read(request)
        _post_by_webhook(workspace, key, answer)
    except SlackError as refused:
        workspace.journal.add("webhook", ok=False, error=refused.error)
        status = 404 if refused.error == "no_service" else 400
        return web.Response(text=refused.error, status=status)
    workspace.journal.add("webhook", ok=True, args=answer)
    return web.Response(text="ok")


def _post_by_webhook(workspace: Workspace, key: str, answer: Json) -> None:
    app, channel = workspace.webhooks.get(key, (None, None))
    if app is None or channel is None or not app.installed:
        raise SlackError("no_service")
    if channel.archived:
        raise SlackError("channel_is_archived")
    message = posting.by_app(workspace, channel, app)
    message.subtype, message.username = "bot_message", app.name
    message.text = str(answer.get("text") or "")
    message.blocks = cast("list[Json]", answer.get("blocks") or [])
    limits.check_blocks(message.blocks)
    if not message.text and not message.blocks:
        raise SlackError("no_text")
    posting.name_blocks(workspace, message)
    message.thread_ts = posting.thread_root(channel, str(answer.get("thread_ts") or ""))
    posting.post(workspace, channel, message)


async def _read(request: web.Request) -> Json:
    try:
        answer: Any = await request.json()
    except ValueError:
        raise SlackError("invalid_payload") from None
    if not isinstance(answer, dict):
        raise SlackError("invalid_payload")
    return cast("Json", answer)


def _use(workspace: Workspace, key: str, answer: Json) -> None:
    address = workspace.response_urls.get(key)
    if address is None:
        raise SlackError("invalid_url")
    if workspace.clock.now() > address.until:
        raise SlackError("expired_url")
    if address.uses <= 0:
        raise SlackError("used_url")
    address.uses -= 1
    if answer.get("delete_original") and address.source:
        _remove(workspace, address.channel, address.source)
    elif answer.get("replace_original") and address.source:
        _replace(workspace, address.channel, address.source, answer)
    else:
        posting.say(workspace, address, answer)


def _replace(workspace: Workspace, channel: Channel, source: Message, answer: Json) -> None:
    blocks = cast("list[Json]", answer.get("blocks") or [])
    limits.check_blocks(blocks)
    previous = message_json(channel, source)
    source.text, source.blocks = str(answer.get("text") or ""), blocks
    if source.ephemeral_for:
        show(workspace, channel, source)
    else:
        tell_change(workspace, channel, source, previous=previous)


def _remove(workspace: Workspace, channel: Channel, source: Message) -> None:
    if source.ephemeral_for:
        channel.ephemerals.pop(source.ts, None)
        gone = {"type": "message_deleted", "ts": source.ts}
        tell_pages(workspace, channel, gone, frozenset({source.ephemeral_for}))
    else:
        posting.remove(workspace, channel, source)
