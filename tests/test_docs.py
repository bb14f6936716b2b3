"""The documents are checked against the code: `python -m tests.test_docs` writes what is generated.

The table of settings in both READMEs comes from the settings class; links lead somewhere; the
commands that the README shows exist.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import PydanticUndefined
from typer.main import get_command

from bot.cli import app
from bot.settings import HttpAddress, Settings

ROOT = Path(__file__).parent.parent
READMES = (ROOT / "README.md", ROOT / "docs" / "README.zh-CN.md")
MARKED = re.compile(r"(<!-- settings -->\n).*?(<!-- /settings -->)", re.DOTALL)
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


def settings_table() -> str:
    """Render the settings as Markdown, from the class that reads them."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        if name == "projects":
            continue
        default = "-" if field.default in (None, (), PydanticUndefined) else str(field.default)
        if isinstance(field.default, HttpAddress):
            default = f"{field.default.host}:{field.default.port}"
        shown = f"`{default}`" if default != "-" else default
        rows.append(f"| `{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("readme", READMES, ids=lambda p: p.name)
def test_the_settings_table_is_the_generated_one(readme: Path):
    """Whoever adds a setting runs `python -m tests.test_docs`."""
    found = MARKED.search(readme.read_text(encoding="utf-8"))
    assert found is not None
    assert found.group(0) == f"<!-- settings -->\n{settings_table()}<!-- /settings -->"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_documents_lead_somewhere(page: Path):
    """No dead relative link, no missing picture."""
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", text)
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_readme_shows_only_targets_that_exist():
    """Every `make X` in the documents is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
            assert target in targets, f"{page.name}: make {target}"


def test_the_files_named_in_the_tour_exist():
    """A path in back-ticks that looks like a file of ours is one."""
    for page in (ROOT / "docs" / "tour.md", ROOT / "README.md"):
        for name in re.findall(
            r"`((?:bot|harness|storage|tests)/[\w/.-]+\.\w+)`", page.read_text()
        ):
            assert (ROOT / name).exists(), f"{page.name}: {name}"


def test_the_commands_that_the_documents_show_exist():
    """Every `deskmate X --option` in back-ticks is a command of ours with that option."""
    commands: dict[str, Any] = vars(get_command(app))["commands"]
    for page in PAGES:
        shown = re.findall(r"`(?:\w+=\S+ )*deskmate ([a-z]+)([^`]*)`", page.read_text("utf-8"))
        for name, rest in shown:
            assert name in commands, f"{page.name}: deskmate {name}"
            options = {option for each in commands[name].params for option in each.opts}
            used = set(re.findall(r"--[a-z]+", rest))
            assert used <= options, f"{page.name}: deskmate {name}{rest}"


def write() -> None:
    for readme in READMES:
        text = readme.read_text(encoding="utf-8")
        readme.write_text(
            MARKED.sub(lambda m: m.group(1) + settings_table() + m.group(2), text), encoding="utf-8"
        )


if __name__ == "__main__":
    write()
