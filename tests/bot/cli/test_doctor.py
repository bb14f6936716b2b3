"""`deskmate doctor` as an operator runs it: exit status, lines, JSON."""

import json
from pathlib import Path

import pytest

from bot.playground import Playground
from tests.acceptance.world import a_world
from tests.bot.cli.test_run import ended

pytestmark = pytest.mark.timeout(90)


async def doctor(*options: str, cwd: Path, **environ: str) -> tuple[int, str, str]:
    return await ended(("doctor", *options), cwd, environ, 40)


async def test_all_is_well_beside_a_running_deskmate(tmp_path: Path):
    """Exit 0; the running process shares its store with the doctor and is asked how it is."""
    async with a_world(tmp_path) as world, world.process():
        status, out, err = await doctor(cwd=tmp_path, **world.environ())
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "All is well."
    groups = [line.split()[1] for line in out.splitlines()[:-2]]
    assert list(dict.fromkeys(groups)) == [
        "settings",
        "folder",
        "packages",
        "store",
        "queue",
        "model",
        "slack",
        "process",
    ]


async def test_bad_settings_are_exit_2_in_lines_and_in_json(tmp_path: Path):
    """Malformed ones end it; missing ones are told beside everything else."""
    status, out, err = await doctor(cwd=tmp_path, DESKMATE_HTTP="here")
    assert (status, err) == (2, "")
    assert out.startswith("fail  settings  DESKMATE_HTTP")
    environ = {"DESKMATE_MODEL": "rehearsal", "DESKMATE_HOME": str(tmp_path)}
    status, out, err = await doctor("--json", cwd=tmp_path, **environ)
    told = json.loads(out)
    assert (status, err, told["ok"]) == (2, "", False)
    assert {each["group"] for each in told["checks"] if each["level"] == "ok"} >= {"store", "queue"}


async def test_what_fails_is_exit_1_and_no_secret_is_shown(tmp_path: Path):
    """No store, no model, a refused token: a line each, within the bound, no traceback."""
    async with Playground() as playground:
        status, out, err = await doctor(
            cwd=tmp_path,
            SLACK_BOT_TOKEN="xoxb-canary",
            SLACK_APP_TOKEN=playground.app_token,
            SLACK_API_URL=playground.api_url,
            OPENAI_API_KEY="sk-canary",
            OPENAI_BASE_URL="http://127.0.0.1:1/v1",
            REDIS_URL="redis://:canary@127.0.0.1:1/0",
            DESKMATE_HTTP="off",
        )
    assert (status, err) == (1, "")
    failed = [line.split()[1] for line in out.splitlines() if line.startswith("fail")]
    assert failed == ["store", "model", "slack"]
    assert "canary" not in out
