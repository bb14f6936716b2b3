"""Buttons, slash commands and Stop: what a person presses and what the app gets of it.

An app that does not answer in three seconds is reported to the person, as Slack does; these are
never sent again. `response_urls` takes what the app says back later.
"""

from typing import cast

from bot.playground import posting, streams, surfaces
from bot.playground.errors import Json, SlackError
from bot.playground.events import emit
from bot.playground.model import App, Channel, Delivery, Message, ResponseUrl, User
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace, envelope_team

_CHANNEL_NAMES = {"im": "directmessage", "private": "privategroup"}


def press(
    workspace: Workspace, user: User, channel: Channel, message: Message, pressed: Json
) -> None:
    """Press an element of a message; `pressed` names it by block_id and action_id, or value."""
    app = workspace.apps.get(message.app_id)
    if app is None or not app.interactive:
        raise SlackError("invalid_action")
    block, element = _find(message, pressed)
    url = response_url(workspace, app, channel, user, message)
    payload: Json = {
        "type": "block_actions",
        "user": _person(user),
        "api_app_id": app.id,
        "token": "playground",
        "container": _container(channel, message),
        "trigger_id": trigger(workspace),
        "team": envelope_team(workspace),
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": channel.id, "name": channel.name or "directmessage"},
        "message": message_json(channel, message),
        "state": {"values": {}},
        "response_url": url,
        "actions": [_action(workspace, block, element, pressed)],
    }
    if message.ephemeral_for:
        del payload["message"]
    label = str(element.get("action_id", "block_actions"))
    _send(workspace, user, Delivery(app, "interactive", label, payload))


def run_command(
    workspace: Workspace, user: User, channel: Channel, said: str, thread_ts: str
) -> None:
    """Run `/name text`; Slack has no slash commands inside threads."""
    name, _, text = said.partition(" ")
    app = next((app for app in workspace.apps.values() if name in app.commands), None)
    if app is None:
        raise SlackError("invalid_command")
    if thread_ts:
        raise SlackError("command_not_supported_in_threads")
    url = response_url(workspace, app, channel, user, None)
    payload: Json = {
        "token": "playground",
        "team_id": workspace.team.id,
        "team_domain": workspace.team.domain,
        "channel_id": channel.id,
        "channel_name": _CHANNEL_NAMES.get(channel.kind, channel.name),
        "user_id": user.id,
        "user_name": user.name,
        "command": name,
        "text": text.strip(),
        "api_app_id": app.id,
        "is_enterprise_install": "false",
        "response_url": url,
        "trigger_id": trigger(workspace),
    }
    address = workspace.response_urls[url.rpartition("/")[2]]

    def answered(answer: Json | None) -> None:
        if answer:
            posting.say(workspace, address, answer)

    _send(workspace, user, Delivery(app, "slash_commands", name, payload, answered))


def press_stop(workspace: Workspace, user: User, channel: Channel, thread_ts: str) -> None:
    """Stop an app's work in a thread as a person does; the app must set the status itself."""
    session = workspace.sessions.get((channel.id, thread_ts))
    if session is None or not surfaces.is_stoppable(workspace, session):
        raise SlackError("session_not_processing")
    app = workspace.apps[session.app_id]
    stopped = streams.stop_by_user(workspace, channel, app, thread_ts)
    event: Json = {
        "type": "agent_session_stopped",
        "channel": channel.id,
        "thread_ts": thread_ts,
        "user": user.id,
        "streaming_message_ts": stopped,
        "event_ts": channel.next_ts(workspace.clock.now()),
    }
    emit(workspace, app, event, channel)


def response_url(
    workspace: Workspace, app: App, channel: Channel, user: User, source: Message | None
) -> str:
    """Make a new address; `source` is the pressed message, if there is one."""
    key = workspace.ids.token(24)
    rules = workspace.rules
    until = workspace.clock.now() + rules.response_url_seconds
    address = ResponseUrl(app, channel, user, source, until, rules.response_url_uses)
    workspace.response_urls[key] = address
    return f"{workspace.base_url}/response/{app.id}/{key}"


def trigger(workspace: Workspace) -> str:
    """Make a trigger id: `number.number.letters`."""
    ids = workspace.ids
    return f"{ids.dice.randrange(10**12)}.{ids.dice.randrange(10**12)}.{ids.token(32)}"


def _send(workspace: Workspace, user: User, delivery: Delivery) -> None:
    def failed() -> None:
        text = f"{delivery.app.name} did not answer in time (operation_timeout)."
        workspace.feed.push({"type": "toast", "text": text}, frozenset({user.id}))

    delivery.failed = failed
    workspace.send(delivery)


def _person(user: User) -> Json:
    return {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team}


def _container(channel: Channel, message: Message) -> Json:
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": bool(message.ephemeral_for),
    }
    return container | ({"thread_ts": message.thread_ts} if message.thread_ts else {})


def _find(message: Message, pressed: Json) -> tuple[Json, Json]:
    """Find the pressed element among the blocks of the message."""
    for block in message.blocks:
        if pressed.get("block_id") in {None, block.get("block_id")}:
            for element in _elements(block):
                if element.get("action_id") == pressed.get("action_id"):
                    return block, element
    raise SlackError("invalid_action")


def _elements(block: Json) -> list[Json]:
    elements = cast("list[Json]", block.get("elements") or [])
    accessory = cast("Json | None", block.get("accessory"))
    return [*elements, accessory] if accessory else elements


def _action(workspace: Workspace, block: Json, element: Json, pressed: Json) -> Json:
    action: Json = {
        "type": element["type"],
        "action_id": element.get("action_id"),
        "block_id": block.get("block_id"),
        "action_ts": f"{workspace.clock.now():.6f}",
    }
    if element["type"] in {"static_select", "overflow"}:
        options = cast("list[Json]", element["options"])
        chosen = [option for option in options if option.get("value") == pressed.get("value")]
        if not chosen:
            raise SlackError("invalid_action")
        return action | {"selected_option": chosen[0]}
    if element["type"] == "feedback_buttons":
        return action | {"value": pressed.get("value")}
    for name in ("text", "value", "style"):
        if name in element:
            action[name] = element[name]
    return action
