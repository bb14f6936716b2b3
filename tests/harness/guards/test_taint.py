"""Outside text taints a session for good, and only outside text does."""

from dataclasses import replace

import pytest

from harness.context import Said, Trust, opening_message
from harness.guards.taint import taint_of
from harness.models import Message, Project
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.harness.guards.test_effects import GUEST, results
from tests.harness.support import asked


@pytest.mark.parametrize(
    ("trust", "taint"),
    [
        ("requester", set[str]()),
        ("member", set[str]()),
        ("guest", {"guest"}),
        ("bot", {"bot"}),
        ("outside", {"outside"}),
    ],
)
def test_strangers_words_taint_and_members_words_do_not(trust: Trust, taint: set[str]) -> None:
    """Also as context that was said before."""
    opening = opening_message(asked("go", (Said("x", "words", trust),)))
    assert taint_of([opening]) == taint


def test_an_upload_taints() -> None:
    """Who posts a file has rarely written it."""
    plain = asked("read it")
    with_file = replace(plain, file_names=("a.pdf",))
    assert taint_of([opening_message(with_file)]) == {"upload"}
    assert taint_of([opening_message(plain)]) == set()


async def test_taint_lasts_within_a_turn_and_into_every_later_one(project: Project) -> None:
    """One page from the web, and from then on a fetch is asked for; a store forgets nothing."""
    ran, told, first = await results(project, ("fetch", "read", "fetch"))
    assert (ran["fetch"], told) == (1, [None, None, "needs_approval"])
    stored = tuple(Message.model_validate_json(m.model_dump_json()) for m in first.messages)
    ran, told, _ = await results(project, ("fetch",), (), stored)
    assert (ran["fetch"], told) == (0, ["needs_approval"])
    assert taint_of(stored) == {"web"}


async def test_a_call_that_did_not_run_taints_nothing(project: Project) -> None:
    """A refusal is our own text."""
    _, told, finished = await results(project, ("fetch",), GUEST)
    assert told == ["needs_approval"]
    assert taint_of(finished.messages) == {"guest"}


def test_the_projects_own_files_are_not_outside() -> None:
    """None of the file tools taints."""
    tools = Toolset(FILE_TOOLS)
    assert [tools.taint(tool.name) for tool in FILE_TOOLS] == [()] * len(FILE_TOOLS)
    assert tools.taint("none") == ()
