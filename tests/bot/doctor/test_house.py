"""Settings, folder and packages."""

from pathlib import Path

from bot.doctor.house import check_folder, check_packages, check_settings
from bot.settings import load


def test_missing_settings_are_findings_one_each(tmp_path: Path):
    """What `deskmate run` would refuse to start without."""
    found = check_settings(load({"DESKMATE_MODEL": "rehearsal"}, tmp_path))
    assert [(each.level, each.text.split()[0]) for each in found] == [
        ("fail", "SLACK_BOT_TOKEN"),
        ("fail", "SLACK_APP_TOKEN"),
    ]


def test_a_folder_that_is_not_there_yet_is_judged_by_where_it_would_be(tmp_path: Path):
    """New is fine; below a file is not."""
    assert check_folder(tmp_path / "new" / "home").level in {"ok", "warn"}
    (tmp_path / "file").write_text("")
    found = check_folder(tmp_path / "file" / "home")
    assert (found.level, "DESKMATE_HOME" in found.advice) == ("fail", True)


def test_a_foreign_package_of_our_name_is_found():
    """Another `storage` in the environment overwrites ours without a word."""
    assert check_packages().level == "ok"
    found = check_packages({"storage": ["deskmate", "azure-storage"], "other": ["x"]})
    assert (found.level, "azure-storage" in found.text) == ("fail", True)
