"""views.* and blocks.validate: modals and Homes opened, stacked, changed, published; checks."""

from bot.playground import limits, triggers, views
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.methods.table import Method
from bot.playground.wire import Call
from bot.playground.workspace import Workspace


def _given(call: Call, kind: str) -> Json:
    return views.checked(call.object("view", "invalid_arguments"), kind)


def views_open(workspace: Workspace, call: Call) -> Json:
    shape = _given(call, "modal")
    trigger = triggers.redeem(workspace, call.app, call.need("trigger_id"))
    view = views.open_modal(workspace, call.app, trigger.user, shape)
    return {"view": views.view_json(view)}


def views_push(workspace: Workspace, call: Call) -> Json:
    shape = _given(call, "modal")
    trigger = triggers.redeem(workspace, call.app, call.need("trigger_id"))
    if not trigger.view:
        raise SlackError("invalid_trigger_id")
    return {"view": views.view_json(views.push(workspace, call.app, trigger.user, shape))}


def views_update(workspace: Workspace, call: Call) -> Json:
    view_id, external_id = call.text("view_id"), call.text("external_id")
    if not view_id and not external_id:
        raise invalid_arguments("missing required field: view_id")
    view = views.find(workspace, call.app, view_id, external_id)
    views.change(workspace, view, _given(call, view.kind), call.text("hash"))
    views.show(workspace, view)
    return {"view": views.view_json(view)}


def views_publish(workspace: Workspace, call: Call) -> Json:
    user = workspace.users.get(call.need("user_id"))
    if user is None or user.rank == "bot":
        raise invalid_arguments("invalid user_id [json-pointer:/user_id]")
    if not call.app.home_tab:
        raise SlackError("not_enabled")
    shape = _given(call, "home")
    view = views.publish(workspace, call.app, user.id, shape, call.text("hash"))
    return {"view": views.view_json(view)}


def blocks_validate(_workspace: Workspace, call: Call) -> Json:
    """Check blocks, the blocks of a message, or a view, and post nothing."""
    given = [name for name in ("blocks", "message", "view") if call.given(name)]
    if len(given) != 1:
        raise invalid_arguments("exactly one of blocks, message, view")
    if given[0] == "view":
        shape = call.object("view", "invalid_arguments") or {}
        views.checked(shape, "home" if shape.get("type") == "home" else "modal")
    elif given[0] == "message":
        message = call.object("message", "invalid_arguments") or {}
        inner = Call(call.method, call.encoding, "", {"blocks": message.get("blocks")})
        limits.checked_blocks(inner)
    else:
        limits.checked_blocks(call)
    return {}


METHODS = (
    Method("blocks.validate", blocks_validate, (), "3", caller=None),
    Method("views.open", views_open, (), "4"),
    Method("views.push", views_push, (), "4"),
    Method("views.update", views_update, (), "4"),
    Method("views.publish", views_publish, (), "4"),
)
