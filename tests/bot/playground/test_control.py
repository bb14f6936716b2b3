"""The control API: people's hands over HTTP, behind a token and the right Host."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.playground import Clock, Playground
from tests.bot.playground.clients import Api, Json, listening
from tests.support import wait_until


@pytest.fixture
async def session(playground: Playground) -> AsyncIterator[aiohttp.ClientSession]:
    headers = {"Authorization": f"Bearer {playground.control_token}"}
    async with aiohttp.ClientSession(playground.page_url, headers=headers) as opened:
        yield opened


async def act(session: aiohttp.ClientSession, action: str, **fields: object) -> Json:
    async with session.post(f"/_playground/{action}", json=fields) as answer:
        return await answer.json()


async def test_a_whole_conversation(
    playground: Playground, session: aiohttp.ClientSession, channel: str
) -> None:
    """Post, reply, react, edit, delete, each as a person by name."""
    root = (await act(session, "post", user="ann", channel="#api", text="hello"))["ts"]
    reply = await act(session, "post", user="ben", channel=channel, text="hi", thread_ts=root)
    await act(session, "react", user="ben", channel=channel, ts=root, name="eyes")
    await act(session, "edit", user="ann", channel=channel, ts=root, text="hello all")
    gone = await act(session, "delete", user="ben", channel=channel, ts=reply["ts"])

    messages = playground.channel("api").messages
    assert gone == {"ok": True}
    assert [message.text for message in messages.values()] == ["hello all"]
    assert messages[root].reactions == {"eyes": [playground.workspace.user_named("ben").id]}
    await act(session, "unreact", user="ben", channel=channel, ts=root, name="eyes")
    assert messages[root].reactions == {}


async def test_slack_refuses_here_too(session: aiohttp.ClientSession, channel: str) -> None:
    """What a person may not do comes back with Slack's error."""
    ts = (await act(session, "post", user="ann", channel=channel, text="mine"))["ts"]

    refusals = [
        await act(session, "edit", user="ben", channel=channel, ts=ts, text="x"),
        await act(session, "post", user="sam", channel=channel, text="x"),
        await act(session, "post", user="nobody", channel=channel, text="x"),
        await act(session, "post", user="ann", channel=channel),
        await act(session, "dance", user="ann"),
    ]

    assert [refusal["error"] for refusal in refusals] == [
        "cant_update_message",
        "not_in_channel",
        "user_not_found",
        "invalid_arguments",
        "unknown_action",
    ]


@pytest.mark.parametrize(
    ("path", "method"),
    [("/_playground/state", "GET"), ("/_playground/events", "GET"),
     ("/_playground/journal", "GET"), ("/_playground/post", "POST"),
     ("/_playground/files/F1", "GET")],
)  # fmt: skip
async def test_nothing_without_the_token(playground: Playground, path: str, method: str) -> None:
    """Any web page can post to 127.0.0.1, so every address asks for the token and the Host."""
    bearer = {"Authorization": f"Bearer {playground.control_token}"}
    async with aiohttp.ClientSession(playground.page_url) as bare:
        without = await bare.request(method, path)
        wrong = await bare.request(method, path, headers={"Authorization": "Bearer x"})
        rebound = await bare.request(method, path, headers={**bearer, "Host": "evil.example:80"})

    assert (without.status, wrong.status, rebound.status) == (403, 403, 403)


async def test_the_page_carries_the_token_under_a_strict_policy(playground: Playground) -> None:
    """Only to its own Host, and nothing from elsewhere may run in it."""
    async with aiohttp.ClientSession(playground.page_url) as bare:
        page = await bare.get("/")
        html = await page.text()
        rebound = await bare.get("/", headers={"Host": "evil.example"})
        asset = await bare.get("/static/main.js")
        outside = await bare.get("/static/..%2Fserver.py")

    assert f'<meta name="control-token" content="{playground.control_token}">' in html
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert (rebound.status, asset.status, outside.status) == (403, 200, 404)


async def test_the_snapshot_is_one_persons(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """Guests and strangers see their channels only, and nobody sees others' ephemerals."""
    api = Api(playground)
    await api(
        "chat.postEphemeral",
        channel=playground.channel("api").id,
        user=playground.workspace.user_named("ann").id,
        text="psst",
    )

    async def seen(name: str) -> tuple[set[str], int]:
        state = await (await session.get("/_playground/state", params={"as": name})).json()
        return {c["name"] for c in state["channels"]}, sum(map(len, state["messages"].values()))

    assert await seen("ann") == ({"general", "api", "web", "random", "secret", "partners"}, 1)
    assert await seen("chris") == ({"general", "api", "web", "random", "partners"}, 0)
    assert await seen("gil") == ({"api"}, 0)
    assert await seen("sam") == ({"partners"}, 0)


async def read_feed(session: aiohttp.ClientSession, person: str, after: int, count: int) -> Any:  # noqa: ANN401 - JSON
    """Read `count` changes of the feed as one person."""
    query = {"as": person, "after": str(after)}
    changes = list[Json]()
    async with session.get("/_playground/events", params=query) as answer:
        async for line in answer.content:
            if line.startswith(b"data: "):
                changes.append(json.loads(line[6:]))
            if len(changes) == count:
                return changes
    return changes


async def test_the_feed_tells_what_happens(
    playground: Playground, session: aiohttp.ClientSession, channel: str
) -> None:
    """Changes come whole, in order, first those that were missed, and only what one may see."""
    await playground.people.post("ann", "#secret", "between us")
    await playground.people.post("ann", "#api", "one")
    reading = asyncio.create_task(read_feed(session, "gil", 0, 3))
    await wait_until(lambda: len(playground.workspace.feed.readers) == 1)
    await playground.people.post("ann", "#secret", "still between us")
    ts = await playground.people.post("ben", "#api", "two")
    await playground.people.delete("ben", "#api", ts)

    changes = await reading

    assert [change["type"] for change in changes] == ["message", "message", "message_deleted"]
    assert [change["channel"] for change in changes] == [channel] * 3
    assert [change["message"]["text"] for change in changes[:2]] == ["one", "two"]
    assert changes[2]["ts"] == ts


async def test_a_stream_is_seen_growing(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """Each append is the whole message again, marked as streaming until it stops."""
    direct = await playground.people.open_dm("ann", "Deskmate")
    root = await playground.people.post("ann", direct, "question")
    seq, api = playground.workspace.feed.seq, Api(playground)
    ts = (await api("chat.startStream", channel=direct, thread_ts=root, markdown_text="a"))["ts"]
    await api("chat.appendStream", channel=direct, ts=ts, markdown_text="b")
    await api("chat.stopStream", channel=direct, ts=ts)

    changes = await read_feed(session, "ann", seq, 4)

    messages = [c["message"] for c in changes if c["message"]["ts"] == ts]
    assert [(m["text"], m["streaming"]) for m in messages] == [
        ("a", True), ("ab", True), ("ab", False)
    ]  # fmt: skip


async def test_a_page_that_was_away_too_long_is_told_everything(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """When the feed no longer reaches back, all there is comes as changes."""
    ts = await playground.people.post("ann", "#api", "old")
    for _ in range(300):
        await playground.people.react("ann", "#api", ts, "eyes")
        await playground.people.unreact("ann", "#api", ts, "eyes")
        await playground.people.react("ben", "#api", ts, "eyes")
        await playground.people.unreact("ben", "#api", ts, "eyes")

    changes = await read_feed(session, "gil", 1, 2)

    assert [change["type"] for change in changes] == ["channel", "message"]
    assert changes[1]["message"]["text"] == "old"


async def test_files_go_up_and_come_down(
    playground: Playground, session: aiohttp.ClientSession, channel: str
) -> None:
    """Upload is multipart; the page reads the bytes with the token in the address."""
    form = aiohttp.FormData({"user": "ann", "channel": channel, "text": "look"})
    form.add_field("files", b"one", filename="1.txt")
    form.add_field("files", b"<script>", filename="2.html", content_type="text/html")
    async with session.post("/_playground/upload", data=form) as answer:
        ts = (await answer.json())["ts"]

    files = playground.channel("api").messages[ts].files
    token = {"token": playground.control_token}
    async with aiohttp.ClientSession(playground.page_url) as bare:
        read = await bare.get(f"/_playground/files/{files[1].id}", params=token)
        body = await read.read()

    assert [file.name for file in files] == ["1.txt", "2.html"]
    assert (body, read.content_type) == (b"<script>", "application/octet-stream")


async def test_direct_messages_and_joining(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """A DM opens by names; a public channel is joined, a private one is not there."""
    opened = await act(session, "open_dm", user="ann", users=["ben", "Deskmate"])
    joined = await act(session, "join", user="chris", channel="#partners")
    private = await act(session, "join", user="chris", channel="#secret")

    assert playground.workspace.channel(opened["channel"]).kind == "mpim"
    assert (joined["ok"], private["error"]) == (True, "channel_not_found")
    assert "chris" in {
        playground.workspace.users[m].name for m in playground.channel("partners").members
    }


async def test_breaking_things_from_outside(
    playground: Playground, session: aiohttp.ClientSession
) -> None:
    """Faults, the clock and the sockets can be reached by HTTP."""
    set_fault = await act(session, "faults", kind="error", target="auth.test", error="fatal_error")
    wrong = await act(session, "faults", colour="red")
    before = playground.workspace.clock.now()
    clock = await act(session, "clock", advance=60)
    async with listening(playground):
        listed = await act(session, "sockets")
        after = await act(session, "sockets", end="abort")

    assert set_fault["faults"][0]["target"] == "auth.test"
    assert wrong["error"] == "invalid_arguments"
    assert await Api(playground).refused("auth.test") == "fatal_error"
    assert clock["now"] == pytest.approx(before + 60, abs=1)
    assert (listed["sockets"][0]["app"], after["sockets"]) == ("Deskmate", [])


async def test_the_journal_by_http_and_in_a_file(tmp_path: Path) -> None:
    """JSON lines, from any entry on; the file has the same."""
    file = tmp_path / "journal.jsonl"
    async with Playground(clock=Clock(scale=0), journal_file=file) as playground:
        await Api(playground)("auth.test")
        await Api(playground)("api.test")
        headers = {"Authorization": f"Bearer {playground.control_token}"}
        async with aiohttp.ClientSession(playground.page_url, headers=headers) as session:
            answer = await session.get("/_playground/journal", params={"since": "1"})
            lines = [json.loads(line) for line in (await answer.text()).splitlines()]

    written = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [entry["method"] for entry in lines] == ["api.test"]
    assert [entry["method"] for entry in written] == ["auth.test", "api.test"]
