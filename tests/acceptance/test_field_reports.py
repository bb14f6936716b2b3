"""What went wrong for users of comparable bots, as chapters: each names the report's row."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import Slack
from bot.gateway.ingress import Identity, read_incoming
from bot.lookups import Lookups
from bot.people import People
from bot.playground import Fault
from bot.threads import Threads
from harness.models import ChannelId, TeamId, UserId
from tests.acceptance.world import World, a_world, shown
from tests.support import wait_until

pytestmark = pytest.mark.timeout(40)

ECHO = "- when: '.*'\n  steps: [{reply: 'You said: {text}'}]"


async def test_a_mention_in_a_direct_message_is_one_turn(tmp_path: Path):
    """F002: there is no second event for it, and no double cost."""
    async with a_world(tmp_path, ECHO) as world, world.bot():
        channel = await world.playground.people.open_dm("ann", "deskmate")
        root = await world.says("ann", channel, "@Deskmate hi")
        assert await world.answered(channel, root) == ["You said: hi"]
        await world.settled()
        assert len(world.asked()) == 1


async def test_slack_hears_at_once_however_long_the_model_takes(tmp_path: Path):
    """F006: the acknowledgement waits for the disk, never for the model."""
    slow = "- when: '.*'\n  steps: [{reply: done, hang: 2}]"
    async with a_world(tmp_path, slow) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        await wait_until(lambda: len(world.playground.journal.of("ack", label="message")) == 1)
        assert all(ack["ms"] < 1000 for ack in world.playground.journal.of("ack"))
        await world.answered("#api", root)


async def test_a_reply_under_the_bot_s_own_post_is_a_session_of_it(tmp_path: Path):
    """F013: the bot's post is the root, so the answer stands below it."""
    async with a_world(tmp_path, ECHO) as world, world.bot():
        channel = await world.playground.people.open_dm("ann", "deskmate")
        client = AsyncWebClient(world.playground.bot_token, world.playground.api_url)
        await slack_of(client).post_direct(
            world.playground.workspace.user_named("ann").id, "a notice"
        )
        (root,) = world.playground.channel(channel).messages
        await world.says("ann", channel, "what is that", root)
        assert await world.answered(channel, root) == ["You said: what is that"]
        assert "> deskmate (bot): a notice" in world.asked_text()


async def test_threads_share_nothing(tmp_path: Path):
    """F014, F017, F026: nine interleaved threads, each with a word of its own."""
    async with a_world(tmp_path, ECHO) as world, world.bot():
        roots = [
            await world.says("ann", channel(n), f"@Deskmate canary{n:02d}x start") for n in range(9)
        ]
        for number, root in enumerate(roots):
            await world.says("ben", channel(number), f"canary{number:02d}x again", root)
        for number, root in enumerate(roots):
            await world.answered(channel(number), root, 2)
        assert len(world.asked()) == 18
        for request in world.asked():
            assert len(set(re.findall(r"canary\d\dx", str(request["messages"])))) == 1


async def test_reading_and_writing_resolve_a_thread_alike(tmp_path: Path):
    """F016: the session of an event and the session found for its ts are the same."""
    async with a_world(tmp_path, ECHO) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        reply = await world.says("ben", "#api", "more", root)
        user = world.playground.app.user
        me = Identity(TeamId(user.team), UserId(user.id), user.bot_id, "deskmate")
        client = AsyncWebClient(world.playground.bot_token, world.playground.api_url)
        lookups = Lookups(slack_of(client))
        threads = Threads(lookups.replies, People(lookups.user, time.monotonic), me)
        channel = world.playground.channel("api").id
        for ts, thread in ((root, None), (reply, root)):
            event: dict[str, Any] = {"channel": channel, "user": "U1", "ts": ts, "text": ""}
            event |= {"thread_ts": thread} if thread else {}
            written = read_incoming(event, me, 0).session
            assert await threads.session_of(ChannelId(channel), ts) == written
        await world.answered("#api", root, 2)


async def test_a_follow_up_after_a_restart_knows_the_history(tmp_path: Path):
    """F018, F009: the session is in the store, not in the process."""
    async with a_world(tmp_path, ECHO) as world:
        async with world.bot():
            root = await world.says("ann", "#api", "@Deskmate my colour is green")
            await world.answered("#api", root)
        async with world.bot():
            await world.says("ann", "#api", "which colour", root)
            await world.answered("#api", root, 2)
        assert "my colour is green" in str(world.asked()[-1]["messages"])
        assert len(world.asked()) == 2


async def test_a_refusal_that_cannot_be_whispered_is_told_directly(tmp_path: Path):
    """F023: an ephemeral in a dead thread is lost, so there is a second way."""
    async with a_world(tmp_path, ECHO) as world, world.bot():
        world.playground.workspace.faults.add(
            Fault("error", "chat.postEphemeral", count=0, error="user_not_in_channel")
        )
        await world.says("gil", "#api", "@Deskmate hi")
        people = world.playground.people
        direct = world.playground.channel(await people.open_dm("gil", "deskmate"))
        await wait_until(lambda: len(direct.messages) == 1)
        (told,) = direct.messages.values()
        assert "full members" in told.text


async def test_markdown_is_slack_s_to_render_beside_any_script(tmp_path: Path):
    """F029, F032: emphasis goes out in a markdown block; the fallback text carries no marks."""
    script = "- when: '.*'\n  steps: [{reply: '**粗体**和中文,**太字**の文'}]"
    async with a_world(tmp_path, script) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
        (message,) = world.thread("#api", root)
        assert shown(message) == "**粗体**和中文,**太字**の文"
        assert message.text == "粗体和中文,太字の文"


async def test_ten_tool_calls_are_one_message(tmp_path: Path):
    """F036, F033: what it does stands in the status line; reactions have plain names."""
    steps = "".join(
        f"    - calls: [{{tool: file_write, arguments: {{path: 'f{n}.md', content: x}}}}]\n"
        for n in range(10)
    )
    script = f"- when: '.*'\n  steps:\n{steps}    - reply: Ten files.\n"
    async with a_world(tmp_path, script) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate ten")
        assert await world.answered("#api", root) == ["Ten files."]
        await world.settled()
        assert len(world.thread("#api", root)) == 1
        names = {c["args"]["name"] for c in world.playground.journal.calls("reactions.add")}
        assert names <= {"eyes"}


async def test_eighty_headings_fit(tmp_path: Path):
    """F040: no answer is refused because a block grew into too many."""
    text = "\\n\\n".join(f"## Heading {n}\\n\\nText {n}." for n in range(80))
    script = f"- when: '.*'\n  steps: [{{reply: \"{text}\"}}]"
    async with a_world(tmp_path, script) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        (said,) = await world.answered("#api", root)
        assert said.startswith("## Heading 0")
        assert said.endswith("Text 79.")


async def test_no_status_stays_when_the_turn_is_over(tmp_path: Path):
    """F053, F054: the status line is cleared by the answer, on every way out."""
    async with a_world(tmp_path, ECHO) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
        await world.settled()
        assert world.playground.workspace.statuses == {}


async def test_more_threads_than_may_run_wait_and_are_all_answered(tmp_path: Path):
    """F137, F025: twelve starts at once, never more at a time than the project may have."""
    script = "- when: '.*'\n  steps: [{reply: ok, hang: 0.1}]"
    async with a_world(tmp_path, script) as world, world.bot():
        roots = [await world.says("ann", "#api", f"@Deskmate {n}") for n in range(12)]
        for root in roots:
            await world.answered("#api", root)
        served = [(each.received_at, each.answered_at) for each in world.model.served]
        at_once = [sum(a <= start < b for a, b in served) for start, _ in served]
        assert len(served) == 12
        assert 1 < max(at_once) <= 8


async def test_five_messages_in_a_busy_thread_all_count(tmp_path: Path):
    """F139, F146: each is queued, marked, and answered in its turn; none ends the work."""
    script = """
- when: 'slow'
  steps: [{reply: "one two three four five six", pace: 600}]
- when: '.*'
  steps: [{reply: "You said: {text}"}]
"""
    async with a_world(tmp_path, script) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate slow")
        await wait_until(lambda: len(world.asked()) == 1)
        said = [await say(world, n, root) for n in range(5)]
        api = world.playground.channel("api")
        await wait_until(lambda: all("eyes" in api.messages[ts].reactions for ts in said))
        texts = await world.answered("#api", root, 6)
        assert texts == ["one two three four five six", *(f"You said: m{n}" for n in range(5))]


def channel(number: int) -> str:
    """Several channels, since Slack takes about one post a second in each."""
    return ("#api", "#web", "#general")[number % 3]


def slack_of(client: AsyncWebClient) -> Slack:
    return Slack(client, bot_user="U0")


async def say(world: World, number: int, root: str) -> str:
    return await world.says("ben", "#api", f"m{number}", root)
