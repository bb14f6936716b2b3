"""Block Kit as the page draws it: every kind of block the workspace knows, and what is pressed."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from bot.playground import Playground
from tests.bot.playground.clients import Api
from tests.browser.conftest import Open
from tests.support import wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]

Block = dict[str, Any]


async def shown(open_page: Open, bot: Api, playground: Playground, *blocks: Block) -> Locator:
    """Post blocks to #api and give the row that shows them."""
    page = await open_page()
    channel = playground.channel("api").id
    await bot("chat.postMessage", channel=channel, text="words", blocks=list(blocks))
    row = page.locator("#channel article").last
    await row.wait_for()
    return row


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}


async def test_text_blocks_show_their_words(open_page: Open, bot: Api, playground: Playground):
    """Header, section with fields, context and divider, in order and in their markup."""
    row = await shown(
        open_page,
        bot,
        playground,
        {"type": "header", "text": plain("Plan :tada:")},
        {
            "type": "section",
            "text": mrkdwn("*four* items"),
            "fields": [mrkdwn("_a_"), plain("*b*")],
        },
        {"type": "divider"},
        {"type": "context", "elements": [mrkdwn("`trace`"), plain("12 s")]},
    )
    await expect(row.get_by_role("heading").locator("[class^=emoji]")).to_have_count(1)
    await expect(row.locator(".section-body strong")).to_have_text("four")
    await expect(row.locator(".field")).to_have_text(["a", "*b*"])
    await expect(row.locator("hr")).to_have_count(1)
    await expect(row.locator(".block-context")).to_have_text("trace12 s")


async def test_rich_text_is_drawn_with_lists_and_styles(
    open_page: Open, bot: Api, playground: Playground
):
    """Sections, a nested list, code and a quote, with styles, links, people and emoji."""
    ann = playground.workspace.user_named("ann").id
    bold = {"type": "text", "text": "bold", "style": {"bold": True}}
    link = {"type": "link", "url": "https://x.example/", "text": "there"}
    elements: list[Block] = [
        {
            "type": "rich_text_section",
            "elements": [bold, link, {"type": "user", "user_id": ann}],
        },
        {
            "type": "rich_text_list",
            "style": "ordered",
            "offset": 2,
            "elements": [{"type": "rich_text_section", "elements": [bold]}],
        },
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x < 1"}]},
        {"type": "rich_text_quote", "elements": [{"type": "emoji", "name": "eyes"}]},
    ]
    row = await shown(open_page, bot, playground, {"type": "rich_text", "elements": elements})
    await expect(row.locator(".text > p strong")).to_have_text("bold")
    await expect(row.get_by_role("link", name="there")).to_have_attribute(
        "rel", "noopener noreferrer nofollow"
    )
    await expect(row.locator(".mention-me")).to_have_text("@ann")
    await expect(row.locator("ol")).to_have_attribute("start", "3")
    await expect(row.locator("pre")).to_have_text("x < 1")
    await expect(row.locator("blockquote [class^=emoji]")).to_have_count(1)


async def test_a_table_block_aligns_its_columns(open_page: Open, bot: Api, playground: Playground):
    """Plain and rich cells stand in a real table with a head."""
    rich = {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [{"type": "text", "text": "3 ms", "style": {"bold": True}}],
            }
        ],
    }
    rows = [
        [{"type": "raw_text", "text": "Route"}, {"type": "raw_text", "text": "p95"}],
        [{"type": "raw_text", "text": "/orders"}, rich],
    ]
    settings = [{"align": "left"}, {"align": "right"}]
    row = await shown(
        open_page, bot, playground, {"type": "table", "rows": rows, "column_settings": settings}
    )
    await expect(row.get_by_role("columnheader")).to_have_text(["Route", "p95"])
    await expect(row.get_by_role("cell", name="3 ms")).to_have_class("align-right")
    await expect(row.locator("td strong")).to_have_text("3 ms")


async def test_pictures_of_other_hosts_are_only_links(
    open_page: Open, bot: Api, playground: Playground
):
    """Nothing is loaded from outside: the picture's words lead to it."""
    picture = {"type": "image", "image_url": "https://x.example/cat.png", "alt_text": "a cat"}
    row = await shown(open_page, bot, playground, picture)
    await expect(row.get_by_role("link", name="a cat")).to_have_attribute(
        "href", "https://x.example/cat.png"
    )
    await expect(row.locator("img")).to_have_count(0)


async def test_feedback_is_pressed_once_and_told(open_page: Open, bot: Api, playground: Playground):
    """Thumbs up and down are two buttons of which one stays pressed; the app hears which."""
    buttons = {
        "type": "feedback_buttons",
        "action_id": "feedback",
        "positive_button": {"text": plain("Good"), "value": "up"},
        "negative_button": {"text": plain("Bad"), "value": "down"},
    }
    row = await shown(
        open_page, bot, playground, {"type": "context_actions", "elements": [buttons]}
    )
    good, bad = row.get_by_role("button", name="Good"), row.get_by_role("button", name="Bad")
    await good.click()
    await bad.click()
    await expect(good).to_have_attribute("aria-pressed", "false")
    await expect(bad).to_have_attribute("aria-pressed", "true")
    await wait_until(lambda: len(playground.journal.of("act", action="click")) == 2)
    acts = playground.journal.of("act", action="click")
    assert [act["args"]["value"] for act in acts] == ["up", "down"]


async def test_attachments_have_a_bar_and_a_title(
    open_page: Open, bot: Api, playground: Playground
):
    """An old-style attachment shows title, text, fields; one with nothing else its fallback."""
    page = await open_page()
    attachments = [
        {"title": "Build 7", "title_link": "https://x.example/7", "text": "*passed*"},
        {"fallback": "only words"},
    ]
    channel = playground.channel("api").id
    await bot("chat.postMessage", channel=channel, text="ci", attachments=attachments)
    shown_attachments = page.locator("#channel .attachment")
    await expect(shown_attachments).to_have_text(["Build 7passed", "only words"])
    await expect(page.get_by_role("link", name="Build 7")).to_have_attribute(
        "href", "https://x.example/7"
    )


async def test_an_edited_card_keeps_the_blocks_that_did_not_change(
    open_page: Open, bot: Api, playground: Playground
):
    """A progress message that is edited in place redraws only what is new in it."""
    page = await open_page()
    channel = playground.channel("api").id
    first: Block = {"type": "section", "block_id": "a", "text": mrkdwn("same")}

    def second(text: str) -> Block:
        return {"type": "section", "block_id": "b", "text": mrkdwn(text)}

    posted = await bot(
        "chat.postMessage", channel=channel, text="x", blocks=[first, second("1 of 4")]
    )
    same = await page.locator("#channel .block").first.element_handle()
    blocks = [first, second("2 of 4")]
    await bot("chat.update", channel=channel, ts=posted["ts"], text="x", blocks=blocks)
    await expect(page.locator("#channel .block").nth(1)).to_have_text("2 of 4")
    assert await same.evaluate("node => node.isConnected")
