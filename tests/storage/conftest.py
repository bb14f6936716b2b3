"""Fixtures of the storage room."""

import pytest

from storage.client import Store
from storage.queue import Queue


@pytest.fixture
def queue(store: Store) -> Queue:
    """The queue as worker `w1` sees it."""
    return Queue(store, worker="w1", lease_seconds=10)


@pytest.fixture
def other(store: Store) -> Queue:
    """The same queue as worker `w2` sees it, whose patience is one millisecond."""
    return Queue(store, worker="w2", lease_seconds=0.001)
