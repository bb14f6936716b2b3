"""The connection to the store: two clients, one translation of errors, one check of the server.

`redis` is for commands; `blocking` is for reads that wait. What a command may meet becomes
`StoreUnavailable` here and nowhere else. Writes may be sent again after a lost connection, so
every write is a script or command that can run twice. Starting a server: `server.py`.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import redis
import redis.asyncio
from redis import exceptions
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from harness.errors import StoreUnavailable
from storage.call import Call, load

Result = TypeVar("Result")

_FLOOR = (7, 0)
_OPTIONS: dict[str, Any] = {
    "decode_responses": True,
    "legacy_responses": False,
    "socket_connect_timeout": 2.0,
    # A service of some clouds; elsewhere it costs a round trip and a warning in the log.
    "maint_notifications_config": MaintNotificationsConfig(enabled=False),
}
_SOCKET_SECONDS = 5.0
_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What the server says of itself; `aof` is True if writes go to an append-only file."""

    product: str
    version: str
    aof: bool
    eviction: str
    used_bytes: int


class _Client(redis.asyncio.Redis):
    """The library's client, except that its errors are ours and that it tries again our way.

    A command is sent again where the connection broke, after each of `pauses` in seconds; the
    library's own retry would also repeat a refused password, for ten seconds.
    """

    where = ""
    pauses: tuple[float, ...] = ()
    # Ours, not the library's: that one waits in a way that loses a cancellation on Python 3.11.
    answer_seconds: float | None = None

    async def execute_command(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - theirs
        parent: Any = super()  # the library types this loosely, here and below
        return await self.patiently(lambda: parent.execute_command(*args, **options))

    async def patiently(self, send: Callable[[], Awaitable[Result]]) -> Result:
        with translated(self.where):
            for pause in self.pauses:
                try:
                    return await self._in_time(send)
                except exceptions.ConnectionError as err:
                    if _is_refused(err):
                        raise
                    await asyncio.sleep(pause)
            return await self._in_time(send)

    async def _in_time(self, send: Callable[[], Awaitable[Result]]) -> Result:
        async with asyncio.timeout(self.answer_seconds):
            return await send()


class _SyncClient(redis.Redis):
    """The same for a thread, without patience."""

    where = ""

    def execute_command(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - theirs
        with translated(self.where):
            parent: Any = super()
            return parent.execute_command(*args, **options)


class Store:
    """An open connection; made by `Store.connect`. Never shows its password."""

    def __init__(self, url: str, password: str | None) -> None:
        self.where = shown(url)
        self._url = url
        self._secret: dict[str, Any] = {"password": password} if password else {}
        self.redis = self._open(_PAUSES, health_check_interval=30)
        self.redis.answer_seconds = _SOCKET_SECONDS
        self.blocking = self._open(())

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, password: str | None = None) -> AsyncGenerator["Store"]:
        """Open the store for the length of a block.

        Raises `StoreUnavailable` if it does not answer, refuses us or is older than Redis 7.0.
        """
        store = cls(url, password)
        try:
            await store.check()
            yield store
        finally:
            await store.redis.aclose()
            await store.blocking.aclose()

    def __repr__(self) -> str:
        return f"Store({self.where})"

    async def run(self, call: Call[Result]) -> Result:
        """Run a script and read its answer."""
        script = load(call.script)
        count = len(call.keys)
        try:
            answer = await self.redis.evalsha(script.sha, count, *call.keys, *call.args)
        except exceptions.NoScriptError:
            answer = await self.redis.eval(script.text, count, *call.keys, *call.args)
        return call.read(answer)

    async def run_all(self, calls: Sequence[Call[Result]]) -> list[Result]:
        """Run scripts of several lanes in one round trip; not atomic together."""

        async def send() -> list[Any]:
            pipeline = self.redis.pipeline(transaction=False)
            for call in calls:
                pipeline.evalsha(load(call.script).sha, len(call.keys), *call.keys, *call.args)
            return await pipeline.execute(raise_on_error=False)

        answers = await self.redis.patiently(send)
        return [
            call.read(answer) if not isinstance(answer, Exception) else await self.run(call)
            for call, answer in zip(calls, answers, strict=True)
        ]

    async def ping(self) -> None:
        """Raise `StoreUnavailable` unless the server answers now."""
        await self.run_command("PING")

    async def check(self) -> StoreReport:
        """Ask the server what it is; raises `StoreUnavailable` if it is too old for us."""
        found: dict[str, Any] = await self.run_command("INFO")
        version = str(found.get("redis_version", "0.0"))
        if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < _FLOOR:
            raise StoreUnavailable(
                f"The store at {self.where} is Redis {version}, which is too old. "
                "Use Redis 7.0, Valkey 8 or later."
            )
        return StoreReport(
            product=str(found.get("server_name", "redis")),
            version=str(found.get("valkey_version", version)),
            aof=bool(found.get("aof_enabled", 0)),
            eviction=str(found.get("maxmemory_policy", "unknown")),
            used_bytes=int(found.get("used_memory", 0)),
        )

    async def run_command(self, *parts: str | int) -> Any:  # noqa: ANN401 - as the server answers
        """Send one plain command; callers know the shape of its answer."""
        return await self.redis.execute_command(*parts)

    async def listen(self, channel: str) -> AsyncGenerator[str]:
        """Yield what is published on a channel from now on; ends only by `StoreUnavailable`."""
        client: Any = self.blocking
        with translated(self.where):
            async with client.pubsub() as ear:
                await ear.subscribe(channel)
                while True:
                    heard = await ear.get_message(ignore_subscribe_messages=True, timeout=None)
                    if heard:
                        yield str(heard["data"])

    def open_sync(self) -> redis.Redis:
        """Open a client for a thread of its own; `run_sync` sends calls over it."""
        kind: Any = _SyncClient
        options = _OPTIONS | self._secret | {"socket_timeout": _SOCKET_SECONDS}
        client = kind.from_url(self._url, **options, retry=Retry(NoBackoff(), 0))
        client.where = self.where
        return client

    def _open(self, pauses: tuple[float, ...], **options: Any) -> _Client:  # noqa: ANN401 - theirs
        kind: Any = _Client
        once = AsyncRetry(NoBackoff(), 0)
        no_address = StoreUnavailable(
            "REDIS_URL is not an address I understand. "
            "Write it as redis://HOST:PORT/0, rediss://HOST:PORT/0 or unix:///PATH."
        )
        if not re.match("(rediss?|unix)://", self._url):
            raise no_address
        try:
            options = _OPTIONS | self._secret | {"socket_timeout": None} | options
            client = kind.from_url(self._url, **options, retry=once)
        except ValueError:
            raise no_address from None  # the cause may quote the password
        client.where, client.pauses = self.where, pauses
        return client


def run_sync(client: redis.Redis, call: Call[Result]) -> Result:
    """Run a script over a client of `Store.open_sync`."""
    script = load(call.script)
    try:
        answer = client.evalsha(script.sha, len(call.keys), *call.keys, *call.args)
    except exceptions.NoScriptError:
        answer = client.eval(script.text, len(call.keys), *call.keys, *call.args)
    return call.read(answer)


def shown(url: str) -> str:
    """Return a store's address without user, password and options."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the given address"
    return f"{parts.scheme}://{host}{port}{unquote(parts.path)}"


@contextmanager
def translated(where: str) -> Generator[None]:
    """Turn what the client library raises into `StoreUnavailable`, one sentence each."""
    try:
        yield
    except exceptions.NoScriptError:
        raise
    except (exceptions.RedisError, OSError) as err:
        raise StoreUnavailable(_sentence(where, err)) from err


def _is_refused(err: Exception) -> bool:
    """Say whether a connection failed because of its password; the library hides it in a cause."""
    refused = exceptions.AuthenticationError
    return isinstance(err, refused) or isinstance(err.__cause__, refused)


def _sentence(where: str, err: Exception) -> str:
    if _is_refused(err):
        return f"The store at {where} refuses the password. Check REDIS_URL."
    match err:
        case exceptions.BusyLoadingError():
            return f"The store at {where} is still loading its data. Try again in a moment."
        case exceptions.OutOfMemoryError():
            return f"The store at {where} is full and refuses writes. Raise its maxmemory."
        case exceptions.ConnectionError() | exceptions.TimeoutError() | OSError():
            return f"The store at {where} does not answer. See that it runs, at this address."
        case _:
            return f"The store at {where} refused a command: {err}"
