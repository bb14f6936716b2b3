"""One turn, as people see it: the manual of Deskmate, run for real.

Every test has a real workspace, a real store and a model behind the real wire protocol; only the
model's words are scripted.
"""

from pathlib import Path

from bot.playground import Fault
from tests.acceptance.world import a_world, spoken
from tests.support import wait_until

SCRIPT = """
- when: '\\bwrite\\b'
  steps:
    - reply: I write it.
      calls: [{tool: file_write, arguments: {path: notes/hello.md, content: "# Hello\\n"}}]
    - reply: I wrote `notes/hello.md`.
- when: '\\bslow\\b'
  steps: [{reply: "one two three four five six seven eight nine ten", pace: 150}]
- when: '\\bshout\\b'
  steps: [{reply: "Hear <!channel> and @here and <@U0000000>."}]
- when: '.*'
  steps: [{reply: "You said: {text}"}]
"""


async def test_a_mention_is_answered_in_its_thread(tmp_path: Path):
    """@Deskmate in a channel: the answer stands in the thread below, once, and nowhere else."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi there")
        assert await world.answered("#api", root) == ["You said: hi there"]
        await world.settled()
        assert len(world.answers("#api", root)) == 1
        assert len(world.asked()) == 1
        assert [m.ts for m in world.playground.channel("api").messages.values() if not m.is_reply]
        assert "ann says:\nhi there" in world.asked_text()


async def test_a_reply_in_the_thread_needs_no_mention_and_remembers(tmp_path: Path):
    """The thread is a session: the next turn carries what was said before."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate my colour is green")
        await world.answered("#api", root)
        await world.says("ben", "#api", "and mine is blue", root)
        texts = await world.answered("#api", root, 2)
        assert texts[1] == "You said: and mine is blue"
        roles = [message["role"] for message in world.asked()[1]["messages"]]
        assert roles == ["system", "user", "assistant", "user"]
        assert world.asked()[0]["messages"] == world.asked()[1]["messages"][:2]


async def test_a_file_appears_in_the_project_s_folder(tmp_path: Path):
    """A tool call writes a real file, and the answer says so."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate write it down")
        texts = await world.answered("#api", root)
        assert texts == ["I write it.\n\nI wrote `notes/hello.md`."]
        channel = world.playground.channel("api").id
        folder = tmp_path / "projects" / world.playground.workspace.team.id / channel
        assert (folder / "notes" / "hello.md").read_text() == "# Hello\n"
        assert folder.stat().st_mode & 0o777 == 0o700


async def test_a_message_while_it_works_waits_visibly_and_is_answered_in_order(tmp_path: Path):
    """F146: 👀 on what waits; nothing interrupts; each message is its own turn."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: len(world.asked()) == 1)
        second = await world.says("ben", "#api", "second", root)
        third = await world.says("ann", "#api", "third", root)
        api = world.playground.channel("api")
        bot = world.playground.app.user.id
        await wait_until(lambda: api.messages[third].reactions.get("eyes") == [bot])
        assert api.messages[second].reactions.get("eyes") == [bot]
        texts = await world.answered("#api", root, 3)
        assert texts[0].endswith("nine ten")
        assert texts[1:] == ["You said: second", "You said: third"]
        await wait_until(lambda: "eyes" not in api.messages[third].reactions)


async def test_stop_ends_the_work_at_once_and_says_so(tmp_path: Path):
    """F141: `stop` closes the model's stream, and the answer says that it was stopped."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: any("two" in m.text for m in world.thread("#api", root)))
        await world.says("ann", "#api", "stop", root)
        texts = await world.answered("#api", root)
        assert "Stopped." in texts[0]
        assert "ten" not in texts[0]
        await wait_until(lambda: world.model.left == 1)
        await world.says("ann", "#api", "go on", root)
        assert (await world.answered("#api", root, 2))[1] == "You said: go on"
        assert "Stopped." in str(world.asked()[-1]["messages"])


async def test_the_stop_sign_on_its_message_stops_it_too(tmp_path: Path):
    """🛑 as a reaction on the running message is the same stop."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: any("one" in m.text for m in world.thread("#api", root)))
        running = world.thread("#api", root)[-1]
        await world.playground.people.react("ben", "#api", running.ts, "octagonal_sign")
        texts = await world.answered("#api", root)
        assert "Stopped." in texts[0]


async def test_lines_to_someone_else_are_left_alone_and_told_later(tmp_path: Path):
    """`@ben ...` in the thread starts nothing; the next turn knows that it was said."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
        ben = world.playground.workspace.user_named("ben").id
        await world.says("ann", "#api", f"<@{ben}> the port is 8080", root)
        await world.settled()
        assert len(world.answers("#api", root)) == 1
        await world.says("ben", "#api", "what now", root)
        await world.answered("#api", root, 2)
        assert "> ann: @ben the port is 8080" in world.asked_text()


async def test_mentioned_in_mid_thread_it_has_read_what_was_said(tmp_path: Path):
    """F022, F231: on entry the root and all replies are in the request, each with its author."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "the build is red")
        await world.says("ben", "#api", "since Monday", root)
        await world.says("chris", "#api", "@Deskmate what do you think", root)
        await world.answered("#api", root)
        asked = world.asked_text()
        assert "> ann: the build is red\n> ben: since Monday" in asked
        assert asked.endswith("chris says:\nwhat do you think")


async def test_direct_messages_are_private_projects_of_their_own(tmp_path: Path):
    """In a DM no mention is needed, and each top-level message is a session."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        first = await world.says("ann", "@deskmate", "one")
        second = await world.says("ann", "@deskmate", "two")
        people, workspace = world.playground.people, world.playground.workspace
        channel = await people.open_dm("ann", "deskmate")
        assert await world.answered(channel, first) == ["You said: one"]
        assert await world.answered(channel, second) == ["You said: two"]
        assert all(len(request["messages"]) == 2 for request in world.asked())
        group = await people.open_dm("ann", "ben", "deskmate")
        third = await world.says("ben", group, "three")
        assert await world.answered(group, third) == ["You said: three"]
        folders = {p.name for p in (tmp_path / "projects" / workspace.team.id).iterdir()}
        assert folders == {channel, group}


async def test_broadcasts_and_mentions_of_the_model_are_inert(tmp_path: Path):
    """What the model writes pings nobody."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate shout")
        (text,) = await world.answered("#api", root)
        assert "<!channel>" not in text
        assert "@here" not in text
        assert "<@U0000000>" not in text
        assert "and" in spoken(text)


async def test_guests_strangers_and_bots_get_no_turn(tmp_path: Path):
    """Empty allow-list: full members only; a guest is told once, others get silence."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        for _ in range(3):
            await world.says("gil", "#api", "@Deskmate hi")
        await world.says("sam", "#partners", "@Deskmate hi")
        await world.says("robo", "#api", "@Deskmate hi")
        await world.settled()
        assert world.asked() == []
        told = world.playground.journal.calls("chat.postEphemeral")
        assert len(told) == 1
        assert world.playground.journal.calls("chat.postMessage") == []


async def test_a_waiting_message_follows_its_edit_and_its_deletion(tmp_path: Path):
    """Edited while it waits: the new words count; deleted: no turn."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        people = world.playground.people
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: len(world.asked()) == 1)
        edited = await world.says("ben", "#api", "draft", root)
        deleted = await world.says("ben", "#api", "never mind", root)
        await people.edit("ben", "#api", edited, "final")
        await people.delete("ben", "#api", deleted)
        texts = await world.answered("#api", root, 2)
        await world.settled()
        assert texts[1:] == ["You said: final"]
        assert len(world.answers("#api", root)) == 2


async def test_deleting_the_message_of_a_running_turn_stops_it(tmp_path: Path):
    """The person took the question back: the work ends."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
        asked = await world.says("ann", "#api", "now be slow", root)
        await wait_until(lambda: len(world.asked()) == 2)
        await world.playground.people.delete("ann", "#api", asked)
        await wait_until(lambda: world.model.left == 1)


async def test_deleting_the_root_of_a_running_turn_stops_it_too(tmp_path: Path):
    """A root with replies becomes a tombstone: Slack reports a change, it means a deletion."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        root = await world.says("ann", "#api", "@Deskmate be slow")
        await wait_until(lambda: bool(world.thread("#api", root)))
        await world.playground.people.delete("ann", "#api", root)
        await wait_until(lambda: world.model.left == 1)


async def test_a_trivial_turn_costs_at_most_five_slack_calls(tmp_path: Path):
    """Counted on the wire, the look-up of the person included."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        before = len(world.playground.journal.calls())
        root = await world.says("ann", "#api", "@Deskmate hi")
        await world.answered("#api", root)
        await world.settled()
        calls = [call["method"] for call in world.playground.journal.calls()[before:]]
        assert len(calls) <= 5, calls


async def test_a_mention_whose_twins_come_late_or_swapped_is_one_turn(tmp_path: Path):
    """`message` and `app_mention` are one human act, in whatever order they come."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        faults = world.playground.workspace.faults
        for number, target in enumerate(("app_mention", "message")):
            faults.add(Fault("hold", target, seconds=0.3))
            root = await world.says("ann", "#api", f"@Deskmate number {number}")
            await world.answered("#api", root)
            await world.settled()
            assert len(world.answers("#api", root)) == 1
        assert len(world.asked()) == 2


async def test_the_slash_command_answers_with_help(tmp_path: Path):
    """F055: /deskmate help answers at once, seen by the person alone."""
    async with a_world(tmp_path, SCRIPT) as world, world.bot():
        await world.playground.people.command("ann", "#api", "/deskmate help")
        api = world.playground.channel("api")
        await wait_until(lambda: len(api.ephemerals) == 1)
        (only,) = api.ephemerals.values()
        assert "Mention me" in only.text
