"""Steps that tests of the queue share."""

from storage.lease import Lease
from storage.queue import Queue
from tests.support import an_incoming, wait_until


async def take(queue: Queue) -> Lease:
    lease = await queue.take(0)
    assert lease is not None
    return lease


async def push(queue: Queue, *numbers: int, thread: str = "1.0", channel: str = "C1") -> None:
    for n in numbers:
        incoming = an_incoming(n, thread=thread, channel=channel)
        await queue.push(incoming, event_id=f"{channel}{thread}e{n}")


async def take_over_at_once(other: Queue) -> Lease:
    """Let `other`, whose patience is a millisecond, take what is held."""
    await wait_until(lambda: took_over(other))
    return await take(other)


async def took_over(other: Queue) -> bool:
    return await other.take_over() == 1
