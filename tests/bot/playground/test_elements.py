"""Selects, pickers and inputs of a message: what the app hears of a choice."""

from typing import Any

import pytest

from bot.playground import Playground, SlackError, blocks, elements
from bot.playground.model import Delivery, Shortcut
from tests.bot.playground.clients import Api, Json


def option(value: str) -> Json:
    return {"text": {"type": "plain_text", "text": value}, "value": value}


TWO = [option("a"), option("b")]
CHOICES: list[tuple[Json, Any, Json]] = [
    ({"type": "static_select", "options": TWO}, "b", {"selected_option": option("b")}),
    ({"type": "overflow", "options": TWO}, "a", {"selected_option": option("a")}),
    ({"type": "radio_buttons", "options": TWO}, "a", {"selected_option": option("a")}),
    ({"type": "checkboxes", "options": TWO}, ["b", "a"], {"selected_options": TWO}),
    ({"type": "multi_static_select", "options": TWO}, [], {"selected_options": []}),
    ({"type": "datepicker"}, "2026-11-30", {"selected_date": "2026-11-30"}),
    ({"type": "timepicker"}, "09:30", {"selected_time": "09:30"}),
    ({"type": "datetimepicker"}, "1764496800", {"selected_date_time": 1764496800}),
    ({"type": "users_select"}, "U1", {"selected_user": "U1"}),
    ({"type": "multi_channels_select"}, ["C1"], {"selected_channels": ["C1"]}),
]


@pytest.fixture
def sent(playground: Playground) -> list[Delivery]:
    """Give what leaves for the app."""
    gone = list[Delivery]()
    playground.workspace.send = gone.append
    return gone


async def post(api: Api, channel: str, *given: Json) -> str:
    block = {"type": "actions", "block_id": "row", "elements": list(given)}
    return (await api("chat.postMessage", channel=channel, text="?", blocks=[block]))["ts"]


@pytest.mark.parametrize(("element", "value", "held"), CHOICES)
async def test_a_choice_is_in_actions_and_state(
    playground: Playground, api: Api, sent: list[Delivery], element: Json, value: object, held: Json
) -> None:
    """Both carry what was chosen; an overflow menu holds nothing."""
    ts = await post(api, playground.channel("api").id, {**element, "action_id": "pick"})

    await playground.people.select("ben", "pick", channel="#api", ts=ts, value=value)

    payload = sent[-1].payload
    assert held.items() <= payload["actions"][0].items()
    kept = payload["state"]["values"].get("row", {}).get("pick")
    assert kept == (None if element["type"] == "overflow" else {"type": element["type"], **held})


async def test_each_person_has_a_state_of_their_own(
    playground: Playground, api: Api, sent: list[Delivery], channel: str
) -> None:
    """What ben chose earlier comes with ben's next press, not with ann's."""
    select = {"type": "static_select", "action_id": "pick", "options": TWO}
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
    ts = await post(api, channel, select, button)
    await playground.people.click("ben", "#api", ts, action_id="pick", value="b")
    for who in ("ben", "ann"):
        await playground.people.click(who, "#api", ts, action_id="go")

    ben, ann = (d.payload["state"]["values"]["row"]["pick"] for d in sent[-2:])
    assert (ben["selected_option"], ann["selected_option"]) == (option("b"), None)


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ({"type": "static_select", "options": TWO}, "c"),
        ({"type": "checkboxes", "options": TWO}, "a"),
        ({"type": "datepicker"}, "tomorrow"),
        ({"type": "multi_users_select"}, "U1"),
    ],
)
async def test_what_is_not_offered_cannot_be_chosen(
    playground: Playground, api: Api, channel: str, element: Json, value: object
) -> None:
    """A value outside the options, or of the wrong form, is invalid_action."""
    ts = await post(api, channel, {**element, "action_id": "pick"})

    with pytest.raises(SlackError, match="invalid_action"):
        await playground.people.click("ben", "#api", ts, action_id="pick", value=value)


def test_what_an_element_begins_with() -> None:
    """initial_* counts as chosen until somebody chooses."""
    select = {"type": "static_select", "action_id": "s", "initial_option": option("a")}
    text = {"type": "plain_text_input", "action_id": "t", "initial_value": "hi"}
    given = [
        {"type": "section", "block_id": "1", "accessory": select},
        {"type": "input", "block_id": "2", "element": text},
    ]

    values = elements.state(given, {})["values"]

    assert values["1"]["s"]["selected_option"] == option("a")
    assert values["2"]["t"]["value"] == "hi"


async def test_elements_without_an_id_get_one(
    playground: Playground, api: Api, channel: str
) -> None:
    """Slack names what the app did not name."""
    ts = await post(api, channel, {"type": "datepicker"})

    message = playground.channel("api").messages[ts]
    assert message.blocks[0]["elements"][0]["action_id"]


async def test_a_message_shortcut_brings_the_message(
    playground: Playground, sent: list[Delivery]
) -> None:
    """message_action names message and channel; the global kind does not know it."""
    playground.app.shortcuts.append(Shortcut("message", "remember", "Remember this"))
    ts = await playground.people.post("ann", "#api", "deploys are on Tuesdays")

    await playground.people.shortcut("ben", "remember", channel="#api", ts=ts)

    payload = sent[-1].payload
    assert (payload["type"], payload["message_ts"]) == ("message_action", ts)
    assert payload["message"]["text"] == "deploys are on Tuesdays"
    assert payload["channel"]["name"] == "api"
    with pytest.raises(SlackError, match="invalid_action"):
        await playground.people.shortcut("ben", "remember")


def plain(length: int) -> Json:
    return {"type": "plain_text", "text": "x" * length}


LONG: list[tuple[Json, str]] = [
    ({"type": "static_select", "options": TWO, "placeholder": plain(151)}, "placeholder/text"),
    ({"type": "static_select", "options": [option("a")] * 101}, "/options"),
    ({"type": "checkboxes", "options": TWO * 6}, "/options"),
    ({"type": "radio_buttons", "options": TWO * 6}, "/options"),
    ({"type": "overflow", "options": TWO * 3}, "/options"),
    ({"type": "overflow", "options": [{**option("a"), "description": plain(76)}]}, "description"),
    ({"type": "static_select", "option_groups": []}, "/option_groups"),
    (
        {"type": "static_select", "option_groups": [{"label": plain(76), "options": TWO}]},
        "/option_groups/0/label",
    ),
    ({"type": "datepicker", "confirm": {"title": plain(101)}}, "/confirm/title"),
    ({"type": "datepicker", "confirm": {"deny": plain(31)}}, "/confirm/deny"),
]


@pytest.mark.parametrize(("element", "pointer"), LONG)
def test_elements_have_limits(element: Json, pointer: str) -> None:
    """Each limit of an element, in a row of actions and as an input, has its pointer."""
    row = {"type": "actions", "elements": [element]}
    field = {"type": "input", "label": plain(1), "element": element}

    assert pointer in str(blocks.problems([row]))
    assert pointer in str(blocks.problems([field]))


def test_an_input_needs_a_label_and_an_element() -> None:
    """Both are named when they are missing; hints are short."""
    found = str(blocks.problems([{"type": "input", "hint": plain(2_001)}]))

    for pointer in ("/blocks/0/label", "missing required field: element", "/blocks/0/hint"):
        assert pointer in found
