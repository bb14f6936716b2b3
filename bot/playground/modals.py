"""What a person does in a modal or a Home, and what Slack makes of the app's answer to it.

`views` keeps the views; `screens` are the hands.
"""

from typing import Any, cast

from bot.playground import elements, triggers, views
from bot.playground.errors import Json, SlackError
from bot.playground.events import emit, show_channel
from bot.playground.model import App, Delivery, Filled, User, View
from bot.playground.workspace import Workspace

Values = dict[str, Json]
_TROUBLE = "We had some trouble connecting. Try again?"


def top(workspace: Workspace, user: User, view_id: str) -> View:
    """Give the person's view of that id, or the modal on top when none is named."""
    stack = workspace.modals.get(user.id, [])
    homes = [home for (_, owner), home in workspace.homes.items() if owner == user.id]
    for view in (*stack[::-1], *(homes if view_id else ())):
        if view_id in {"", view.id}:
            return view
    raise SlackError("view_not_found")


def press(workspace: Workspace, user: User, view_id: str, pressed: Json, values: Values) -> None:
    """Press or fill in an element; an input tells the app only with `dispatch_action`."""
    view = top(workspace, user, view_id)
    fill(view, values)
    block, element = elements.find(view.blocks, pressed)
    held = elements.answer(element, pressed.get("value"))
    if held:
        view.filled[str(block["block_id"]), str(element["action_id"])] = held
    if block["type"] == "input" and not block.get("dispatch_action"):
        return
    payload = triggers.interaction(workspace, view.app, user, "block_actions", view=view.id)
    payload |= {
        "container": {"type": "view", "view_id": view.id},
        "view": views.view_json(view),
        "actions": [elements.action(block, element, held, workspace.clock.now())],
    }
    if view.kind == "home":
        workspace.triggers[payload["trigger_id"]].view = ""
    label = str(element["action_id"])
    triggers.send(workspace, user, Delivery(view.app, "interactive", label, payload))


def fill(view: View, values: Values) -> None:
    """Take over the fields of a form: block_id, action_id, value; raises `invalid_action`."""
    filled: Filled = {}
    for block_id, fields in values.items():
        for action_id, value in fields.items():
            named = {"block_id": block_id, "action_id": action_id}
            element = elements.find(view.blocks, named)[1]
            empty = value in ("", None, [])
            filled[block_id, action_id] = {} if empty else elements.answer(element, value)
            if empty:
                filled[block_id, action_id] = _emptied(element)
    view.filled |= filled


def _emptied(element: Json) -> Json:
    """Say what an element holds that a person has cleared."""
    return {name: [] if name.endswith("s") else None for name in elements.beginning(element)}


def submit(workspace: Workspace, user: User, view_id: str, values: Values) -> None:
    """Submit a modal; raises `missing_required_input` with the blocks, as Slack marks them."""
    view = top(workspace, user, view_id)
    if view.kind != "modal":
        raise SlackError("view_not_found")
    fill(view, values)
    empty = elements.missing(view.blocks, view.filled)
    if empty:
        raise SlackError("missing_required_input", blocks=empty)
    payload = triggers.interaction(workspace, view.app, user, "view_submission", view=view.id)
    payload |= {"view": views.view_json(view), "response_urls": []}

    def answered(answer: Json | None) -> None:
        try:
            _obey(workspace, user, view, answer or {})
        except SlackError as refused:
            workspace.journal.add("view_refused", view=view.id, error=refused.error)
            triggers.toast(workspace, user, _TROUBLE)

    label = str(view.shape.get("callback_id") or "view_submission")
    triggers.send(workspace, user, Delivery(view.app, "interactive", label, payload, answered))


def _obey(workspace: Workspace, user: User, view: View, answer: Json) -> None:
    """Do what the app's acknowledgement of a submission asks for; nothing: close the modal."""
    wanted = answer.get("response_action")
    if view not in views.open_views(workspace):
        return
    if not wanted:
        views.drop(workspace, view)
    elif wanted == "clear":
        workspace.modals[user.id] = []
        views.show_stack(workspace, user.id)
    elif wanted == "errors":
        _mark(workspace, user, view, answer.get("errors"))
    elif wanted == "update":
        views.change(workspace, view, views.checked(answer.get("view"), "modal"))
        views.show(workspace, view)
    elif wanted == "push":
        views.push(workspace, view.app, user.id, views.checked(answer.get("view"), "modal"))
    else:
        raise SlackError("invalid_response_action")


def _mark(workspace: Workspace, user: User, view: View, errors: Any) -> None:  # noqa: ANN401
    """Show the app's complaints under the inputs they name; any other name is a mistake."""
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    if not isinstance(errors, dict) or not errors or not inputs >= errors.keys():
        raise SlackError("invalid_errors")
    marked = cast("Json", errors)
    change: Json = {"type": "view_errors", "view": view.id, "errors": marked}
    workspace.feed.push(change, frozenset({user.id}))


def close(workspace: Workspace, user: User, view_id: str, *, everything: bool) -> None:
    """Close a modal, or the whole stack; the app hears of it if it asked to."""
    view = top(workspace, user, view_id)
    stack = workspace.modals.get(user.id, [])
    if view not in stack:
        raise SlackError("view_not_found")
    cleared = everything or bool(view.shape.get("clear_on_close"))
    views.drop(workspace, stack[0] if cleared else view)
    for closed in reversed(stack if cleared else stack[stack.index(view) :]):
        _tell_of_close(workspace, user, closed, cleared=cleared)


def _tell_of_close(workspace: Workspace, user: User, view: View, *, cleared: bool) -> None:
    if not view.shape.get("notify_on_close"):
        return
    payload = triggers.interaction(workspace, view.app, user, "view_closed")
    del payload["trigger_id"]
    payload |= {"view": views.view_json(view), "is_cleared": cleared}
    label = str(view.shape.get("callback_id") or "view_closed")
    triggers.send(workspace, user, Delivery(view.app, "interactive", label, payload))


def open_home(workspace: Workspace, user: User, app: App) -> None:
    """Open an app's Home tab; the app hears of it and publishes what belongs there."""
    channel, new = workspace.direct([user.id, app.user.id])
    if new:
        show_channel(workspace, channel)
    home = workspace.homes.get((app.id, user.id))
    opened: Json = {
        "type": "app_home_opened",
        "user": user.id,
        "channel": channel.id,
        "tab": "home",
        "event_ts": channel.next_ts(workspace.clock.now()),
    }
    emit(workspace, app, opened | ({"view": views.view_json(home)} if home else {}), channel)
