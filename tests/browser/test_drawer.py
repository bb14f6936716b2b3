"""The drawer of the playground: the journal as it happens, and what shall go wrong."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground import Playground
from tests.bot.playground.clients import Api
from tests.browser.conftest import PHONE, Bolt, Open
from tests.support import wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]


async def opened(open_page: Open, tab: str, **how: Any) -> Page:  # noqa: ANN401 - as open_page
    page = await open_page(**how)
    await page.get_by_role("button", name="Journal and chaos").click()
    await page.get_by_role("tab", name=tab).click()
    return page


def rows(page: Page) -> Locator:
    return page.locator(".journal-row")


async def test_the_journal_shows_calls_and_acts_as_they_happen(
    open_page: Open, playground: Playground, bot: Api
):
    """A call and a post appear with who, what and how it went."""
    page = await opened(open_page, "Journal")
    await bot.refused("chat.postMessage", channel="C0", text="lost")
    await expect(rows(page).filter(has_text="chat.postMessage")).to_contain_text(
        "channel_not_found"
    )
    field = page.get_by_role("textbox", name="Message #api")
    await field.fill("hello")
    await field.press("Enter")
    act = rows(page).filter(has_text="ann: hello")
    await expect(act.locator(".journal-what")).to_have_text("post")
    assert playground.journal.of("act", action="post") != []


async def test_the_journal_is_filtered_by_kind_and_by_words(
    open_page: Open, playground: Playground, bot: Api
):
    """A pressed kind goes; words narrow what is left; the count says how much is shown."""
    await bot("auth.test")
    await bot("team.info")
    await playground.people.post("ann", "#random", "x")
    page = await opened(open_page, "Journal")
    await expect(rows(page).filter(has_text="auth.test")).to_have_count(1)
    await page.get_by_role("searchbox", name="Filter the journal").fill("auth")
    await expect(rows(page)).to_have_count(1)
    await expect(page.locator(".journal-count")).to_contain_text("1 of")
    await page.get_by_role("button", name="Calls", exact=True).click()
    await expect(rows(page)).to_have_count(0)


async def test_an_entry_is_read_whole_and_its_event_followed(
    open_page: Open, playground: Playground, bolt: Bolt
):
    """Enter shows the entry as it was written; "All of this event" finds delivery and ack."""

    @bolt.event("message")
    async def take() -> None:
        """Acknowledge by being there."""

    await playground.people.post("ann", "#api", "hello")
    await wait_until(lambda: bool(playground.journal.of("ack", label="message")))
    page = await opened(open_page, "Journal")
    row = rows(page).filter(has_text="delivery").filter(has_text="message").first
    await row.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".journal-detail pre")).to_contain_text('"kind": "delivery"')
    await page.get_by_role("button", name="All of this event").click()
    await expect(rows(page).locator(".journal-kind")).to_have_text(["delivery", "ack"])
    await rows(page).first.focus()
    await page.keyboard.press("ArrowDown")
    await expect(rows(page).nth(1)).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.locator(".journal-detail")).to_be_hidden()


async def test_a_single_fault_is_set_told_and_done(
    open_page: Open, playground: Playground, bot: Api
):
    """A 429 for one method, twice: said in words, in force, and gone after it happened."""
    page = await opened(open_page, "Chaos")
    form = page.get_by_role("region", name="A single fault")
    await form.get_by_label("What").select_option("error")
    await form.get_by_label("Where").fill("auth.test")
    await form.get_by_label("Times").fill("2")
    await form.get_by_label("Error", exact=True).fill("fatal_error")
    await form.get_by_role("button", name="Add fault").click()
    said = page.get_by_role("list", name="Faults in force")
    await expect(said).to_have_text("auth.test: Refuse with an error fatal_error · 2 times")
    assert await bot.refused("auth.test") == "fatal_error"
    assert await bot.refused("auth.test") == "fatal_error"
    await expect(said).to_have_text("Nothing goes wrong.")
    assert playground.faults.listed() == []


async def test_faults_are_cleared(open_page: Open, playground: Playground):
    """One press and nothing goes wrong any more."""
    page = await opened(open_page, "Chaos")
    await page.get_by_role("button", name="Add fault").click()
    await expect(page.get_by_role("list", name="Faults in force")).to_contain_text("anything")
    await page.get_by_role("button", name="Clear all faults").click()
    await expect(page.get_by_role("list", name="Faults in force")).to_have_text(
        "Nothing goes wrong."
    )
    assert playground.faults.listed() == []


async def test_the_dial_is_turned_and_read_back(open_page: Open, playground: Playground):
    """Wild is ten; what somebody else set is shown; off is off."""
    page = await opened(open_page, "Chaos")
    dial = page.get_by_role("slider", name="Chaos, 0 to 10")
    await page.get_by_role("button", name="Wild").click()
    await expect(dial).to_have_attribute("aria-valuetext", "10, wild")
    assert playground.faults.dial == 10
    await dial.press("ArrowLeft")
    await wait_until(lambda: playground.faults.dial == 9)
    await page.get_by_role("button", name="Off").click()
    await wait_until(lambda: playground.faults.dial == 0)
    await expect(page.get_by_role("list", name="Faults in force")).to_have_text(
        "Nothing goes wrong."
    )


async def test_the_clock_runs_faster_and_jumps(open_page: Open, playground: Playground):
    """The scale and a jump of five minutes reach the workspace's clock."""
    page = await opened(open_page, "Chaos")
    before = playground.workspace.clock.now()
    await page.get_by_label("Runs").select_option("60")
    await page.get_by_role("button", name="+ 5 min").click()
    await wait_until(lambda: playground.workspace.clock.now() >= before + 300)
    assert playground.workspace.clock.scale == 60


async def test_sockets_are_listed_and_dropped(open_page: Open, playground: Playground, bolt: Bolt):
    """Each line can be ended in its own way, or all at once."""
    page = await opened(open_page, "Chaos")
    sockets = page.get_by_role("list", name="Sockets")
    await expect(sockets).to_contain_text("Deskmate")
    first = playground.board.lines[0].number
    await page.get_by_role("button", name=f"Mute {first}").click()
    await expect(sockets.locator(".badge")).to_have_text("muted")
    await page.get_by_role("button", name="Drop all sockets").click()
    await wait_until(lambda: bool(playground.journal.of("socket", line=first, state="abort")))
    assert bolt is not None


async def test_the_drawer_opens_by_key_and_is_a_screen_on_a_phone(open_page: Open):
    """J opens and closes it, arrows change the tab, and on a phone it covers the page."""
    page = await open_page(size=PHONE)
    await page.locator("#channel").focus()
    await page.keyboard.press("j")
    drawer = page.get_by_role("region", name="Journal and chaos")
    await expect(drawer).to_be_visible()
    box = await drawer.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (390, 844 - 48)
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Chaos")).to_be_focused()
    await expect(page.get_by_role("tabpanel", name="Chaos")).to_be_visible()
    width = await drawer.evaluate("node => node.scrollWidth - node.clientWidth")
    assert width == 0
    await page.keyboard.press("j")
    await expect(drawer).to_be_hidden()
    await page.get_by_role("button", name="Journal and chaos").click()
    await page.keyboard.press("Escape")
    await expect(drawer).to_be_hidden()
