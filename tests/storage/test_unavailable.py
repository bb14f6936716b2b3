"""What can be wrong with a store, and the one sentence that says so."""

import asyncio
import os
import stat
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from harness.errors import StoreUnavailable
from storage.client import Store
from storage.place import Place, explain_log
from storage.server import attach_or_start
from tests.support import wait_until


async def why_not(url: str, password: str | None = None) -> str:
    """Return what connecting says; nothing of it may contain the password."""
    with pytest.raises(StoreUnavailable) as refused:
        async with Store.connect(url, password):
            pass
    return str(refused.value)


async def why_not_started(home: Path, patience_seconds: float = 5) -> str:
    with pytest.raises(StoreUnavailable) as refused:
        await attach_or_start(home, patience_seconds=patience_seconds)
    return str(refused.value)


@contextmanager
def closed(folder: Path) -> Generator[None]:
    """Make a folder read-only for a while."""
    folder.chmod(0o555)
    yield
    folder.chmod(0o755)


@contextmanager
def as_an_ordinary_user() -> Generator[None]:
    """Give up the right to write anywhere, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


async def test_read_only_home(tmp_path: Path):
    """A folder that may not be written to is named, with what to do."""
    with closed(tmp_path), as_an_ordinary_user():
        said = await why_not_started(tmp_path / "home")
    assert said == (
        f"I cannot write to {tmp_path / 'home' / 'store'} (permission denied). "
        "Make it writable, or set DESKMATE_HOME to another folder."
    )


async def test_home_is_a_file(tmp_path: Path):
    """A file in the place of the home is no traceback."""
    (tmp_path / "home").write_text("x")
    assert "(not a directory)" in await why_not_started(tmp_path / "home")


async def test_deep_home_uses_a_short_socket(tmp_path: Path):
    """Where the socket's path would be too long it goes to a private run-time folder."""
    home = tmp_path / ("deep" * 30)
    server = await attach_or_start(home)
    socket = Path((home / "store" / "address").read_text().strip())
    second = await attach_or_start(home)
    async with Store.connect(second.url, second.password) as store:
        await store.ping()
    mode = stat.S_IMODE(socket.parent.stat().st_mode)
    await server.stop()
    await second.stop()

    assert not socket.parent.exists()
    assert (server.started, second.started) == (True, False)
    assert server.url == second.url == f"unix://{socket}"
    assert len(str(socket)) <= 100
    assert mode == 0o700


async def test_run_time_folder_of_someone_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A run-time folder that others may enter is not trusted with the socket."""
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setattr("tempfile.tempdir", short)
        trap = Path(short) / f"deskmate-{os.getuid()}"
        trap.mkdir()
        trap.chmod(0o777)
        said = await why_not_started(tmp_path / ("deep" * 30))
    assert said.startswith(f"{trap} is not private to this user")


async def test_home_with_spaces_and_signs(tmp_path: Path):
    """Spaces, quotes and other alphabets in the path do no harm."""
    server = await attach_or_start(tmp_path / 'my "home" \\ 家 #1?')
    async with Store.connect(server.url, server.password) as store:
        await store.ping()
    await server.stop()


async def test_damaged_files(tmp_path: Path):
    """A damaged append-only file is explained from the server's log."""
    server = await attach_or_start(tmp_path)
    async with Store.connect(server.url, server.password) as store:
        for number in range(20):
            await store.run_command("SET", f"dm:notice:{number}", "x" * 100)
    await server.stop()
    (log,) = (tmp_path / "store" / "appendonlydir").glob("*.incr.aof")
    content = bytearray(log.read_bytes())
    content[500:600] = b"?" * 100
    log.write_bytes(content)

    said = await why_not_started(tmp_path)

    assert said.startswith(f"The store's files in {tmp_path}/store/appendonlydir are damaged.")


async def test_lock_held_but_silent(tmp_path: Path):
    """A lock whose holder does not answer is named."""
    place = Place(tmp_path / "store")
    place.prepare()
    holder = await asyncio.create_subprocess_exec("/usr/bin/flock", place.lock, "sleep", "60")
    try:
        await wait_until(place.lock.exists)
        said = await why_not_started(tmp_path, patience_seconds=0.1)
    finally:
        holder.kill()
        await holder.wait()
    assert said.startswith(f"Another process holds {place.lock}, but no store answers")


READ_ONLY = (
    "I cannot write to /h/store (the store may not write there). "
    "Make it writable, or set DESKMATE_HOME to another folder."
)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            "1:M 30 Nov 2026 12:00:00.000 # Error writing to the AOF file: No space left on device",
            "The disk of /h/store is full. Free some space, then start me again.",
        ),
        (
            "1:M 30 Nov 2026 12:00:00.000 # Can't open the append-only file: Permission denied",
            READ_ONLY,
        ),
        (
            "*** FATAL CONFIG FILE ERROR (Version 9.1.2) ***\nBad directive\n",
            "The embedded store did not start: Bad directive. See /h/store/server.log.",
        ),
        ("", "The embedded store did not start: it said nothing. See /h/store/server.log."),
    ],
)
def test_reasons_from_the_log(log: str, said: str):
    """What the server wrote before it ended becomes one sentence and a next step."""
    assert explain_log(log, Path("/h/store")) == said


async def test_no_server_at_the_address():
    """An address where nothing listens is named, without the password in it."""
    said = await why_not("redis://user:hunter2@127.0.0.1:1/0")
    assert said == (
        "The store at redis://127.0.0.1:1/0 does not answer. See that it runs, at this address."
    )


async def test_no_server_at_the_socket(tmp_path: Path):
    """The same for a socket that is not there."""
    said = await why_not(f"unix://:hunter2@{quote(str(tmp_path))}/none.sock")
    assert said.startswith(f"The store at unix://{tmp_path}/none.sock does not answer.")


@pytest.mark.parametrize("url", ["http://h/0", "redis:/x", "redis://:hunter2@h:port/0", "hunter2"])
async def test_address_that_is_none(url: str):
    """What is no store's address at all is said so, and never repeated."""
    said = await why_not(url)
    assert said.startswith("REDIS_URL is not an address I understand.")
    assert "hunter2" not in said


async def test_wrong_password(valkey_url: str):
    """A refused password is said so, and does not show."""
    address, _, path = valkey_url.partition("@")
    said = await why_not(f"unix://:hunter2@{path}")
    assert said == f"The store at unix://{path} refuses the password. Check REDIS_URL."
    assert address not in said


async def test_password_that_is_missing(valkey_url: str):
    """The same without any password."""
    assert "refuses the password" in await why_not("unix://" + valkey_url.partition("@")[2])


async def test_password_never_shows(valkey_url: str):
    """Neither the object nor an error shows the password."""
    secret = valkey_url.removeprefix("unix://:").partition("@")[0]
    async with Store.connect(valkey_url) as store:
        with pytest.raises(StoreUnavailable) as refused:
            await store.run_command("NONSENSE")
        shown = f"{store!r} {store.where} {refused.value!r} {refused.value.__cause__!r}"
    assert secret not in shown
    assert "refused a command" in shown


@asynccontextmanager
async def a_server_that_says(version: str) -> AsyncGenerator[str]:
    """A server that speaks the protocol and answers INFO; yields its address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        replies = {b"HELLO": b"%1\r\n$5\r\nproto\r\n:3\r\n", b"INFO": _bulk(version)}
        while (count := await reader.readline()) != b"":
            words = [await _word(reader) for _ in range(int(count[1:]))]
            writer.write(replies.get(words[0].upper(), b"+OK\r\n"))
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"


def _bulk(version: str) -> bytes:
    text = f"redis_version:{version}\r\n".encode()
    return b"$%d\r\n%s\r\n" % (len(text), text)


async def _word(reader: asyncio.StreamReader) -> bytes:
    length = int((await reader.readline())[1:])
    return (await reader.readexactly(length + 2))[:-2]


async def test_old_redis_is_refused():
    """Anything older than Redis 7.0 is named and refused."""
    async with a_server_that_says("6.2.14") as url:
        assert await why_not(url) == (
            f"The store at {url} is Redis 6.2.14, which is too old. "
            "Use Redis 7.0, Valkey 8 or later."
        )


async def test_redis_7_is_welcome():
    """The oldest that we accept is accepted, and reported as it is."""
    async with a_server_that_says("7.0.15") as url, Store.connect(url) as store:
        report = await store.check()
    assert (report.product, report.version, report.aof) == ("redis", "7.0.15", False)
