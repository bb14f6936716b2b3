"""A real Chromium, a real playground, and the page opened as one person.

Run by `make test-browser` only. The browser is started once per file, each test gets a playground
and a window of its own; an error in the page's console fails the test that caused it.
"""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.playground import Playground, Rules
from tests.bot.playground.clients import Api

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = (1280, 800)
PHONE = (390, 844)
LOADING_MS = 20_000
Open = Callable[..., Awaitable[Page]]
Bolt = Any  # the SDK is not typed


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Start Debian's Chromium, or the one Playwright brings where there is none."""
    async with async_playwright() as playwright:
        path = shutil.which("chromium")
        chromium = await playwright.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        await chromium.close()


@pytest_asyncio.fixture(loop_scope="module")
async def playground() -> AsyncIterator[Playground]:
    async with Playground(model="rehearsal", rules=Rules(rate_limits=False)) as running:
        yield running


@pytest.fixture
def bot(playground: Playground) -> Api:
    """The app's own client: what a bot would call."""
    return Api(playground)


@pytest_asyncio.fixture(loop_scope="module")
async def bolt(playground: Playground, bot: Api) -> AsyncIterator[Bolt]:
    """A Bolt app, connected; a test adds its listeners before anything is pressed."""
    app: Any = AsyncApp(client=bot.client)
    handler: Any = AsyncSocketModeHandler(app, playground.app_token)
    await handler.connect_async()
    yield app
    await handler.close_async()


@pytest_asyncio.fixture(loop_scope="module")
async def open_page(browser: Browser, playground: Playground) -> AsyncIterator[Open]:
    """Open the page: `await open_page("ann", "#api", size=PHONE, scheme="dark")`."""
    complaints: list[str] = []
    windows: list[BrowserContext] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    async def opened(
        person: str = "ann",
        channel: str = "#api",
        *,
        size: tuple[int, int] = DESKTOP,
        scheme: str = "light",
    ) -> Page:
        context = await browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        windows.append(context)
        page = await context.new_page()
        page.set_default_timeout(5_000)
        # On a busy machine the first look takes longest: some sixty small files.
        page.set_default_navigation_timeout(LOADING_MS)
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        place = f"#/{playground.channel(channel).id}" if channel else "#/"
        await page.goto(f"{playground.page_url}?as={person}{place}")
        await page.locator(".entry").first.wait_for(state="attached", timeout=LOADING_MS)
        return page

    yield opened
    for window in windows:
        await window.close()
    assert complaints == []
