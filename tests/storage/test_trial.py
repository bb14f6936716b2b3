"""Two workers, one killed or stopped midway: nothing lost, nothing twice, all in order.

`python -m tests.storage.trial` runs the same with larger numbers.
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
    assert verdict.redone == verdict.refused > 0
