"""Modals, App Home and shortcuts as a person uses them, with a Bolt app behind them."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.playground import Playground
from bot.playground.model import Shortcut
from tests.bot.playground.clients import Api
from tests.browser.conftest import PHONE, Bolt, Open
from tests.support import wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]

Json = dict[str, Any]
Ack = Callable[..., Awaitable[None]]
Client = Any  # the SDK is not typed


def said(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def asked(block_id: str, label: str, element: Json, **more: object) -> Json:
    return {
        "type": "input",
        "block_id": block_id,
        "label": said(label),
        "element": element,
        **more,
    }


SCOPES = [{"text": said(name), "value": name.lower()} for name in ("Channel", "Workspace")]
SCOPE = {"type": "static_select", "action_id": "s", "placeholder": said("Pick"), "options": SCOPES}
TEXT = {"type": "plain_text_input", "action_id": "t"}


def modal(title: str = "Remember", *blocks: Json, **more: object) -> Json:
    return {
        "type": "modal",
        "callback_id": "remember",
        "title": said(title),
        "submit": said("Save"),
        "close": said("Not now"),
        "blocks": list(blocks) or [asked("text", "What", TEXT), asked("scope", "Where", SCOPE)],
        **more,
    }


@pytest.fixture
def asks(playground: Playground, bolt: Bolt) -> Bolt:
    """The app opens a modal from its global shortcut "Remember this"."""
    playground.app.shortcuts.append(Shortcut("global", "ask", "Remember something"))

    @bolt.shortcut("ask")
    async def on_ask(ack: Ack, body: Json, client: Client) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal())

    return bolt


async def opened(open_page: Open, **how: Any) -> Page:  # noqa: ANN401 - as open_page takes them
    """Open the page and, by the shortcut beside the text field, the modal."""
    page = await open_page(**how)
    await page.get_by_role("button", name="Shortcuts").click()
    await page.get_by_role("menuitem", name="Remember something").click()
    await page.get_by_role("dialog", name="Remember").wait_for()
    return page


async def choose(page: Page, button: str, option: str) -> None:
    await page.get_by_role("button", name=button).click()
    await page.get_by_role("option", name=option).click()


async def test_a_modal_is_filled_in_and_submitted(open_page: Open, asks: Bolt):
    """The app gets every field in Slack's shape, and the modal closes."""
    heard = list[Json]()

    @asks.view("remember")
    async def on_remember(ack: Ack, view: Json) -> None:
        heard.append(view["state"]["values"])
        await ack()

    page = await opened(open_page)
    await page.get_by_role("textbox", name="What").fill("Deploys on Tuesdays")
    await page.get_by_role("button", name="Where").press("ArrowDown")
    await page.keyboard.press("Escape")
    await choose(page, "Where", "Workspace")
    await expect(page.get_by_role("button", name="Where Workspace")).to_be_focused()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert heard[0]["text"]["t"]["value"] == "Deploys on Tuesdays"
    assert heard[0]["scope"]["s"]["selected_option"]["value"] == "workspace"


async def test_what_is_wrong_stands_under_its_field(open_page: Open, asks: Bolt):
    """Slack's own note for what is empty, then the app's note; the field keeps its words."""

    @asks.view("remember")
    async def on_remember(ack: Ack) -> None:
        await ack({"response_action": "errors", "errors": {"text": "That is known already."}})

    page = await opened(open_page)
    await choose(page, "Where", "Channel")
    await page.get_by_role("button", name="Save").click()
    field = page.get_by_role("textbox", name="What")
    await expect(page.locator('[data-block="text"] .input-error')).to_have_text(
        "Fill this in first."
    )
    await expect(field).to_be_focused()
    await field.fill("a fact")
    await field.press("Enter")
    await expect(page.locator('[data-block="text"] .input-error')).to_have_text(
        "That is known already."
    )
    await expect(field).to_have_value("a fact")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(page.locator('[data-block="scope"] .input-error')).to_be_hidden()


async def test_modals_lie_on_one_another(open_page: Open, playground: Playground, bolt: Bolt):
    """A pushed modal shows alone; Back brings the first one again with what was filled in."""
    playground.app.shortcuts.append(Shortcut("global", "ask", "Remember something"))
    more = {"type": "button", "action_id": "more", "text": said("More")}
    first = modal("Remember", asked("text", "What", TEXT), {"type": "actions", "elements": [more]})

    @bolt.shortcut("ask")
    async def on_ask(ack: Ack, body: Json, client: Client) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=first)

    @bolt.action("more")
    async def on_more(ack: Ack, body: Json, client: Client) -> None:
        await ack()
        await client.views_push(trigger_id=body["trigger_id"], view=modal("Second"))

    page = await opened(open_page)
    await page.get_by_role("textbox", name="What").fill("kept")
    await page.get_by_role("button", name="More").click()
    await expect(page.get_by_role("dialog")).to_have_accessible_name("Second")
    await page.get_by_role("button", name="Back to Remember").click()
    await expect(page.get_by_role("dialog")).to_have_accessible_name("Remember")
    await expect(page.get_by_role("textbox", name="What")).to_have_value("kept")
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("dialog", name="Second").wait_for()
    await page.get_by_role("button", name="Close").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_an_updated_modal_keeps_what_is_written(
    open_page: Open, playground: Playground, asks: Bolt, bot: Api
):
    """views.update changes the words around a field, not what a person has begun to write."""
    page = await opened(open_page)
    await page.get_by_role("textbox", name="What").fill("half a sen")
    (view,) = next(iter(playground.workspace.modals.values()))
    note: Json = {"type": "section", "text": said("Loaded.")}
    again = modal("Remember", asked("text", "What exactly", TEXT), note)
    await bot("views.update", view_id=view.id, view=again)
    await expect(page.get_by_role("dialog")).to_contain_text("Loaded.")
    await expect(page.get_by_role("textbox", name="What exactly")).to_have_value("half a sen")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert asks is not None


async def test_a_modal_fits_a_phone(open_page: Open, asks: Bolt):
    """Nothing scrolls sideways, and the buttons are wide enough for a thumb."""
    page = await opened(open_page, size=PHONE)
    width = await page.get_by_role("dialog").evaluate("node => node.scrollWidth - innerWidth")
    save = await page.get_by_role("button", name="Save").bounding_box()
    assert width <= 0
    assert save is not None
    assert save["height"] >= 40
    assert asks is not None


async def test_the_home_of_an_app_is_opened_and_pressed(
    open_page: Open, playground: Playground, bolt: Bolt
):
    """The tab tells the app, its Home appears, and a button on it reaches the app."""
    pressed = list[str]()
    buttons: list[Json] = [{"type": "button", "action_id": "go", "text": said("Approve")}]

    @bolt.event("app_home_opened")
    async def on_home(event: Json, client: Client) -> None:
        if event["tab"] == "home":
            blocks: list[Json] = [
                {"type": "header", "text": said("Waiting for you")},
                {"type": "actions", "elements": buttons},
            ]
            await client.views_publish(
                user_id=event["user"], view={"type": "home", "blocks": blocks}
            )

    @bolt.action("go")
    async def on_go(ack: Ack, body: Json) -> None:
        await ack()
        pressed.append(body["container"]["type"])

    await playground.people.open_dm("ann", "deskmate")
    page = await open_page()
    await page.get_by_role("link", name="Deskmate", exact=True).click()
    await page.get_by_role("tab", name="Home").click()
    await expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()
    await expect(page.get_by_role("textbox", name="Message Deskmate")).to_be_hidden()
    await page.get_by_role("button", name="Approve").click()
    await wait_until(lambda: pressed == ["view"])
    await page.get_by_role("tab", name="Messages").click()
    await expect(page.get_by_role("textbox", name="Message Deskmate")).to_be_visible()


async def test_an_empty_home_says_so(open_page: Open, playground: Playground):
    """One sentence where an app has published nothing."""
    await playground.people.open_dm("ann", "deskmate")
    page = await open_page()
    await page.get_by_role("link", name="Deskmate", exact=True).click()
    await page.get_by_role("tab", name="Home").click()
    await expect(page.locator(".home-note")).to_have_text(
        "Deskmate has put nothing on its Home yet."
    )


async def test_a_message_shortcut_names_its_message(
    open_page: Open, playground: Playground, bolt: Bolt
):
    """The menu of a message, by key and by button, sends the app that very message."""
    playground.app.shortcuts.append(Shortcut("message", "remember", "Remember this"))
    heard = list[str]()

    @bolt.shortcut("remember")
    async def on_remember(ack: Ack, body: Json) -> None:
        await ack()
        heard.append(body["message"]["text"])

    await playground.people.post("ben", "#api", "deploys on Tuesdays")
    page = await open_page()
    article = page.locator("#channel article")
    await article.focus()
    await page.keyboard.press("s")
    await page.keyboard.press("Enter")
    await wait_until(lambda: heard == ["deploys on Tuesdays"])
    await article.hover()
    await page.get_by_role("button", name="Shortcuts (S)").click()
    await page.get_by_role("menuitem", name="Remember this").click()
    await wait_until(lambda: heard == ["deploys on Tuesdays"] * 2)


async def test_a_slash_offers_commands_and_shortcuts_with_their_use(
    open_page: Open, playground: Playground, asks: Bolt
):
    """/ lists what there is; a chosen command shows how it is used; a shortcut runs at once."""
    page = await open_page()
    field = page.get_by_role("textbox", name="Message #api")
    await field.press_sequentially("/desk")
    await field.press("Enter")
    await expect(page.locator("#channel .usage")).to_contain_text("/deskmate")
    await field.fill("")
    await field.press_sequentially("/rem")
    await field.press("Enter")
    await expect(page.get_by_role("dialog", name="Remember")).to_be_visible()
    await expect(field).to_have_value("")
    assert playground.journal.of("act", action="command") == []
    assert asks is not None
