"""The data model: every key known, with a TTL or a reason, and one tag per script."""

import pytest

from harness.models import ProjectId, TeamId
from storage import keys
from storage.call import Call, tag_of
from storage.client import Store
from storage.lease import Finish
from storage.notices import once
from storage.queue import Queue
from tests.conftest import stray_keys
from tests.support import an_incoming


def test_projects_spread_over_all_lanes():
    """A hundred projects use all eight lanes, and each always the same one."""
    team = TeamId("T1")
    lanes = {keys.lane(team, ProjectId(f"C{n}")).number for n in range(100)}
    assert lanes == set(range(keys.LANES))
    assert keys.lane(team, ProjectId("C1")) == keys.lane(team, ProjectId("C1"))


def test_all_keys_of_a_project_share_a_tag():
    """Whatever belongs to one project stands in its lane."""
    first = an_incoming()
    lane = keys.lane(first.session.team, first.project)
    spelled = (lane.ready, lane.state(first.session.id), lane.seen(first.session, first.id))
    project = keys.project(first.session.team, first.project)
    assert {tag_of(key) for key in (*spelled, project)} == {f"q{lane.number}"}


def test_call_refuses_two_tags():
    """A script that would touch two lanes is not even built."""
    with pytest.raises(ValueError, match="more than one lane"):
        Call("take", (keys.Lane(0).ready, keys.Lane(1).ready), (), int)


@pytest.mark.parametrize(
    "key", ["dm:{q9}:ready", "dm:{q1}:readiness", "ready", "dm:other:x", "dm:{q1}:state\n"]
)
def test_unknown_keys_have_no_entry(key: str):
    """The table knows our keys and no others."""
    assert keys.find_entry(key) is None


async def test_the_check_sees_strays(store: Store):
    """The check after each test names unknown keys, keys without TTL and keys of another type."""
    await store.run_command("SET", "dm:{q1}:secret", "x")
    await store.run_command("SET", keys.notice("x"), "x")
    await store.run_command("HSET", keys.Lane(1).state("s"), "s", "idle")
    await store.run_command("SET", keys.Lane(1).ready, "x")
    await store.run_command("HSET", keys.Lane(1).items("s"), "1.0/text", "x")

    assert await stray_keys(store) == [
        "dm:notice:x: has no TTL",
        "dm:{q1}:items:s: nothing of it stands in the inbox",
        "dm:{q1}:ready: not a stream",
        "dm:{q1}:secret: not in the table of storage/keys.py",
        "dm:{q1}:state:s: must have a TTL if it is idle, and only then",
    ]
    await store.run_command("FLUSHALL")


async def test_a_day_leaves_only_what_the_table_keeps(store: Store, queue: Queue):
    """After a turn nothing without TTL is left but the empty queue."""
    await queue.push(an_incoming(), event_id="e1")
    lease = await queue.take(0)
    assert lease is not None
    await queue.finish(lease, Finish())
    await once(store, "hello", ttl_seconds=60)

    left = [
        key
        for key in await store.run_command("KEYS", "*")
        if await store.run_command("TTL", key) < 0
    ]
    assert [keys.find_entry(key) for key in left] == [keys.TABLE[0]]
