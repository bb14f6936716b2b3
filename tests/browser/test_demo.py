"""The demo as a new user meets it: mention, streamed answer, a file; and the README's picture."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from bot.app import App
from bot.playground import Playground
from bot.settings import load
from tests.browser.conftest import Open

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "thread.png"
ANSWER_MS = 20_000


@pytest_asyncio.fixture(loop_scope="module")
async def deskmate(playground: Playground, tmp_path: Path) -> AsyncIterator[App]:
    """The bot of the demo, with its rehearsal model."""
    environ = {
        "SLACK_BOT_TOKEN": playground.bot_token,
        "SLACK_APP_TOKEN": playground.app_token,
        "SLACK_API_URL": playground.api_url,
        "DESKMATE_MODEL": "rehearsal",
        "DESKMATE_HOME": str(tmp_path),
        "DESKMATE_HTTP": "off",
    }
    async with App(load(environ, tmp_path)) as app:
        await app.connected()
        yield app


def written_files(home: Path) -> dict[str, str]:
    """The files in all project folders, by name."""
    return {path.name: path.read_text() for path in home.glob("projects/*/*/*.*")}


async def write(page: Page, box: str, text: str) -> None:
    """Type as a person does, with the completion of the mention, and send."""
    field = page.get_by_role("textbox", name=box)
    await field.click()
    if text.startswith("@Deskmate "):
        await field.press_sequentially("@Desk")
        await page.get_by_role("option", name="Deskmate").first.click()
        text = text.removeprefix("@Deskmate ")
    await field.press_sequentially(text)
    await field.press("Enter")


async def test_from_the_first_mention_to_a_file_in_the_project(
    open_page: Open, deskmate: App, tmp_path: Path
):
    """The first minute: the example is clicked, the answer streams, a file is written and read."""
    page = await open_page("ann", "#api")
    await page.get_by_role("button", name="@Deskmate what can you do?").click()
    await page.get_by_role("textbox", name="Message #api").press("Enter")
    await page.get_by_role("button", name="1 reply").click(timeout=ANSWER_MS)
    thread = page.locator("#thread")
    await expect(thread).to_contain_text("With a real model I answer anything", timeout=ANSWER_MS)
    await write(page, "Reply in this thread", "how do I write a health endpoint?")
    await expect(thread).to_contain_text("this answer is from my script", timeout=ANSWER_MS)
    await expect(thread.locator("table")).to_have_count(1)
    await write(page, "Reply in this thread", "write health.py")
    await expect(thread).to_contain_text("I wrote health.py", timeout=ANSWER_MS)
    assert written_files(tmp_path)["health.py"].startswith('"""Says hello')
    assert deskmate.me.name == "deskmate"


async def test_the_picture_of_the_readme(open_page: Open, deskmate: App):
    """A question in #api, answered with code and a table, then a file: taken as it looks today."""
    page = await open_page("ann", "#api", size=(1280, 860))
    await write(page, "Message #api", "@Deskmate how do I write a health endpoint?")
    await page.get_by_role("button", name="1 reply").click(timeout=ANSWER_MS)
    thread = page.locator("#thread")
    await expect(thread).to_contain_text("this answer is from my script", timeout=ANSWER_MS)
    await write(page, "Reply in this thread", "write health.py")
    await expect(thread).to_contain_text("Next: run it with", timeout=ANSWER_MS)
    await page.mouse.move(0, 0)
    PICTURE.parent.mkdir(exist_ok=True)
    await page.screenshot(path=PICTURE)
    assert PICTURE.stat().st_size > 20_000
    assert deskmate.gateway is not None
    assert deskmate.gateway.connected.is_set()
