"""The model's endpoint, asked over the real wire."""

from pathlib import Path

import pytest

from bot.doctor.endpoint import check_models
from bot.doctor.findings import Finding
from bot.settings import load
from harness.chat.rehearsal import Rehearsal
from harness.chat.rehearsal_server import RehearsalServer
from harness.chat.script import load_script


async def asked(tmp_path: Path, script: str, **settings: str) -> list[Finding]:
    """What the doctor finds of a model that follows a script."""
    async with RehearsalServer(Rehearsal(load_script(script))) as model:
        environ = {"OPENAI_BASE_URL": model.base_url, "DESKMATE_MODEL": "m1", **settings}
        return await check_models(load(environ, tmp_path))


async def test_a_model_that_answers(tmp_path: Path):
    """One word is asked for; every model of the settings is asked, each once."""
    (tmp_path / "deskmate.toml").write_text(
        '[projects.C1]\nmodel = "m2"\n[projects.C2]\nmodel = "m1"\n'
    )
    found = await asked(tmp_path, "- when: '.*'\n  steps: [{reply: ok}]")
    assert [each.level for each in found] == ["ok", "ok"]
    assert [each.text.split(" (")[0] for each in found] == ["m1 answers", "m2 answers"]


@pytest.mark.parametrize(
    ("status", "reason", "advice"),
    [
        (401, "it refuses the key (401)", "OPENAI_API_KEY"),
        (404, "it knows no model `m1` (404)", "DESKMATE_MODEL"),
        (500, "server error (500)", "try again later"),
    ],
)
async def test_a_model_that_refuses(tmp_path: Path, status: int, reason: str, advice: str):
    """Key, name or endpoint: the line says which, and what to check."""
    script = f"- when: '.*'\n  steps: [{{reply: x, fail: {{status: {status}}}}}]"
    (found,) = await asked(tmp_path, script)
    assert found.level == "fail"
    assert reason in found.text
    assert advice in found.advice


async def test_a_model_that_nobody_serves(tmp_path: Path):
    """A dead address, and no address and no key at all."""
    (found,) = await asked(tmp_path, "[]", OPENAI_BASE_URL="http://127.0.0.1:1/v1")
    assert (found.level, "cannot connect" in found.text) == ("fail", True)
    (found,) = await check_models(load({}, tmp_path))
    assert (found.level, found.advice) == ("fail", "Set OPENAI_API_KEY.")


async def test_the_rehearsal_needs_none(tmp_path: Path):
    """It is built in."""
    (found,) = await check_models(load({"DESKMATE_MODEL": "rehearsal"}, tmp_path))
    assert found.level == "ok"
