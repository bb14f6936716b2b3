"""The worst model: whatever it does, a turn ends soon, whole, and inside its folder.

The habits are in tests/data/worst_model.yaml. Each case also holds what every turn must hold.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from harness.agent import Agent
from harness.chat.rehearsal import Rehearsal
from harness.chat.repair import repaired
from harness.chat.script import Rule
from harness.compaction import sent
from harness.errors import ModelUnavailable
from harness.events import ToolFinished, TurnFinished
from harness.models import Project
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS
from tests.fakes import MemoryTurn
from tests.harness.chat.test_repair import faults
from tests.harness.support import run, work

Json = dict[str, Any]

CASES: list[Json] = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "worst_model.yaml").read_text(encoding="utf-8")
)
LARGE: dict[str, Any] = {
    "FLOOD": "word " * 300_000,
    "NESTED": '{"path":' * 50_000 + "1",
    "MANY_CALLS": [
        {"tool": "file_write", "arguments": {"path": f"f{n}", "content": f"{n}"}}
        for n in range(100)
    ],
}
OURS = ("I ", "This thread", "The model", "My answer")


def filled(value: Any, number: int = 0) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Put the large things in, and the number of the repetition."""
    if isinstance(value, str):
        return LARGE[value] if value in LARGE else value.replace("{n}", str(number))
    if isinstance(value, list):
        return [filled(each, number) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: filled(each, number) for name, each in cast("Json", value).items()}
    return value


def model(case: Json) -> Rehearsal:
    steps: list[Json] = []
    for step in case["steps"]:
        many, then = step.pop("many", 1), step.pop("then", None)
        for number in range(1, many + 1):
            steps.append(filled(step, number))
            if then:
                steps.append({"calls": filled(then, number)})
    return Rehearsal([Rule.model_validate({"when": ".*", "steps": steps})])


def prepare(project: Project, case: Json) -> None:
    """The folder, a secret beside it, and a link that leads there."""
    project.folder.mkdir()
    (project.folder.parent / "secret").write_text("secret")
    (project.folder / "link").symlink_to("../secret")
    for name, content in case.get("files", {}).items():
        (project.folder / name).write_text(filled(content))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
async def test_the_harness_holds(project: Project, case: Json) -> None:
    """The turn ends as it should, and nothing that was not asked for has happened."""
    prepare(project, case)
    expect, turn = case["expect"], MemoryTurn()
    agent = Agent(model(case), Toolset(FILE_TOOLS))
    if "unavailable" in expect:
        with pytest.raises(ModelUnavailable, match=f"^{expect['unavailable']}$"):
            await run(agent, work(project, "go"), turn.take())
    else:
        events, finished = await run(agent, work(project, "go"), turn.take())
        check_results([event for event in events if isinstance(event, ToolFinished)], expect)
        check_ending(finished, expect)
        if finished.outcome != "no_answer":  # whoever reads the record comes to the same end
            silent = Agent(Rehearsal([]), Toolset(FILE_TOOLS))
            _, again = await run(silent, work(project, "go"), MemoryTurn(turn.entries).take())
            assert again == finished
    check_folder(project, expect)


def check_results(results: list[ToolFinished], expect: Json) -> None:
    given = [event.result.error_type or "ok" for event in results]
    if "results" in expect:
        assert given == expect["results"]
    if "all" in expect:
        assert given
        assert set(given) == {expect["all"]}
    if "counts" in expect:
        assert Counter(given) == expect["counts"]


def check_ending(finished: TurnFinished, expect: Json) -> None:
    assert finished.outcome == expect["outcome"]
    assert finished.steps <= 40
    if "steps" in expect:
        assert finished.steps == expect["steps"]
    assert faults(repaired(sent(finished.messages))) == []
    assert finished.messages[-1].role == "assistant"
    assert finished.note.startswith(OURS) or finished.outcome == "answered"
    assert len(finished.note) < 600
    assert "Traceback" not in finished.note
    assert len(finished.text) <= expect.get("most_text", 1000)
    if "text" in expect:
        assert finished.text == expect["text"]
    results = [message.content for message in finished.messages if message.role == "tool"]
    assert all(len(content.encode()) <= 66_000 for content in results)
    assert all(json.loads(content)["status"] in {"ok", "error"} for content in results)
    assert expect.get("history", "") in "\n".join(results)


def check_folder(project: Project, expect: Json) -> None:
    for name, content in expect.get("files", {}).items():
        path = project.folder / name
        assert (path.read_text() if path.exists() else None) == content
    outside = project.folder.parent
    assert sorted(path.name for path in outside.iterdir()) == ["project", "secret"]
    assert (outside / "secret").read_text() == "secret"
    assert not (project.folder / ".git").exists()
