"""Views: the modals a person has open, at most three deep, and the Homes apps published for them.

Checks what an app gives and keeps it; `methods.views` is the app's side, `modals` the person's.
"""

import json
from typing import Any, cast

from bot.playground import blocks, elements
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.model import App, View
from bot.playground.workspace import Workspace

DEEPEST = 3
LARGEST_BYTES = 250_000
MOST_BLOCKS = 100
_TEXTS = ("title", "submit", "close")
_TEXT_LENGTH = 24
_LENGTHS = {"private_metadata": 3_000, "callback_id": 255, "external_id": 255}


def checked(shape: Json | None, kind: str) -> Json:
    """Give a view once Slack would take it as a `kind`; every problem comes with its pointer."""
    if not shape:
        raise invalid_arguments("missing required field: view")
    if len(json.dumps(shape, ensure_ascii=False).encode()) > LARGEST_BYTES:
        raise SlackError("view_too_large")
    found = _problems(shape, kind)
    if found:
        raise invalid_arguments(*found)
    return shape


def _problems(shape: Json, kind: str) -> list[str]:
    if shape.get("type") != kind:
        return [f"must be {kind} [json-pointer:/view/type]"]
    found = [*_texts(shape, kind), *_lengths(shape)]
    given: Any = shape.get("blocks")
    items = cast("list[Any]", given) if isinstance(given, list) else None
    if items is None or not all(isinstance(block, dict) for block in items):
        return [*found, "missing required field: blocks [json-pointer:/view]"]
    if len(items) > MOST_BLOCKS:
        found.append(f"no more than {MOST_BLOCKS} items allowed [json-pointer:/view/blocks]")
    in_blocks = blocks.problems(cast("list[Json]", items))
    found += [problem.replace("[json-pointer:/", "[json-pointer:/view/") for problem in in_blocks]
    has_input = any(block.get("type") == "input" for block in items)
    if kind == "modal" and has_input and not shape.get("submit"):
        found.append("missing required field: submit [json-pointer:/view]")
    return found


def _texts(shape: Json, kind: str) -> list[str]:
    """Check title, submit and close: plain text of at most 24 characters."""
    found: list[str] = []
    if kind == "modal" and not shape.get("title"):
        found.append("missing required field: title [json-pointer:/view]")
    for name in _TEXTS:
        value: Any = shape.get(name)
        if value is None:
            continue
        text: Json = cast("Json", value) if isinstance(value, dict) else {}
        said = text.get("text")
        if text.get("type") != "plain_text" or not isinstance(said, str) or not said:
            found.append(f"must be a plain_text object [json-pointer:/view/{name}]")
        elif len(said) > _TEXT_LENGTH:
            where = f"[json-pointer:/view/{name}/text]"
            found.append(f"must be less than {_TEXT_LENGTH + 1} characters {where}")
    return found


def _lengths(shape: Json) -> list[str]:
    found: list[str] = []
    for name, most in _LENGTHS.items():
        value = shape.get(name)
        if not isinstance(value, str | None):
            found.append(f"must be a string [json-pointer:/view/{name}]")
        elif value and len(value) > most:
            found.append(f"must be less than {most + 1} characters [json-pointer:/view/{name}]")
    return found


def open_modal(workspace: Workspace, app: App, user: str, shape: Json) -> View:
    """Open a modal for a person; another stack that was open is gone."""
    view = _new(workspace, app, user, shape)
    workspace.modals[user] = [view]
    show_stack(workspace, user)
    return view


def push(workspace: Workspace, app: App, user: str, shape: Json) -> View:
    """Put a modal on top of the person's stack; raises `push_limit_reached`."""
    stack = workspace.modals.get(user, [])
    if len(stack) >= DEEPEST:
        raise SlackError("push_limit_reached")
    view = _new(workspace, app, user, shape)
    if stack:
        view.root, view.previous = stack[0].id, stack[-1].id
    workspace.modals[user] = [*stack, view]
    show_stack(workspace, user)
    return view


def publish(workspace: Workspace, app: App, user: str, shape: Json, given_hash: str) -> View:
    """Publish a person's Home of an app; raises `hash_conflict` when `given_hash` is stale."""
    home = workspace.homes.get((app.id, user))
    if home is None:
        home = workspace.homes[app.id, user] = _new(workspace, app, user, shape)
    else:
        change(workspace, home, shape, given_hash)
    _tell(workspace, user, {"type": "home", "app": app.id, "view": view_json(home)})
    return home


def change(workspace: Workspace, view: View, shape: Json, given_hash: str = "") -> None:
    """Replace a view's content; what people filled in stays where its element stays."""
    if given_hash and given_hash != view.hash:
        raise SlackError("hash_conflict")
    _claim_external_id(workspace, shape, view)
    view.shape = _named(workspace, shape)
    view.hash = _hash(workspace)
    kept = {
        (str(b.get("block_id")), str(e["action_id"])) for b, e in elements.stateful(view.blocks)
    }
    view.filled = {key: held for key, held in view.filled.items() if key in kept}


def open_views(workspace: Workspace) -> list[View]:
    return [view for stack in workspace.modals.values() for view in stack]


def find(workspace: Workspace, app: App, view_id: str, external_id: str) -> View:
    """Give a view that is open or published, by either id; raises `not_found`."""
    for view in (*open_views(workspace), *workspace.homes.values()):
        known = view.shape.get("external_id") == external_id if external_id else view.id == view_id
        if view.app.id == app.id and known:
            return view
    raise SlackError("not_found")


def drop(workspace: Workspace, view: View) -> None:
    """Close a modal: what lies above it goes too."""
    stack = workspace.modals.get(view.user, [])
    if view in stack:
        workspace.modals[view.user] = stack[: stack.index(view)]
        show_stack(workspace, view.user)


def show_stack(workspace: Workspace, user: str) -> None:
    shown = [view_json(view) for view in workspace.modals.get(user, [])]
    _tell(workspace, user, {"type": "modal", "views": shown})


def show(workspace: Workspace, view: View) -> None:
    """Bring the person's page up to date with one view."""
    if view.kind == "modal":
        show_stack(workspace, view.user)
    else:
        shown = {"type": "home", "app": view.app.id, "view": view_json(view)}
        _tell(workspace, view.user, shown)


def view_json(view: View) -> Json:
    """Show a view as Slack's answers and payloads do."""
    shape = view.shape
    return {
        "id": view.id,
        "team_id": view.team,
        "type": view.kind,
        "title": shape.get("title"),
        "submit": shape.get("submit"),
        "close": shape.get("close"),
        "blocks": view.blocks,
        "private_metadata": shape.get("private_metadata") or "",
        "callback_id": shape.get("callback_id") or "",
        "external_id": shape.get("external_id") or "",
        "state": elements.state(view.blocks, view.filled),
        "hash": view.hash,
        "clear_on_close": bool(shape.get("clear_on_close")),
        "notify_on_close": bool(shape.get("notify_on_close")),
        "previous_view_id": view.previous or None,
        "root_view_id": view.root,
        "app_id": view.app.id,
        "app_installed_team_id": view.team,
        "bot_id": view.app.user.bot_id,
    }


def _new(workspace: Workspace, app: App, user: str, shape: Json) -> View:
    _claim_external_id(workspace, shape, None)
    view_id = workspace.ids.make("V")
    named, stamp = _named(workspace, shape), _hash(workspace)
    return View(view_id, app, user, workspace.team.id, named, stamp, root=view_id)


def _claim_external_id(workspace: Workspace, shape: Json, owner: View | None) -> None:
    wanted = shape.get("external_id")
    if not wanted:
        return
    for view in (*open_views(workspace), *workspace.homes.values()):
        if view is not owner and view.shape.get("external_id") == wanted:
            raise SlackError("duplicate_external_id")


def _named(workspace: Workspace, shape: Json) -> Json:
    """Give every block and element the id Slack gives them."""
    named: Json = json.loads(json.dumps(shape))
    elements.name(cast("list[Json]", named["blocks"]), lambda: workspace.ids.token(5))
    return named


def _hash(workspace: Workspace) -> str:
    return f"{int(workspace.clock.now())}.{workspace.ids.token(8)}"


def _tell(workspace: Workspace, user: str, change: Json) -> None:
    workspace.feed.push(change, frozenset({user}))
