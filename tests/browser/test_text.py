"""What people and models write, as the page draws it: Markdown, mrkdwn, and nothing that runs.

The programs that run inside the page are in `in_page.js`, the attack is `nasty.md`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from bot.playground import Playground
from tests.bot.playground.clients import Api
from tests.browser.conftest import Open

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]

HERE = Path(__file__).parent
LINK = 'target="_blank" rel="noopener noreferrer nofollow"'
Run = Callable[..., Awaitable[Any]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def run(browser: Browser) -> AsyncIterator[Run]:
    """Run a function of `in_page.js` in the page: `await run("html", text, "markdown")`."""
    async with Playground() as playground:
        page = await browser.new_page()
        await page.goto(playground.page_url)
        await page.locator(".entry").first.wait_for()
        program = (HERE / "in_page.js").read_text(encoding="utf-8")
        functions = await page.evaluate_handle(program)

        async def run_one(name: str, *args: object) -> Any:  # noqa: ANN401 - JSON of any shape
            return await functions.evaluate(
                "(all, [name, args]) => all[name](...args)", [name, args]
            )

        yield run_one
        await page.close()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a **b** *c* _d_", "<p>a <strong>b</strong> <em>c</em> <em>d</em></p>"),
        ("~~e~~ `f`", "<p><del>e</del> <code>f</code></p>"),
        ("***both***", "<p><em><strong>both</strong></em></p>"),
        ("snake_case_name, 2 * 3 * 4", "<p>snake_case_name, 2 * 3 * 4</p>"),
        ("**完成**了\uff0c**“x”**也", "<p><strong>完成</strong>了\uff0c<strong>“x”</strong>也</p>"),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("\\*plain\\* &lt;b&gt; &amp;amp;", "<p>*plain* &lt;b&gt; &amp;amp;</p>"),
        ("``a `b` c``", "<p><code>a `b` c</code></p>"),
        ("a\n\n---\nb", "<p>a</p><hr><p>b</p>"),
        ("> a\n> - b\n\nc", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote><p>c</p>"),
        ("```py\nx < 1\n\n  y\n```\nz", "<pre><code>x &lt; 1\n\n  y</code></pre><p>z</p>"),
        ("~~~\n```\n~~~", "<pre><code>```</code></pre>"),
    ],
)
async def test_markdown_becomes_what_it_means(run: Run, text: str, html: str):
    """Paragraphs, emphasis, quotes, rules and code become the elements they mean."""
    assert (await run("html", text, "markdown")).replace(' tabindex="0"', "") == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "- a\n  - b\n    1. c\n- d",
            "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul>",
        ),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("1. a\n  - b\n2. c", "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>"),
        (
            "- a\n\n  b\n- c",
            '<ul class="loose"><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>',
        ),
        (
            "- a\n  ```\n  b\n\n  c\n  ```",
            '<ul><li>a<pre tabindex="0"><code>b\n\nc</code></pre></li></ul>',
        ),
        ("text\n- a\n* b", "<p>text</p><ul><li>a</li></ul><ul><li>b</li></ul>"),
    ],
)
async def test_lists_nest_and_keep_their_numbers(run: Run, text: str, html: str):
    """Lists nest by indent (two spaces are enough), start where they say, hold code and gaps."""
    assert await run("html", text, "markdown") == html


@pytest.mark.parametrize(
    ("text", "address", "label"),
    [
        ('[a *b*](https://x.example/q?a=1&amp;b=2 "t")', "/q?a=1&amp;b=2", "a <em>b</em>"),
        ("https://x.example/a_b_c", "/a_b_c", "https://x.example/a_b_c"),
        ("![cat](https://x.example/cat.png)", "/cat.png", "cat"),
        ("<https://x.example/|here>", "/", "here"),
    ],
)
async def test_links_lead_out_and_pictures_are_links(run: Run, text: str, address: str, label: str):
    """A link opens elsewhere without a referrer; a picture of another host is only a link."""
    html = await run("html", text, "markdown")
    assert html == f'<p><a href="https://x.example{address}" {LINK}>{label}</a></p>'


async def test_headings_are_all_of_one_kind(run: Run):
    """Slack draws every heading alike; each is one to a screen reader, below the pane's title."""
    html = await run("html", "# One\n### Three ###\nTwo\n===", "markdown")
    heading = '<p class="heading" role="heading" aria-level="3">{}</p>'
    assert html == "".join(heading.format(words) for words in ("One", "Three", "Two"))


async def test_a_table_keeps_its_alignment_and_escaped_bars(run: Run):
    """Cells are aligned as the rule says; a bar in code or after a backslash is no border."""
    table = "| a | b |\n|:-:|--:|\n| `x|y` | 1\\|2 |\n| only |\n\nafter"
    html = await run("html", table, "markdown")
    assert html.count("<tr>") == 3
    assert '<td class="align-center"><code>x|y</code></td><td class="align-right">1|2</td>' in html
    assert '<td class="align-center">only</td><td class="align-right"></td>' in html
    assert html.endswith("<p>after</p>")


@pytest.mark.parametrize("dialect", ["markdown", "mrkdwn"])
async def test_nothing_that_was_written_can_run(run: Run, dialect: str):
    """Scripts, handlers, frames and script addresses stay the letters they are."""
    nasty = (HERE / "nasty.md").read_text(encoding="utf-8")
    assert await run("attack", nasty, dialect) == [[], None, True]


async def test_a_posted_attack_stays_text_in_the_channel(open_page: Open, playground: Playground):
    """The same attack through the workspace shows as words and runs nothing."""
    page = await open_page()
    await playground.people.post(
        "ben", "#api", "<img src=x onerror=window.ran=1> [x](javascript:1)"
    )
    message = page.locator("#channel article").last
    await message.wait_for()
    assert "<img src=x onerror=window.ran=1>" in await message.inner_text()
    assert await page.evaluate("window.ran ?? null") is None
    assert await message.locator("img, a[href^=javascript]").count() == 0


async def test_random_markdown_never_breaks_and_never_escapes(run: Run):
    """Two thousand random texts look the same grown as whole, and none yields a live node."""
    assert await run("fuzz", 2_000) == []


@pytest.mark.parametrize(
    "text", ["*a ", "[", "[]", "[[]]", "` `` ", "> ", "- a\n", "**a", "| a | b |\n|-|-|\n"]
)
async def test_hostile_text_is_drawn_in_time(run: Run, text: str):
    """Twelve thousand characters made to be slow take less than a second."""
    assert await run("spent", text * (12_000 // len(text))) < 1_000


@pytest.mark.parametrize(
    ("text", "growing", "whole"),
    [
        ("a **bo", "<p>a <strong>bo</strong></p>", "<p>a **bo</p>"),
        ("a `co", "<p>a <code>co</code></p>", "<p>a `co</p>"),
        ("a **", "<p>a </p>", "<p>a **</p>"),
        ("a\n-", "<p>a<br>-</p>", "<p>a<br>-</p>"),
    ],
)
async def test_growing_text_does_not_flicker(run: Run, text: str, growing: str, whole: str):
    """While more is expected, bold and code that have begun look as if they were closed."""
    assert [await run("html", text, how) for how in ("growing", "markdown")] == [growing, whole]


async def test_growing_text_keeps_the_blocks_that_are_done(run: Run):
    """A paragraph that is complete keeps its node while the answer goes on."""
    assert await run("kept", "one\n\ntw", "one\n\ntwo\n\nthree") == [True, False, False]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*b* _i_ ~s~", "<strong>b</strong> <em>i</em> <del>s</del>"),
        ("中*文*字 2*3*4 **no** `c`", "中*文*字 2*3*4 **no** <code>c</code>"),
        ("<https://x.example|*h*>", f'<a href="https://x.example/" {LINK}>*h*</a>'),
        ("<javascript:alert(1)|x>", "&lt;javascript:alert(1)|x&gt;"),
        ("[a](b) &lt;b&gt; :nope:", "[a](b) &lt;b&gt; :nope:"),
        ("<!here>", '<span class="mention mention-me">@here</span>'),
    ],
)
async def test_mrkdwn_follows_slacks_rules(run: Run, text: str, html: str):
    """Slack's own markup: single marks at word borders, tokens, entities, no Markdown links."""
    assert await run("html", text, "mrkdwn") == f"<p>{html}</p>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("> q\n> r\ns", "<blockquote>q<br>r</blockquote><p>s</p>"),
        ("a ```x &lt; y``` b", '<p>a </p><pre tabindex="0"><code>x &lt; y</code></pre><p> b</p>'),
    ],
)
async def test_mrkdwn_has_quotes_and_code_blocks(run: Run, text: str, html: str):
    """Lines after `>` are one quote, and three back-ticks hold code wherever they stand."""
    assert await run("html", text, "mrkdwn") == html


async def test_people_channels_and_dates_are_called_by_name(
    open_page: Open, playground: Playground, bot: Api
):
    """Ids become names, the reader's own stands out, a date is told in the reader's zone."""
    page = await open_page()
    ann, ben = (playground.workspace.user_named(name).id for name in ("ann", "ben"))
    api = playground.channel("api").id
    said = f"<@{ann}> <@{ben}> <#{api}> <#C0UNKNOWN|old> <!date^9999^{{date_num}} x|then>"
    await bot("chat.postMessage", channel=api, text=said)
    text = page.locator("#channel article .text").last
    assert await text.locator(".mention").all_inner_texts() == ["@ann", "@ben", "#api", "#old"]
    assert await text.locator(".mention-me").all_inner_texts() == ["@ann"]
    assert await text.locator("a.mention").get_attribute("href") == f"#/{api}"
    assert "1970" in await text.locator("time").inner_text()


async def test_emoji_names_and_signs_are_one_table(run: Run):
    """Every name leads to its sign and back, with skin tones and aliases."""
    assert await run("emoji") == {
        "lost": [],
        "signs": "✅ ✏️ ❌ 🛑 👀 📌 🗑️ 👍 👎",
        "tones": ["+1::skin-tone-6", "pencil2", "wastebasket"],
        "alias": "👍🏻",
    }
