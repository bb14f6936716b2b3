"""The built wheel: exactly three packages, everything they need inside, startable from anywhere."""

import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from bot.manifest import BOT_EVENTS, BOT_SCOPES, render

ROOT = Path(__file__).parent.parent
PACKAGES = {"bot", "harness", "storage"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(target), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(target.glob("deskmate-*.whl"))


@pytest.mark.timeout(90)
def test_the_wheel_holds_the_three_packages_and_their_files(wheel: Path):
    """Prompts, scripts of the rehearsal model, Lua files and the page are inside; tests are not."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == PACKAGES
    for inside in (
        "harness/prompts/system.md",
        "harness/chat/scripts/demo.yaml",
        "storage/lua/push.lua",
        "bot/playground/page/index.html",
    ):
        assert inside in names


@pytest.mark.timeout(90)
def test_the_installed_wheel_starts_from_another_folder(wheel: Path, tmp_path: Path):
    """`deskmate --version` and `python -P -m bot` work from the wheel alone."""
    site = tmp_path / "site"
    site.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bot", "--version"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"deskmate {metadata.version('deskmate')}"


def test_no_other_distribution_owns_our_package_names():
    """A second `storage` in the environment would overwrite ours without a word."""
    owners = metadata.packages_distributions()
    for package in PACKAGES:
        assert set(owners.get(package, [])) <= {"deskmate"}


def test_the_checked_in_manifest_is_the_printed_one():
    """manifest.yml is what `deskmate manifest` prints."""
    assert (ROOT / "manifest.yml").read_text(encoding="utf-8") == render()


def test_scopes_and_events_are_listed_once_and_in_order():
    """Slack refuses duplicates; order keeps diffs readable."""
    assert list(BOT_SCOPES) == sorted(set(BOT_SCOPES))
    assert list(BOT_EVENTS) == sorted(set(BOT_EVENTS))
