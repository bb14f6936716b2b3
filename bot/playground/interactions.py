"""Elements of messages, slash commands and Stop: what is pressed and what the app gets of it.

An app that does not answer in three seconds is reported to the person, as Slack does; these are
never sent again. `response_urls` takes what the app says back later. Views are in
`modals`, menus in `shortcuts`.
"""

from bot.playground import elements, posting, streams, surfaces, triggers
from bot.playground.errors import Json, SlackError
from bot.playground.events import emit
from bot.playground.model import Channel, Delivery, Message, User
from bot.playground.shapes import message_json
from bot.playground.workspace import Workspace

_CHANNEL_NAMES = {"im": "directmessage", "private": "privategroup"}


def press(
    workspace: Workspace, user: User, channel: Channel, message: Message, pressed: Json
) -> None:
    """Press or fill in an element of a message.

    `pressed` names it by action_id, and block_id where needed; `value` is what was chosen.
    """
    app = workspace.apps.get(message.app_id)
    if app is None or not app.interactive or not app.installed:
        raise SlackError("invalid_action")
    block, element = elements.find(message.blocks, pressed)
    held = elements.answer(element, pressed.get("value"))
    filled = message.filled.setdefault(user.id, {})
    if held:
        filled[str(block["block_id"]), str(element["action_id"])] = held
    payload = triggers.interaction(workspace, app, user, "block_actions")
    payload |= {
        "container": _container(channel, message),
        "channel": {"id": channel.id, "name": channel.name or "directmessage"},
        "message": message_json(channel, message),
        "state": elements.state(message.blocks, filled),
        "response_url": triggers.response_url(workspace, app, channel, user, message),
        "actions": [_action(workspace, block, element, pressed, held)],
    }
    if message.ephemeral_for:
        del payload["message"]
    label = str(element.get("action_id", "block_actions"))
    triggers.send(workspace, user, Delivery(app, "interactive", label, payload))


def run_command(
    workspace: Workspace, user: User, channel: Channel, said: str, thread_ts: str
) -> None:
    """Run `/name text`; Slack has no slash commands inside threads."""
    name, _, text = said.partition(" ")
    apps = (app for app in workspace.apps.values() if app.installed)
    app = next((app for app in apps if name in app.commands), None)
    if app is None:
        raise SlackError("invalid_command")
    if thread_ts:
        raise SlackError("command_not_supported_in_threads")
    url = triggers.response_url(workspace, app, channel, user, None)
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
        "is_enterprise_install": "true" if app.everywhere else "false",
        **({"enterprise_id": workspace.org.id} if app.everywhere else {}),
        "response_url": url,
        "trigger_id": triggers.trigger(workspace, app, user),
    }
    address = workspace.response_urls[url.rpartition("/")[2]]

    def answered(answer: Json | None) -> None:
        if answer:
            posting.say(workspace, address, answer)

    delivery = Delivery(app, "slash_commands", name, payload, answered)
    triggers.send(workspace, user, delivery)


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


def _container(channel: Channel, message: Message) -> Json:
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": bool(message.ephemeral_for),
    }
    return container | ({"thread_ts": message.thread_ts} if message.thread_ts else {})


def _action(workspace: Workspace, block: Json, element: Json, pressed: Json, held: Json) -> Json:
    action = elements.action(block, element, held, workspace.clock.now())
    if element["type"] == "feedback_buttons":
        action["value"] = pressed.get("value")
    return action
