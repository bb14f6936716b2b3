"""The page as a person uses it: writing, threads, streams, reactions, files, other people."""

import base64

import pytest
from playwright.async_api import FilePayload, Page, expect

from bot.playground import Playground, SlackError
from tests.bot.playground.clients import Api
from tests.browser.conftest import Open
from tests.support import wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(30)]

DOT = base64.b64decode("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=")
CARD = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "*Plan* `P-1`"}},
    {
        "type": "actions",
        "block_id": "card",
        "elements": [
            {
                "type": "button",
                "action_id": "approve",
                "style": "primary",
                "text": {"type": "plain_text", "text": "Approve"},
                "value": "P-1:1",
            },
            {
                "type": "button",
                "action_id": "reject",
                "text": {"type": "plain_text", "text": "Reject"},
                "value": "no",
                "confirm": {
                    "title": {"type": "plain_text", "text": "Reject?"},
                    "text": {"type": "plain_text", "text": "Nothing is changed."},
                    "confirm": {"type": "plain_text", "text": "Yes"},
                    "deny": {"type": "plain_text", "text": "No"},
                },
            },
        ],
    },
]


async def test_the_page_says_where_one_is_and_what_answers(open_page: Open):
    """Landmarks, the channels, the model with its one-line explanation, the person acting."""
    page = await open_page()
    for role in ("banner", "navigation", "main"):
        await expect(page.get_by_role(role)).to_have_count(1)  # pyright: ignore[reportArgumentType]
    await expect(page.get_by_role("link", name="#api")).to_have_attribute("aria-current", "page")
    await expect(page.get_by_role("heading", name="#api")).to_be_visible()
    model = page.get_by_role("button", name="model rehearsal")
    assert "follows a script" in (await model.get_attribute("title") or "")
    await expect(page.get_by_role("button", name="acting as ann")).to_be_visible()


async def test_enter_sends_and_shift_enter_breaks_the_line(open_page: Open, playground: Playground):
    """What is written arrives as one message of the person acting, with its line break."""
    page = await open_page()
    field = page.get_by_role("textbox", name="Message #api")
    await field.fill("one")
    await field.press("Shift+Enter")
    await field.type("two & <three>")
    await field.press("Enter")
    await expect(page.locator("#channel article .text")).to_have_text("onetwo & <three>")
    await expect(field).to_have_value("")
    (message,) = playground.channel("api").messages.values()
    assert message.text == "one\ntwo &amp; &lt;three&gt;"


async def test_a_mention_is_completed_by_keyboard_and_opens_its_thread(
    open_page: Open, playground: Playground
):
    """`@des` and Enter make the name whole; the message mentions the app and its thread opens."""
    page = await open_page()
    field = page.get_by_role("textbox", name="Message #api")
    await field.type("@des")
    await expect(page.get_by_role("option", name="Deskmate")).to_be_visible()
    await field.press("Enter")
    await expect(field).to_have_value("@Deskmate ")
    await field.type("hello")
    await field.press("Enter")
    await expect(page.locator("#channel .mention")).to_have_text("@Deskmate")
    await expect(page.get_by_role("complementary", name="Thread")).to_be_visible()
    (message,) = playground.channel("api").messages.values()
    assert message.text == f"<@{playground.app.user.id}> hello"


async def test_an_empty_channel_offers_an_example_to_press(open_page: Open, playground: Playground):
    """One sentence and one example mention; pressing it asks."""
    page = await open_page()
    await page.get_by_role("button", name="@Deskmate what can you do?").click()
    await expect(page.locator("#channel article")).to_have_count(1)
    assert len(playground.channel("api").messages) == 1


async def streamed(bot: Api, playground: Playground, root: str, text: str) -> str:
    answer = await bot(
        "chat.startStream",
        channel=playground.channel("api").id,
        thread_ts=root,
        recipient_user_id=playground.workspace.user_named("ann").id,
        recipient_team_id=playground.workspace.team.id,
        markdown_text=text,
    )
    return answer["ts"]


async def test_an_answer_streams_into_the_open_thread(
    open_page: Open, playground: Playground, bot: Api
):
    """Each piece appears in the same row; what is done keeps its nodes."""
    page = await open_page()
    api = playground.channel("api").id
    root = await playground.people.post("ann", "#api", "@Deskmate explain")
    ts = await streamed(bot, playground, root, "First **part**.\n\nThen")
    await page.get_by_role("button", name="1 reply").click()
    answer = page.locator("#thread article.streaming")
    await expect(answer.locator(".text strong")).to_have_text("part")
    first = await answer.locator("p").first.element_handle()
    await bot("chat.appendStream", channel=api, ts=ts, markdown_text=" a list:\n\n- x\n- y")
    await expect(answer.locator("li")).to_have_count(2)
    assert await first.evaluate("node => node.isConnected")
    await bot("chat.stopStream", channel=api, ts=ts)
    await expect(page.locator("#thread article.streaming")).to_have_count(0)
    await expect(page.locator("#thread article")).to_have_count(2)


async def gap_below(page: Page) -> float:
    return await page.locator("#thread .scroller").evaluate(
        "node => node.scrollHeight - node.scrollTop - node.clientHeight"
    )


async def test_the_list_follows_only_a_reader_at_the_bottom(
    open_page: Open, playground: Playground, bot: Api
):
    """A growing answer stays in view; once the reader scrolls up, nothing moves under them."""
    page = await open_page()
    api = playground.channel("api").id
    root = await playground.people.post("ann", "#api", "@Deskmate go on")
    ts = await streamed(bot, playground, root, "line\n\n" * 60)
    await page.goto(f"{playground.page_url}?as=ann#/{api}/{root}")
    await expect(page.locator("#thread .markdown p")).to_have_count(60)
    await bot("chat.appendStream", channel=api, ts=ts, markdown_text="more\n\n" * 20)
    await expect(page.locator("#thread .markdown p")).to_have_count(80)
    await wait_until(lambda: _is_near_zero(page))
    await page.locator("#thread .scroller").evaluate("node => node.scrollTo(0, 40)")
    await bot("chat.appendStream", channel=api, ts=ts, markdown_text="more\n\n" * 20)
    await expect(page.locator("#thread .markdown p")).to_have_count(100)
    assert await page.locator("#thread .scroller").evaluate("node => node.scrollTop") == 40
    await playground.people.post("ben", "#api", "last", thread_ts=root)
    await page.get_by_role("button", name="New messages").click()
    await wait_until(lambda: _is_near_zero(page))


async def _is_near_zero(page: Page) -> bool:
    return abs(await gap_below(page)) < 2


async def test_the_status_and_the_stop_button_show_while_the_app_works(
    open_page: Open, playground: Playground, bot: Api
):
    """The status reads as in Slack; Stop ends the stream and goes when the app says it is done."""
    page = await open_page()
    api = playground.channel("api").id
    root = await playground.people.post("ann", "#api", "@Deskmate work")
    await page.goto(f"{playground.page_url}?as=ann#/{api}/{root}")
    await bot(
        "assistant.threads.setStatus",
        channel_id=api,
        thread_ts=root,
        status="is reading `src/app.py`…",
    )
    status = page.locator("#thread .status-line")
    await expect(status).to_have_text("Deskmate is reading src/app.py…")
    await expect(status.locator("code")).to_have_text("src/app.py")
    await bot("agents.sessions.setStatus", channel_id=api, thread_ts=root, status="processing")
    await streamed(bot, playground, root, "working")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator("#thread article.streaming")).to_have_count(0)
    assert playground.journal.of("act", action="stop") != []
    await bot("agents.sessions.setStatus", channel_id=api, thread_ts=root, status="active")
    await expect(page.get_by_role("button", name="Stop")).to_be_hidden()


async def test_a_reaction_is_given_and_taken_back_by_a_press(
    open_page: Open, playground: Playground
):
    """A press joins a reaction, another leaves it, and the picker adds a new one."""
    page = await open_page()
    ts = await playground.people.post("ben", "#api", "look")
    await playground.people.react("ben", "#api", ts, "+1")
    chip = page.locator('[data-reaction="+1"]')
    await chip.click()
    await expect(chip).to_have_attribute("aria-pressed", "true")
    await expect(chip.locator(".count")).to_have_text("2")
    await chip.click()
    await expect(chip.locator(".count")).to_have_text("1")
    await page.get_by_role("button", name="Add a reaction", exact=True).click()
    await page.get_by_role("searchbox").fill("tada")
    await page.get_by_role("searchbox").press("Enter")
    await expect(page.locator('[data-reaction="tada"]')).to_have_attribute("aria-pressed", "true")


async def test_every_emoji_of_the_picker_is_one_the_workspace_takes(
    open_page: Open, playground: Playground
):
    """Nothing is offered that Slack would refuse as `invalid_name`."""
    page = await open_page()
    names: list[str] = await page.evaluate(
        """async () => (await import('/static/emoji.js')).shelves.flatMap((shelf) => shelf.names)"""
    )
    refused: list[str] = []
    for name in names:
        ts = await playground.people.post("ann", "#web", name)
        try:
            await playground.people.react("ann", "#web", ts, name)
        except SlackError:
            refused.append(name)
    assert refused == []


async def test_what_slack_refuses_is_said_with_its_name(open_page: Open, playground: Playground):
    """A slash command inside a thread is refused, in words and with Slack's error."""
    page = await open_page()
    root = await playground.people.post("ann", "#api", "root")
    await page.goto(f"{playground.page_url}?as=ann#/{playground.channel('api').id}/{root}")
    field = page.get_by_role("textbox", name="Reply in this thread")
    await field.fill("/deskmate help")
    await field.press("Enter")
    await expect(page.locator("#toasts")).to_contain_text("(command_not_supported_in_threads)")
    await expect(field).to_have_value("/deskmate help")


async def test_acting_as_someone_else_shows_their_workspace(
    open_page: Open, playground: Playground
):
    """A guest sees their one channel; what is written then is theirs."""
    page = await open_page()
    await expect(page.get_by_role("link", name="#web")).to_be_visible()
    await page.get_by_role("button", name="acting as ann").click()
    await page.get_by_role("menuitemradio", name="gil").click()
    await expect(page.get_by_role("button", name="acting as gil")).to_be_visible()
    await expect(page.get_by_role("link", name="#web")).to_have_count(0)
    field = page.get_by_role("textbox", name="Message #api")
    await field.fill("hi from a guest")
    await field.press("Enter")
    await expect(page.locator("#channel article .badge")).to_have_text("guest")
    (message,) = playground.channel("api").messages.values()
    assert message.user == playground.workspace.user_named("gil").id


async def test_files_are_sent_with_words_and_come_back_whole(open_page: Open):
    """Chosen files wait above the field, go with the text, and can be downloaded again."""
    page = await open_page()
    notes: FilePayload = {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# n"}
    picture: FilePayload = {"name": "dot.gif", "mimeType": "image/gif", "buffer": DOT}
    await page.locator("#channel input[type=file]").set_input_files([notes, picture])
    await expect(page.locator("#channel .pending li")).to_have_count(2)
    field = page.get_by_role("textbox", name="Message #api")
    await field.fill("two files")
    await field.press("Enter")
    message = page.locator("#channel article")
    await expect(message.locator(".text")).to_have_text("two files")
    await expect(message.locator(".file-picture img")).to_have_js_property("naturalWidth", 1)
    async with page.expect_download() as download:
        await message.get_by_role("link", name="Download notes.md").click()
    kept = await (await download.value).path()
    assert kept.read_bytes() == b"# n"
    await expect(page.locator("#channel .pending li")).to_have_count(0)


async def test_files_can_be_dropped_and_taken_back(open_page: Open):
    """A file let go over the channel waits above the field; its cross takes it away again."""
    page = await open_page()
    await page.locator("#channel").evaluate(
        """(pane) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(["x"], "dropped.txt"));
          const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
          pane.querySelector(".scroller").dispatchEvent(drop);
        }"""
    )
    await expect(page.locator("#channel .pending li")).to_contain_text(["dropped.txt"])
    await page.get_by_role("button", name="Remove dropped.txt").click()
    await expect(page.locator("#channel .pending li")).to_have_count(0)


async def test_a_button_tells_the_app_and_asks_first_where_told_to(
    open_page: Open, playground: Playground, bot: Api
):
    """A press sends block and action; a button with `confirm` sends only after yes."""
    page = await open_page()
    await bot("chat.postMessage", channel=playground.channel("api").id, text="Plan", blocks=CARD)
    await page.get_by_role("button", name="Reject").click()
    await page.get_by_role("dialog").get_by_role("button", name="No").click()
    await page.get_by_role("button", name="Approve").click()
    await wait_until(lambda: bool(playground.journal.of("act", action="click")))
    (act,) = playground.journal.of("act", action="click")
    assert act["args"]["block_id"] == "card"
    assert act["args"]["action_id"] == "approve"


async def test_an_ephemeral_message_is_for_one_person(
    open_page: Open, playground: Playground, bot: Api
):
    """Only the person it is for sees it, and sees that only they do."""
    ann, ben = await open_page("ann"), await open_page("ben")
    who = playground.workspace.user_named("ann").id
    api = playground.channel("api").id
    await bot("chat.postEphemeral", channel=api, user=who, text="psst")
    await bot("chat.postMessage", channel=api, text="all")
    await expect(ann.locator("#channel article.ephemeral .note")).to_have_text(
        "Only visible to you"
    )
    await expect(ben.locator("#channel article .text")).to_have_text(["all"])


async def test_ones_own_message_is_edited_and_deleted_in_place(
    open_page: Open, playground: Playground
):
    """E edits where the message stands, Delete asks and removes; others' messages have neither."""
    page = await open_page()
    await playground.people.post("ben", "#api", "not mine")
    await playground.people.post("ann", "#api", "teh <@U1> typo")
    mine = page.locator("#channel article").last
    await mine.focus()
    await page.keyboard.press("e")
    field = page.get_by_role("textbox", name="Edit the message")
    await field.fill("the typo")
    await field.press("Enter")
    await expect(mine.locator(".text")).to_have_text("the typo(edited)")
    await page.locator("#channel article").first.focus()
    await page.keyboard.press("Delete")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await mine.focus()
    await page.keyboard.press("Delete")
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.locator("#channel article")).to_have_count(1)
