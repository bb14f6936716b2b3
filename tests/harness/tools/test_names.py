"""Names that are closed, however they are written; the folder's other rules are in test_paths."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import ToolError
from harness.tools.names import to_read, to_write
from harness.tools.paths import Folder


def refusal(take: Callable[[str], object], path: str) -> tuple[str, str, str]:
    with pytest.raises(ToolError) as caught:
        take(path)
    return caught.value.error_type, caught.value.message, caught.value.suggestion


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/index",
        ".git",
        "sub/.git",
        "sub/.git/modules/x/hooks/post-checkout",
        ".GIT/hooks/x",
        ".git./hooks/x",
        ".g\u200cit/config",
    ],
)
def test_what_belongs_to_git_is_never_written(path: str) -> None:
    """A hook or a setting runs programs when somebody uses git; `.git` may also be a file."""
    error_type, message, suggestion = refusal(to_write, path)
    assert (error_type, "belongs to git" in message) == ("permission", True)
    assert suggestion == "Leave it to git, or ask the person to change it."


@pytest.mark.parametrize(
    "path", [".git/config", ".git/modules/x/config", ".git/credentials", ".GIT/CONFIG.worktree"]
)
def test_gits_settings_are_not_read(path: str) -> None:
    """Addresses of remotes often hold a token."""
    error_type, message, _ = refusal(to_read, path)
    assert (error_type, "may hold credentials" in message) == ("permission", True)


@pytest.mark.parametrize("path", [".git/HEAD", ".git", "src/.gitignore", "config", "digit/config"])
def test_the_rest_of_git_can_be_read(path: str) -> None:
    """Where a branch stands is no secret, and names that look alike are ordinary files."""
    assert "/".join(to_read(path)) == path


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_names_that_are_none_are_refused(path: str) -> None:
    """No file can have such a name."""
    error_type, message, _ = refusal(to_read, path)
    assert (error_type, "not a file name" in message) == ("invalid_args", True)


@pytest.mark.parametrize("path", [".gitignore", ".github/workflows/ci.yml", "git/hooks/x"])
def test_files_about_git_are_ordinary(path: str) -> None:
    """They run nothing by themselves."""
    assert "/".join(to_write(path)) == path


def test_a_refused_hook_leaves_no_trace(tmp_path: Path) -> None:
    """Neither file nor folder is made on the way to a refusal."""
    refusal(lambda path: Folder(tmp_path).write_text(path, "rm -rf ~"), ".git/hooks/pre-commit")
    assert list(tmp_path.iterdir()) == []
