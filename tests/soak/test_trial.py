"""The queue's trial in full: 200 sessions of five messages, workers killed or stopped midway."""

from pathlib import Path

import pytest

from tests.storage.trial import Trial, Verdict, run_trial

pytestmark = pytest.mark.timeout(3600)


async def verdicts(home: Path, trials: int, trial: Trial) -> list[Verdict]:
    """Run a trial so many times, each in a fresh home, and show what became of each."""
    found: list[Verdict] = []
    for number in range(trials):
        folder = home / f"{number}"
        folder.mkdir()
        found.append(await run_trial(folder, trial))
        print(f"\n{number + 1}: {found[-1]}", end="")
    return found


async def test_a_worker_is_killed(tmp_path: Path, trials: int):
    """0 lost, 0 twice, 0 out of order, 0 at once, and what it held is done again."""
    for verdict in await verdicts(tmp_path, trials, Trial(sessions=200, messages=5)):
        assert verdict.is_committed_right
        assert verdict.is_started_right
        assert verdict.redone > verdict.refused == 0


async def test_a_worker_is_stopped_past_its_lease(tmp_path: Path, trials: int):
    """The late worker commits nothing of what was done again."""
    for verdict in await verdicts(tmp_path, trials, Trial(sessions=200, messages=5, stop=True)):
        assert verdict.is_committed_right
        assert min(verdict.refused, verdict.redone) > 0


async def test_three_of_four_workers_are_killed_under_a_cap(tmp_path: Path, trials: int):
    """Three slots per project: three run at once, no more and no less, and nothing is lost."""
    trial = Trial(sessions=200, messages=5, workers=4, projects=20, slots=3)
    for verdict in await verdicts(tmp_path, trials, trial):
        assert verdict.is_committed_right
        assert verdict.is_started_right
        assert verdict.most_in_a_project == 3
