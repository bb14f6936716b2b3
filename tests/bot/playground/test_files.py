"""files.*: two steps up, one message, and a bearer to read it again."""

from typing import Any

import aiohttp

from bot.playground import Playground
from tests.bot.playground.clients import Api, Json, events, listening
from tests.support import wait_until


async def put(playground: Playground, api: Api, name: str, content: bytes) -> str:
    """Do the first two steps; gives the file's id."""
    reserved = await api("files.getUploadURLExternal", filename=name, length=len(content))
    async with aiohttp.ClientSession() as session:
        sent = await session.post(reserved["upload_url"], data=content)
        assert (sent.status, await sent.text()) == (200, f"OK - {len(content)}")
    assert reserved["upload_url"].startswith(playground.workspace.base_url)
    return reserved["file_id"]


async def test_slack_sdks_upload(playground: Playground, api: Api, channel: str) -> None:
    """files_upload_v2 goes through all three steps; a file_share message follows."""
    root = await playground.people.post("ann", "#api", "question")
    client: Any = api.client
    async with listening(playground) as heard:
        await client.files_upload_v2(
            content="a,b\n1,2\n",
            filename="table.csv",
            title="Table",
            channel=channel,
            thread_ts=root,
            initial_comment="Here.",
        )
        await wait_until(lambda: len(heard) == 2)

    message = events(heard, "message")[0]
    assert (message["subtype"], message["text"]) == ("file_share", "Here.")
    assert (message["thread_ts"], message["bot_id"]) == (root, playground.app.user.bot_id)
    assert message["files"][0]["title"] == "Table"
    assert events(heard, "file_shared")[0]["file_id"] == message["files"][0]["id"]


async def test_a_file_without_a_channel_stays_private(
    playground: Playground, api: Api, channel: str
) -> None:
    """It is complete and known, and nowhere posted."""
    file_id = await put(playground, api, "a.txt", b"hello")

    done = await api("files.completeUploadExternal", files=[{"id": file_id, "title": "A"}])
    info = (await api("files.info", file=file_id))["file"]

    assert done["files"][0]["id"] == file_id
    assert (info["size"], info["mimetype"], info["channels"]) == (5, "text/plain", [])
    assert (await api("conversations.history", channel=channel))["messages"] == []


async def test_an_upload_is_completed_once(playground: Playground, api: Api) -> None:
    """Unknown files, missing bytes, and a second time are file_not_found."""
    file_id = await put(playground, api, "a.txt", b"hello")
    empty = await api("files.getUploadURLExternal", filename="b.txt", length=3)
    await api("files.completeUploadExternal", files=[{"id": file_id}])

    for wrong in (file_id, empty["file_id"], "F000"):
        refused = await api.refused("files.completeUploadExternal", files=[{"id": wrong}])
        assert refused == "file_not_found"


async def test_files_go_only_where_the_app_is(playground: Playground, api: Api) -> None:
    """Sharing into a channel without the bot is not_in_channel, and the file can go elsewhere."""
    file_id = await put(playground, api, "a.txt", b"hello")
    files: list[Json] = [{"id": file_id}]

    refused = await api.refused(
        "files.completeUploadExternal", files=files, channel_id=playground.channel("random").id
    )

    assert refused == "not_in_channel"


async def test_a_file_is_read_with_the_bearer(playground: Playground, api: Api) -> None:
    """Without a token there is a sign-in page with status 200, which is not the file."""
    ts = await playground.people.upload("ann", "#api", [("notes.txt", b"secret plan")])
    file = playground.channel("api").messages[ts].files[0]
    bearer = {"Authorization": f"Bearer {playground.bot_token}"}

    async with aiohttp.ClientSession() as session:
        read = await (await session.get(file.url, headers=bearer)).read()
        other = await session.get(file.url)

    assert read == b"secret plan"
    assert (other.status, other.content_type) == (200, "text/html")
    assert (await api("files.info", file=file.id))["file"]["url_private"] == file.url


async def test_files_of_other_rooms_do_not_exist(playground: Playground, api: Api) -> None:
    """A file in a private channel without the bot cannot be found or read."""
    ts = await playground.people.upload("ann", "#secret", [("a.txt", b"secret")])
    file = playground.channel("secret").messages[ts].files[0]
    bearer = {"Authorization": f"Bearer {playground.bot_token}"}

    async with aiohttp.ClientSession() as session:
        read = await (await session.get(file.url, headers=bearer)).read()

    assert b"secret" not in read
    assert await api.refused("files.info", file=file.id) == "file_not_found"


async def test_only_ones_own_file_is_deleted(playground: Playground, api: Api) -> None:
    """A deleted file is gone; a person's file is not ours to delete."""
    mine = await put(playground, api, "a.txt", b"hello")
    ts = await playground.people.upload("ann", "#api", [("b.txt", b"hers")])
    hers = playground.channel("api").messages[ts].files[0].id

    await api("files.delete", file=mine)

    assert await api.refused("files.info", file=mine) == "file_not_found"
    assert await api.refused("files.delete", file=hers) == "cant_delete_file"
