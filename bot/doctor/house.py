"""The machine under Deskmate: its settings, its folder, its Python packages."""

import os
import shutil
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from bot.doctor.findings import Finding, fail, ok, warn
from bot.settings import Settings, SettingsError, require_slack

LITTLE_BYTES = 1024**3
OURS = ("bot", "harness", "storage")
SETTINGS, FOLDER, PACKAGES = "settings", "folder", "packages"


def settings_refused(problems: Sequence[str]) -> list[Finding]:
    """Say what is wrong with settings that cannot be read."""
    return [fail(SETTINGS, problem) for problem in problems]


def check_settings(settings: Settings) -> list[Finding]:
    """Look whether `deskmate run` would have what it needs."""
    try:
        require_slack(settings)
    except SettingsError as err:
        return settings_refused(err.problems)
    return [ok(SETTINGS, "Everything that deskmate run needs is set")]


def check_folder(home: Path) -> Finding:
    """Look whether the data folder, or the place for it, can be written, and has room."""
    place = home
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return fail(
            FOLDER, f"I can't write to {home}", "Make it writable, or set DESKMATE_HOME elsewhere."
        )
    free = shutil.disk_usage(place).free
    if free < LITTLE_BYTES:
        return warn(FOLDER, f"{home} has {free // 1024**2} MB left", "Free some space.")
    return ok(FOLDER, f"{home} is writable, {free // 1024**3} GB are free")


def check_packages(owners: Mapping[str, Sequence[str]] | None = None) -> Finding:
    """Look whether another distribution brings packages of our names and overwrote ours."""
    owners = metadata.packages_distributions() if owners is None else owners
    foreign = {name for ours in OURS for name in owners.get(ours, ())} - {"deskmate"}
    if foreign:
        return fail(
            PACKAGES,
            f"{', '.join(sorted(foreign))} in this environment has packages named like ours",
            "Install Deskmate into an environment of its own.",
        )
    return ok(PACKAGES, f"deskmate {metadata.version('deskmate')} is alone with its packages")
