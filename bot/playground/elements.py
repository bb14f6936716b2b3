"""Elements people press and fill in: finding them, what they hold, how an app is told of it.

Pure functions over blocks; where an answer is kept is `interactions` for messages and `modals`
for views.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from bot.playground.errors import Json, SlackError
from bot.playground.model import Filled

_OPTION = {
    "static_select": "selected_option",
    "radio_buttons": "selected_option",
    "overflow": "selected_option",
    "multi_static_select": "selected_options",
    "checkboxes": "selected_options",
}
_PLAIN = {
    "users_select": "selected_user",
    "channels_select": "selected_channel",
    "conversations_select": "selected_conversation",
    "multi_users_select": "selected_users",
    "multi_channels_select": "selected_channels",
    "multi_conversations_select": "selected_conversations",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "plain_text_input": "value",
    "email_text_input": "value",
    "url_text_input": "value",
    "number_input": "value",
    "rich_text_input": "rich_text_value",
}
_INITIAL = {"value": "initial_value", "rich_text_value": "initial_value"}
_FORMS = {
    "datepicker": re.compile(r"\d{4}-\d\d-\d\d"),
    "timepicker": re.compile(r"\d\d:\d\d"),
    "datetimepicker": re.compile(r"\d{10}"),
}
_STATELESS = frozenset({"overflow"})
_MUTE = frozenset({"image", "plain_text", "mrkdwn"})


def within(block: Json) -> list[Json]:
    """Give the interactive elements of a block, wherever they hang."""
    return [element for element in _hung(block) if element.get("action_id")]


def _hung(block: Json) -> list[Json]:
    if block["type"] == "rich_text":
        return []
    listed = cast("list[Json]", block.get("elements") or [])
    single = [block[name] for name in ("accessory", "element") if isinstance(block.get(name), dict)]
    return [*listed, *single]


def name(blocks: list[Json], make: Callable[[], str]) -> None:
    """Give every block and every element its id, as Slack does where the app gave none."""
    for block in blocks:
        block["block_id"] = block.get("block_id") or make()
        for element in _hung(block):
            if element.get("type") not in _MUTE:
                element["action_id"] = element.get("action_id") or make()


def find(blocks: list[Json], pressed: Json) -> tuple[Json, Json]:
    """Find the element that `pressed` names by action_id, and block_id where that is needed."""
    for block in blocks:
        if pressed.get("block_id") in {None, "", block.get("block_id")}:
            for element in within(block):
                if element.get("action_id") == pressed.get("action_id"):
                    return block, element
    raise SlackError("invalid_action")


def answer(element: Json, value: Any) -> Json:  # noqa: ANN401 - JSON of any shape
    """Say what an element holds once a person chose `value`; raises `invalid_action`."""
    kind = str(element["type"])
    if kind in _OPTION:
        return {_OPTION[kind]: _chosen(element, value)}
    if kind not in _PLAIN:
        return {}
    name = _PLAIN[kind]
    if isinstance(value, list) != name.endswith("s"):
        raise SlackError("invalid_action")
    if kind in _FORMS and not _FORMS[kind].fullmatch(str(value)):
        raise SlackError("invalid_action")
    return {name: int(value) if kind == "datetimepicker" else value}


def action(block: Json, element: Json, held: Json, now: float) -> Json:
    """Build the entry of `actions` for a pressed or changed element."""
    shape: Json = {
        "type": element["type"],
        "action_id": element.get("action_id"),
        "block_id": block.get("block_id"),
        "action_ts": f"{now:.6f}",
        **held,
    }
    if element["type"] in {"button", "workflow_button"}:
        shape |= {name: element[name] for name in ("text", "value", "style") if name in element}
    return shape


def state(blocks: list[Json], filled: Filled) -> Json:
    """Build `state`: of every element that holds something, what it holds or began with."""
    values: dict[str, Json] = {}
    for block, element in stateful(blocks):
        key = (str(block.get("block_id")), str(element["action_id"]))
        held = filled.get(key) or beginning(element)
        values.setdefault(key[0], {})[key[1]] = {"type": element["type"], **held}
    return {"values": values}


def stateful(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Give the elements that hold something, each with its block."""
    for block in blocks:
        for element in within(block):
            if element["type"] in (_OPTION.keys() | _PLAIN.keys()) - _STATELESS:
                yield block, element


def beginning(element: Json) -> Json:
    """Say what an element holds before anybody touched it."""
    kind = str(element["type"])
    name = _OPTION.get(kind) or _PLAIN[kind]
    first = element.get(_INITIAL.get(name, name.replace("selected_", "initial_")))
    return {name: first if first is not None else ([] if name.endswith("s") else None)}


def missing(blocks: list[Json], filled: Filled) -> list[str]:
    """Give the block_ids of inputs that must be filled and are not."""
    empty: list[str] = []
    for block, element in stateful(blocks):
        key = (str(block.get("block_id")), str(element["action_id"]))
        held = filled.get(key) or beginning(element)
        if block["type"] == "input" and not block.get("optional") and not any(held.values()):
            empty.append(key[0])
    return empty


def _chosen(element: Json, value: Any) -> Any:  # noqa: ANN401 - one option or several
    options = list(_options(element))
    if _OPTION[element["type"]] == "selected_option":
        found = [option for option in options if option.get("value") == value]
        if not found:
            raise SlackError("invalid_action")
        return found[0]
    if not isinstance(value, list):
        raise SlackError("invalid_action")
    wanted = cast("list[Any]", value)
    if not all(any(o.get("value") == one for o in options) for one in wanted):
        raise SlackError("invalid_action")
    return [option for option in options if option.get("value") in wanted]


def _options(element: Json) -> Iterator[Json]:
    yield from cast("list[Json]", element.get("options") or [])
    for group in cast("list[Json]", element.get("option_groups") or []):
        yield from cast("list[Json]", group.get("options") or [])
