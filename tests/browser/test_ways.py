"""The ways around the page: by keyboard, on a phone, after a broken line, in both themes."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from bot.playground import Playground
from tests.bot.playground.clients import Api
from tests.browser.conftest import DESKTOP, PHONE, Open
from tests.support import wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]


async def test_the_page_works_by_keyboard_alone(open_page: Open, playground: Playground):
    """Arrows walk, R reacts, Right opens the thread, Escape leaves it, / commands, ? helps."""
    page = await open_page()
    for text in ("one", "two"):
        await playground.people.post("ben", "#api", text)
    articles = page.locator("#channel article")
    await expect(articles).to_have_count(2)
    await page.get_by_role("textbox", name="Message #api").press("ArrowUp")
    await expect(articles.nth(1)).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await expect(articles.nth(0)).to_be_focused()
    await page.keyboard.press("r")
    await expect(page.get_by_role("searchbox")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(articles.nth(0)).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_role("textbox", name="Reply in this thread")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.locator("#thread")).to_be_hidden()
    await articles.nth(0).focus()
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await expect(page.get_by_role("option", name="/deskmate")).to_be_visible()
    await page.keyboard.press("Alt+ArrowDown")
    await expect(page.get_by_role("heading", name="#general")).to_be_visible()


async def test_a_broken_feed_goes_on_where_it_stopped(open_page: Open, playground: Playground):
    """What happened while the line was down is there afterwards, asked for from the last number."""
    page = await open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("events?")[2]))
    said = 'id: 41\ndata: {"type": "toast", "text": "first line"}\n\n'
    await page.route("**/_playground/events*", lambda route: route.fulfill(body=said), times=1)
    await page.reload()
    await expect(page.locator("#toasts")).to_contain_text("first line")
    await wait_until(lambda: any(query.endswith("after=41") for query in asked))
    await playground.people.post("ben", "#api", "after the gap")
    await expect(page.locator("#channel article .text")).to_have_text("after the gap")


async def test_an_answer_may_overtake_the_feed(open_page: Open, playground: Playground):
    """A group that was just made opens as soon as the page hears of it, not before."""
    page = await open_page()
    gate = asyncio.Event()

    async def hold(route: Route) -> None:
        await gate.wait()
        await route.continue_()

    await page.route("**/_playground/events*", hold)
    await page.reload()
    async with page.expect_response("**/_playground/open_dm"):
        await page.get_by_role("button", name="Robo", exact=True).click()
    await expect(page.get_by_role("heading", name="#api")).to_be_visible()
    gate.set()
    await expect(page.get_by_role("heading", name="Robo")).to_be_visible()
    assert [c.kind for c in playground.workspace.channels.values()].count("im") == 1


async def test_new_messages_are_said_once_and_unread_channels_are_counted(
    open_page: Open, playground: Playground
):
    """A polite live region says who said what; another channel shows a count until it is opened."""
    page = await open_page()
    await playground.people.post("ben", "#api", "hello <@U1> *there*")
    await playground.people.post("ben", "#web", "elsewhere")
    await expect(page.locator("#speech")).to_have_text("ben: hello U1 there")
    web = page.get_by_role("link", name="#web, 1 new")
    await web.click()
    await expect(page.get_by_role("link", name="#web", exact=True)).to_have_count(1)


async def test_someone_outside_a_public_channel_is_offered_the_way_in(
    open_page: Open, playground: Playground
):
    """Who only looks at a channel sees Join instead of the field, and may write after it."""
    channel = playground.channel("web")
    del channel.members[playground.workspace.user_named("chris").id]
    page = await open_page("chris", "#web")
    await expect(page.get_by_role("textbox", name="Message #web")).to_be_hidden()
    await page.get_by_role("button", name="Join").click()
    await expect(page.get_by_role("textbox", name="Message #web")).to_be_visible()


async def test_a_group_is_opened_from_the_sidebar(open_page: Open):
    """Several people chosen make a group DM; one app pressed opens its DM."""
    page = await open_page()
    await page.get_by_role("button", name="New direct message").click()
    for name in ("ben", "chris"):
        await page.get_by_role("checkbox", name=name).check()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_role("heading", name="ben, chris")).to_be_visible()
    await page.get_by_role("button", name="Deskmate", exact=True).click()
    await expect(page.get_by_role("textbox", name="Message Deskmate")).to_be_visible()


async def test_on_a_phone_the_panes_are_screens_with_a_way_back(
    open_page: Open, playground: Playground
):
    """List, channel and thread take the whole screen one at a time."""
    await playground.people.post("ben", "#api", "root")
    (root,) = playground.channel("api").messages
    await playground.people.post("ann", "#api", "reply", thread_ts=root)
    page = await open_page(channel="", size=PHONE)
    await expect(page.locator("#channel")).to_be_hidden()
    await page.get_by_role("link", name="#api").click()
    await page.get_by_role("button", name="1 reply").click()
    await expect(page.locator("#channel")).to_be_hidden()
    await page.get_by_role("link", name="Back to #api").click()
    await expect(page.locator("#thread")).to_be_hidden()
    await page.get_by_role("link", name="Back to the channels").click()
    await expect(page.get_by_role("navigation")).to_be_visible()


WIDE = "x" * 400
SPRAWLING = f"""# {WIDE}
- {WIDE}
> {WIDE}
`{WIDE}` https://x.example/{WIDE}

| {WIDE} | b |
|--|--|
| {WIDE} | {WIDE} |

```
{WIDE}
```
"""
OVERFLOWING = """() => [...document.querySelectorAll('body, #channel, #thread, article')]
  .filter((node) => node.offsetParent !== null || node === document.body)
  .filter((node) => node.scrollWidth > node.clientWidth + 1)
  .map((node) => node.id || node.className || node.nodeName)"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_nothing_makes_the_page_scroll_sideways(
    open_page: Open, playground: Playground, bot: Api, size: tuple[int, int]
):
    """Endless words, tables and code scroll inside themselves, in the channel and in the thread."""
    api = playground.channel("api").id
    root = (await bot("chat.postMessage", channel=api, markdown_text=SPRAWLING))["ts"]
    await bot("chat.postMessage", channel=api, markdown_text=SPRAWLING, thread_ts=root)
    page = await open_page(size=size)
    await page.locator("#channel article").first.wait_for()
    assert await page.evaluate(OVERFLOWING) == []
    await page.get_by_role("button", name="1 reply").click()
    await page.locator("#thread article").nth(1).wait_for()
    assert await page.evaluate(OVERFLOWING) == []


CONTRASTS = """() => {
  const styles = getComputedStyle(document.body);
  const probe = document.body.appendChild(document.createElement('i'));
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const linear = parts.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ratio = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const words = ['text', 'quiet', 'accent', 'danger'];
  const grounds = ['bg', 'bg-side', 'bg-soft', 'bg-raised'];
  const pairs = words.flatMap((word) => grounds.map((ground) => [word, ground]));
  pairs.push(['accent', 'accent-soft'], ['quiet', 'accent-soft'], ['danger', 'accent-soft']);
  pairs.push(['on-accent', 'accent'], ['on-loud', 'loud']);
  return pairs.map(([a, b]) => [a, b, ratio(a, b)]).filter(([, , found]) => !(found >= 4.5));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_pair_of_colours_can_be_read(open_page: Open, scheme: str):
    """Text on each of its grounds has a contrast of 4.5 to 1 or more (WCAG AA)."""
    page = await open_page(scheme=scheme)
    assert await page.evaluate(CONTRASTS) == []


async def background(page: Page) -> str:
    return await page.evaluate("getComputedStyle(document.body).backgroundColor")


async def test_the_theme_follows_the_system_until_one_is_chosen(open_page: Open):
    """Dark where the system is dark; the choice goes system, light, dark and is kept."""
    page = await open_page(scheme="dark")
    dark = await background(page)
    await page.get_by_role("button", name="Theme: as the system").click()
    light = await background(page)
    assert light != dark
    await page.reload()
    assert await background(page) == light
    await page.get_by_role("button", name="Theme: light").click()
    assert await background(page) == dark
