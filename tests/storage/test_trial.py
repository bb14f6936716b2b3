"""Workers killed or stopped midway: nothing lost, nothing twice, all in order.

`tests/soak/test_trial.py` runs the same with larger numbers.
"""

from pathlib import Path

import pytest

from tests.storage.trial import Trial, run_trial

pytestmark = pytest.mark.timeout(120)


async def test_killed_worker(tmp_path: Path):
    """What the killed worker held is done again without waiting for its lease, in order, once."""
    verdict = await run_trial(tmp_path, Trial(sessions=30, messages=4, lease_seconds=30))
    assert verdict.is_committed_right
    assert verdict.is_started_right
    assert verdict.redone > verdict.refused == 0
    assert verdict.seconds < 30


async def test_stopped_worker_comes_back(tmp_path: Path):
    """A worker that was stopped past its lease and goes on then commits nothing at all."""
    verdict = await run_trial(
        tmp_path, Trial(sessions=30, messages=4, lease_seconds=0.5, stop=True)
    )
    assert verdict.is_committed_right
    assert min(verdict.refused, verdict.redone) > 0


async def test_slots_of_a_project_outlive_killed_workers(tmp_path: Path):
    """With three slots per project and three of four workers killed, three run, no more or less."""
    verdict = await run_trial(
        tmp_path, Trial(sessions=24, messages=4, workers=4, projects=2, slots=3, lease_seconds=30)
    )
    assert verdict.is_committed_right
    assert verdict.is_started_right
    assert verdict.most_in_a_project == 3
    assert verdict.redone > 0
