"""Block Kit as Slack checks it: which problems a list of blocks has, each with its JSON pointer."""

from collections.abc import Callable
from typing import Any, cast

from bot.playground.errors import Json

Problems = list[str]
Check = Callable[[Json, str, Problems], None]

_ELEMENT_LIMITS = {"actions": 25, "context": 10, "context_actions": 5}
_OPTIONS = {
    "static_select": 100,
    "multi_static_select": 100,
    "overflow": 5,
    "radio_buttons": 10,
    "checkboxes": 10,
}
_OPTION_GROUPS = 100
_CONFIRM_LENGTHS = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
_TABLE_ROWS, _TABLE_COLUMNS = 100, 20


def problems(blocks: list[Json]) -> Problems:
    """Say what is wrong; an empty list means Slack takes them."""
    found: Problems = []
    seen: set[str] = set()
    for place, block in enumerate(blocks):
        pointer = f"/blocks/{place}"
        kind = str(block.get("type", ""))
        check = _CHECKS.get(kind)
        if check is None:
            found.append(f"unsupported type: {kind} [json-pointer:{pointer}/type]")
            continue
        _check_length(block, "block_id", 255, pointer, found)
        block_id = str(block.get("block_id") or "")
        if block_id and block_id in seen:
            found.append(f"`block_id` already exists [json-pointer:{pointer}/block_id]")
        seen.add(block_id)
        check(block, pointer, found)
    if sum(block.get("type") == "table" for block in blocks) > 1:
        found.append("only one table is allowed [json-pointer:/blocks]")
    return found


def markdown_length(blocks: list[Json]) -> int:
    """Count the characters of all markdown blocks together."""
    return sum(len(str(b.get("text", ""))) for b in blocks if b.get("type") == "markdown")


def text_length(value: Any) -> int:  # noqa: ANN401 - JSON of any shape
    """Count the characters people would read, through all nested parts."""
    if isinstance(value, list):
        return sum(text_length(item) for item in cast("list[Any]", value))
    if not isinstance(value, dict):
        return 0
    shape = cast("Json", value)
    own = shape.get("text")
    here = len(own) if isinstance(own, str) else 0
    return here + sum(text_length(item) for item in shape.values())


def _check_length(block: Json, name: str, most: int, pointer: str, found: Problems) -> None:
    value = block.get(name)
    if not isinstance(value, str | None):
        found.append(f"must be a string [json-pointer:{pointer}/{name}]")
    elif value and len(value) > most:
        found.append(f"must be less than {most + 1} characters [json-pointer:{pointer}/{name}]")


def _need(block: Json, name: str, pointer: str, found: Problems) -> bool:
    if block.get(name) in (None, "", []):
        found.append(f"missing required field: {name} [json-pointer:{pointer}]")
        return False
    return True


def _objects(block: Json, name: str, pointer: str, found: Problems) -> list[Json]:
    """Give the objects of a list; anything else in it is a problem."""
    value: Any = block.get(name) or []
    if not isinstance(value, list):
        found.append(f"must be an array [json-pointer:{pointer}/{name}]")
        return []
    items = cast("list[Any]", value)
    if not all(isinstance(item, dict) for item in items):
        found.append(f"must be an object [json-pointer:{pointer}/{name}]")
        return []
    return cast("list[Json]", items)


def _check_text(block: Json, name: str, most: int, pointer: str, found: Problems) -> None:
    """Check a text object: its type, that it says something, and its length."""
    value = block.get(name)
    where = f"{pointer}/{name}"
    if not isinstance(value, dict):
        found.append(f"must be an object [json-pointer:{where}]")
        return
    text = cast("Json", value)
    if text.get("type") not in ("plain_text", "mrkdwn"):
        found.append(f"unsupported type: {text.get('type')} [json-pointer:{where}/type]")
    said = text.get("text")
    if not isinstance(said, str) or not said:
        found.append(f"must be more than 0 characters [json-pointer:{where}/text]")
    elif len(said) > most:
        found.append(f"must be less than {most + 1} characters [json-pointer:{where}/text]")


def _check_section(block: Json, pointer: str, found: Problems) -> None:
    fields = _objects(block, "fields", pointer, found)
    if "text" in block:
        _check_text(block, "text", 3_000, pointer, found)
    elif not fields:
        found.append(f"missing required field: text [json-pointer:{pointer}]")
    if len(fields) > 10:  # noqa: PLR2004 - Slack's limit
        found.append(f"no more than 10 items allowed [json-pointer:{pointer}/fields]")
    for place, said in enumerate(fields):
        _check_text({str(place): said}, str(place), 2_000, f"{pointer}/fields", found)
    accessory = block.get("accessory")
    if isinstance(accessory, dict):
        _check_element(cast("Json", accessory), f"{pointer}/accessory", found)


def _check_header(block: Json, pointer: str, found: Problems) -> None:
    _check_text(block, "text", 150, pointer, found)
    text = block.get("text")
    if isinstance(text, dict) and cast("Json", text).get("type") == "mrkdwn":
        found.append(f"must be plain_text [json-pointer:{pointer}/text/type]")


def _check_elements(block: Json, pointer: str, found: Problems) -> None:
    if not _need(block, "elements", pointer, found):
        return
    elements = _objects(block, "elements", pointer, found)
    most = _ELEMENT_LIMITS[block["type"]]
    if len(elements) > most:
        found.append(f"no more than {most} items allowed [json-pointer:{pointer}/elements]")
    actions: set[str] = set()
    for place, element in enumerate(elements):
        where = f"{pointer}/elements/{place}"
        _check_element(element, where, found)
        action = str(element.get("action_id") or "")
        if action and action in actions:
            found.append(f"`action_id` already exists [json-pointer:{where}/action_id]")
        actions.add(action)


def _check_element(element: Json, pointer: str, found: Problems) -> None:
    _check_length(element, "action_id", 255, pointer, found)
    kind = element.get("type")
    if "placeholder" in element:
        _check_text(element, "placeholder", 150, pointer, found)
    if isinstance(element.get("confirm"), dict):
        _check_confirm(cast("Json", element["confirm"]), f"{pointer}/confirm", found)
    if kind == "button":
        _check_button(element, pointer, found)
    elif kind in _OPTIONS and "option_groups" in element:
        _check_groups(element, pointer, found)
    elif kind in _OPTIONS:
        _check_options(element, pointer, found)
    elif kind in ("plain_text", "mrkdwn"):
        _check_text({"text": element}, "text", 3_000, pointer.rpartition("/")[0], found)


def _check_button(element: Json, pointer: str, found: Problems) -> None:
    _check_text(element, "text", 75, pointer, found)
    _check_length(element, "value", 2_000, pointer, found)
    _check_length(element, "url", 3_000, pointer, found)
    _check_length(element, "accessibility_label", 75, pointer, found)


def _check_confirm(confirm: Json, pointer: str, found: Problems) -> None:
    for name, most in _CONFIRM_LENGTHS.items():
        if name in confirm:
            _check_text(confirm, name, most, pointer, found)


def _check_groups(element: Json, pointer: str, found: Problems) -> None:
    groups = _objects(element, "option_groups", pointer, found)
    if not 1 <= len(groups) <= _OPTION_GROUPS:
        where = f"{pointer}/option_groups"
        found.append(f"must have 1 to {_OPTION_GROUPS} items [json-pointer:{where}]")
    for place, group in enumerate(groups):
        where = f"{pointer}/option_groups/{place}"
        _check_text(group, "label", 75, where, found)
        _check_options({**group, "type": element["type"]}, where, found)


def _check_options(element: Json, pointer: str, found: Problems) -> None:
    options = _objects(element, "options", pointer, found)
    most = _OPTIONS[element["type"]]
    if not 1 <= len(options) <= most:
        found.append(f"must have 1 to {most} items [json-pointer:{pointer}/options]")
    for place, option in enumerate(options):
        where = f"{pointer}/options/{place}"
        _check_text(option, "text", 75, where, found)
        _check_length(option, "value", 150, where, found)
        if "description" in option:
            _check_text(option, "description", 75, where, found)


def _check_markdown(block: Json, pointer: str, found: Problems) -> None:
    if _need(block, "text", pointer, found) and not isinstance(block["text"], str):
        found.append(f"must be a string [json-pointer:{pointer}/text]")


def _check_image(block: Json, pointer: str, found: Problems) -> None:
    if not block.get("image_url") and not block.get("slack_file"):
        found.append(f"missing required field: image_url [json-pointer:{pointer}]")
    _need(block, "alt_text", pointer, found)
    _check_length(block, "alt_text", 2_000, pointer, found)
    _check_length(block, "image_url", 3_000, pointer, found)


def _check_table(block: Json, pointer: str, found: Problems) -> None:
    if not _need(block, "rows", pointer, found):
        return
    rows = cast("list[Any]", block["rows"])
    if not isinstance(block["rows"], list) or not all(isinstance(row, list) for row in rows):
        found.append(f"must be an array of arrays [json-pointer:{pointer}/rows]")
        return
    if len(rows) > _TABLE_ROWS:
        found.append(f"no more than {_TABLE_ROWS} items allowed [json-pointer:{pointer}/rows]")
    for place, row in enumerate(rows):
        if len(row) > _TABLE_COLUMNS:
            where = f"{pointer}/rows/{place}"
            found.append(f"no more than {_TABLE_COLUMNS} items allowed [json-pointer:{where}]")


def _check_input(block: Json, pointer: str, found: Problems) -> None:
    _check_text(block, "label", 2_000, pointer, found)
    if "hint" in block:
        _check_text(block, "hint", 2_000, pointer, found)
    element = block.get("element")
    if not isinstance(element, dict):
        found.append(f"missing required field: element [json-pointer:{pointer}]")
        return
    _check_element(cast("Json", element), f"{pointer}/element", found)


def _check_rich_text(block: Json, pointer: str, found: Problems) -> None:
    _need(block, "elements", pointer, found)


def _check_nothing(_block: Json, _pointer: str, _found: Problems) -> None:
    """Take the block as it is."""


_CHECKS: dict[str, Check] = {
    "section": _check_section,
    "header": _check_header,
    "context": _check_elements,
    "actions": _check_elements,
    "context_actions": _check_elements,
    "divider": _check_nothing,
    "markdown": _check_markdown,
    "image": _check_image,
    "table": _check_table,
    "rich_text": _check_rich_text,
    "file": _check_nothing,
    "input": _check_input,
    "video": _check_nothing,
    "task_card": _check_nothing,
    "plan": _check_nothing,
}
