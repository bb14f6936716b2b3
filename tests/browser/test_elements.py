"""Elements in messages: selects, menus, dates, boxes and fields, each told as Slack would."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from bot.playground import Playground
from tests.bot.playground.clients import Api
from tests.browser.conftest import DESKTOP, PHONE, Open
from tests.browser.test_blocks import Block, mrkdwn, plain, shown
from tests.browser.test_ways import OVERFLOWING
from tests.support import wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]

OPTIONS: list[Block] = [
    {"text": plain(name), "value": name.lower()} for name in ("Sprint", "Research", "Ops")
]


def actions(*elements: Block) -> Block:
    return {"type": "actions", "block_id": "row", "elements": list(elements)}


async def told(playground: Playground, count: int = 1) -> list[Any]:
    """Give what the last presses chose, once there are `count` of them."""
    await wait_until(lambda: len(playground.journal.of("act", action="click")) >= count)
    return [act["args"].get("value") for act in playground.journal.of("act", action="click")]


async def test_a_select_is_searched_and_chosen_by_keyboard(
    open_page: Open, bot: Api, playground: Playground
):
    """Down opens it, letters narrow it, Enter takes it; the button shows and tells the choice."""
    select = {
        "type": "static_select",
        "action_id": "preset",
        "placeholder": plain("Preset"),
        "options": OPTIONS,
    }
    row = await shown(open_page, bot, playground, actions(select))
    button = row.get_by_role("button", name="Preset")
    await button.press("ArrowDown")
    await row.page.keyboard.type("res")
    await expect(row.page.get_by_role("option")).to_have_text(["Research"])
    await row.page.keyboard.press("Enter")
    await expect(button).to_have_text("Research")
    await expect(button).to_be_focused()
    assert await told(playground) == ["research"]


async def test_several_are_chosen_and_told_once(open_page: Open, bot: Api, playground: Playground):
    """A list of several stays open until Escape, and then says what is chosen."""
    select = {
        "type": "multi_static_select",
        "action_id": "tags",
        "placeholder": plain("Tags"),
        "initial_options": OPTIONS[:1],
        "options": OPTIONS,
    }
    row = await shown(
        open_page,
        bot,
        playground,
        {"type": "section", "block_id": "row", "text": mrkdwn("x"), "accessory": select},
    )
    await row.get_by_role("button", name="Tags: Sprint").click()
    for name in ("Sprint", "Ops", "Research"):
        await row.page.get_by_role("option", name=name).click()
    await row.page.keyboard.press("Escape")
    await expect(row.locator(".select")).to_have_text("Ops, Research")
    assert await told(playground) == [["ops", "research"]]


async def test_people_and_channels_can_be_chosen(open_page: Open, bot: Api, playground: Playground):
    """The workspace's own people and channels, told by id."""
    people = {"type": "users_select", "action_id": "who", "placeholder": plain("Who")}
    channels = {"type": "channels_select", "action_id": "where", "placeholder": plain("Where")}
    row = await shown(open_page, bot, playground, actions(people, channels))
    await row.get_by_role("button", name="Who").click()
    await row.page.get_by_role("option", name="ben").click()
    await row.get_by_role("button", name="Where").click()
    await row.page.get_by_role("option", name="#web").click()
    ben = playground.workspace.user_named("ben").id
    assert await told(playground, 2) == [ben, playground.channel("web").id]


async def test_an_overflow_menu_and_a_confirmation(
    open_page: Open, bot: Api, playground: Playground
):
    """The menu sends its option after its question; No sends nothing."""
    menu = {
        "type": "overflow",
        "action_id": "more",
        "options": OPTIONS,
        "confirm": {"title": plain("Sure?"), "text": plain("It changes."), "confirm": plain("Yes")},
    }
    row = await shown(open_page, bot, playground, actions(menu))
    for answer, option in (("Cancel", "Sprint"), ("Yes", "Ops")):
        await row.get_by_role("button", name="More actions").click()
        await row.page.get_by_role("menuitem", name=option).click()
        await row.page.get_by_role("button", name=answer).click()
    assert await told(playground) == ["ops"]


async def test_a_choice_taken_back_shows_the_old_one(
    open_page: Open, bot: Api, playground: Playground
):
    """Cancel at the question puts the box back as it was."""
    boxes = {
        "type": "checkboxes",
        "action_id": "flags",
        "options": OPTIONS,
        "confirm": {"title": plain("Sure?"), "text": plain("It changes.")},
    }
    row = await shown(open_page, bot, playground, actions(boxes))
    box = row.get_by_role("checkbox", name="Ops")
    await box.click()
    await row.page.get_by_role("button", name="Cancel").click()
    await expect(box).not_to_be_checked()
    assert playground.journal.of("act", action="click") == []


async def test_dates_times_and_boxes_tell_their_value(
    open_page: Open, bot: Api, playground: Playground
):
    """A date, a time, one radio button, two boxes."""
    row = await shown(
        open_page,
        bot,
        playground,
        actions(
            {"type": "datepicker", "action_id": "day"},
            {"type": "timepicker", "action_id": "hour", "initial_time": "09:00"},
            {"type": "radio_buttons", "action_id": "one", "options": OPTIONS},
            {"type": "checkboxes", "action_id": "some", "options": OPTIONS},
        ),
    )
    await row.get_by_label("day").fill("2026-12-01")
    await row.get_by_label("hour").fill("14:05")
    await row.get_by_role("radio", name="Research").check()
    await row.get_by_role("checkbox", name="Ops").check()
    await row.get_by_role("checkbox", name="Sprint").check()
    values = await told(playground, 5)
    assert values == ["2026-12-01", "14:05", "research", ["ops"], ["sprint", "ops"]]


async def test_a_field_is_told_on_enter_where_it_asks_for_it(
    open_page: Open, bot: Api, playground: Playground
):
    """An input with dispatch_action tells on Enter; one without keeps its words to itself."""

    def field(block_id: str, label: str, **more: object) -> Block:
        element = {"type": "plain_text_input", "action_id": block_id}
        return {
            "type": "input",
            "block_id": block_id,
            "label": plain(label),
            "element": element,
            **more,
        }

    loud = field("loud", "Loud", dispatch_action=True)
    row = await shown(open_page, bot, playground, field("quiet", "Quiet"), loud)
    await row.get_by_role("textbox", name="Quiet").fill("psst")
    await row.get_by_role("textbox", name="Quiet").press("Enter")
    await row.get_by_role("textbox", name="Loud").fill("hello")
    await row.get_by_role("textbox", name="Loud").press("Enter")
    assert await told(playground) == ["hello"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_a_row_of_elements_stays_inside_the_page(
    open_page: Open, bot: Api, playground: Playground, size: tuple[int, int]
):
    """Long options and many elements wrap or are cut; the page never scrolls sideways."""
    long = [{"text": plain("word " * 14), "value": "long"}]
    select: Block = {
        "type": "static_select",
        "action_id": "long",
        "options": long,
        "initial_option": long[0],
    }
    dates: list[Block] = [{"type": "datepicker", "action_id": f"d{n}"} for n in range(4)]
    section = {"type": "section", "text": mrkdwn("*Pick*"), "accessory": select}
    channel = playground.channel("api").id
    blocks = [section, actions(*dates, {**select, "action_id": "again"})]
    await bot("chat.postMessage", channel=channel, text="x", blocks=blocks)
    page = await open_page(size=size)
    await page.locator("#channel article .select").first.wait_for()
    assert await page.evaluate(OVERFLOWING) == []


async def drawn(open_page: Open, *blocks: Block) -> Locator:
    """Draw blocks by the page's own renderer, for what no message may carry yet."""
    page = await open_page()
    await page.evaluate(
        """async (blocks) => {
          const { showBlocks } = await import('/static/blocks.js');
          const { Form } = await import('/static/form.js');
          const box = document.createElement('div');
          box.id = 'drawn';
          document.querySelector('.list-before').append(box);
          showBlocks(box, blocks, { press: (it) => (window.pressed = it), form: new Form() });
        }""",
        list(blocks),
    )
    return page.locator("#drawn")


async def test_cards_containers_and_alerts_frame_their_words(open_page: Open):
    """A card with a button, a folded container, an alert with its level in words."""
    button: Block = {"type": "button", "action_id": "open", "text": plain("Open"), "value": "1"}
    card = {
        "type": "card",
        "block_id": "c",
        "title": plain("Health"),
        "body": mrkdwn("*ok*"),
        "actions": [button],
    }
    inside = {"type": "section", "text": mrkdwn("hidden")}
    box = await drawn(
        open_page,
        card,
        {
            "type": "container",
            "title": plain("Details"),
            "is_collapsible": True,
            "default_collapsed": True,
            "child_blocks": [inside],
        },
        {"type": "alert", "level": "warning", "text": mrkdwn("careful")},
        {"type": "hologram"},
    )
    await expect(box.get_by_role("group", name="Health").locator("strong")).to_have_text("ok")
    await box.get_by_role("button", name="Open").click()
    assert (await box.page.evaluate("window.pressed"))["block_id"] == "c"
    await expect(box.get_by_text("hidden")).to_be_hidden()
    await box.get_by_text("Details").click()
    await expect(box.get_by_text("hidden")).to_be_visible()
    await expect(box.get_by_role("note")).to_have_text("Warningcareful")
    await expect(box.locator(".unknown")).to_have_text("A hologram block is not drawn here.")


async def test_a_plan_shows_its_tasks_with_their_signs(open_page: Open):
    """Status is a sign with a word; details and output are rich text; sources are links."""
    rich = {
        "type": "rich_text",
        "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": "3 routes"}]}
        ],
    }
    task = {
        "type": "task_card",
        "task_id": "1",
        "title": "Read the router",
        "status": "complete",
        "output": rich,
        "sources": [{"type": "url", "url": "https://x.example/", "text": "x.example"}],
    }
    box = await drawn(open_page, {"type": "plan", "title": "Add health", "tasks": [task]})
    await expect(box.get_by_role("img", name="done")).to_have_text("✓")
    await expect(box.locator(".block-task .text")).to_have_text("3 routes")
    await expect(box.get_by_role("link", name="x.example")).to_have_count(1)


async def test_a_data_table_is_sorted_and_paged(open_page: Open):
    """Numbers sort as numbers; pages say where one is."""
    head = [{"type": "raw_text", "text": "Route"}, {"type": "raw_text", "text": "ms"}]
    rows = [
        [{"type": "raw_text", "text": f"/{n}"}, {"type": "raw_number", "value": n}]
        for n in (10, -3, -20)
    ]
    table: Block = {
        "type": "data_table",
        "caption": "Latency",
        "page_size": 2,
        "rows": [head, *rows],
    }
    box = await drawn(open_page, table)
    await box.get_by_role("button", name="ms").click()
    await expect(box.get_by_role("rowheader")).to_have_text(["/-20", "/-3"])
    await box.get_by_role("button", name="Next").click()
    await expect(box.get_by_role("rowheader")).to_have_text(["/10"])
    await expect(box.get_by_text("3 to 3 of 3")).to_be_visible()
    await box.get_by_role("button", name="ms").click()
    await expect(box.get_by_role("columnheader", name="ms")).to_have_attribute(
        "aria-sort", "descending"
    )
