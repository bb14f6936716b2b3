"""Fixtures every room may use: a real store, and a guard against the outside world.

`valkey_url` is an embedded server for the whole run; `store` is a connection to it, emptied
before each test, whose keys are checked afterwards against the table in `storage/keys.py`.
"""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncGenerator, Generator
from urllib.parse import quote

import pytest

from storage import keys
from storage.client import Store
from storage.server import attach_or_start


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A real embedded server; the URL carries its password and serves as a REDIS_URL."""
    server = asyncio.run(attach_or_start(tmp_path_factory.mktemp("home")))
    yield server.url.replace("unix://", f"unix://:{quote(server.password)}@", 1)
    asyncio.run(server.stop())


@pytest.fixture
async def store(valkey_url: str) -> AsyncGenerator[Store]:
    """A connection to an empty store; fails the test on a key that keys.py does not allow."""
    async with Store.connect(valkey_url) as opened:
        await opened.run_command("FLUSHALL")
        yield opened
        assert await stray_keys(opened) == []


async def stray_keys(store: Store) -> list[str]:
    """Return what is wrong with the keys that are left: unknown, or never to expire."""
    found = [await _fault(store, key) for key in await store.run_command("KEYS", "*")]
    return sorted(filter(None, found))


async def _fault(store: Store, key: str) -> str:
    entry = keys.find_entry(key)
    if entry is None:
        return f"{key}: not in the table of storage/keys.py"
    if await store.run_command("TYPE", key) != entry.type:
        return f"{key}: not a {entry.type}"
    expires = await store.run_command("TTL", key) >= 0
    if entry.kind == "state":
        idle = await store.run_command("HGET", key, "s") == "idle"
        return "" if idle == expires else f"{key}: must have a TTL if it is idle, and only then"
    if entry.kind == "items" and not await store.run_command(
        "EXISTS", key.replace(":items:", ":inbox:")
    ):
        return f"{key}: nothing of it stands in the inbox"
    return "" if expires or entry.kept else f"{key}: has no TTL"


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Generator[None]:
    """Refuse every connection that would leave this machine."""
    dial = socket.socket.connect

    def connect(self: socket.socket, address: tuple[str, int] | str | bytes) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            host = str(address[0])
            if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
                raise AssertionError(f"a test tried to reach {host}")
        dial(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield
