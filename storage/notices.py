"""Things to say once in a while, however many workers want to say them."""

import uuid

from storage import keys
from storage.client import Store


async def once(store: Store, *parts: str, ttl_seconds: int) -> bool:
    """Return True to the first who asks for these parts, then False to all for `ttl_seconds`."""
    nonce = uuid.uuid4().hex  # a call sent again after a lost answer knows itself by it
    found = await store.redis.set(keys.notice(*parts), nonce, nx=True, get=True, ex=ttl_seconds)
    return found in {None, nonce}
