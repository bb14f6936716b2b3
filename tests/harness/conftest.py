"""A project with a folder, and the scope of a tool call in it."""

from pathlib import Path

import pytest

from harness.models import Project, ProjectId, UserId
from harness.tools import Scope
from tests.harness.support import KEY


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(
        team=KEY.team,
        id=ProjectId("C1"),
        kind="public",
        name="api",
        folder=tmp_path / "project",
        model="rehearsal",
    )


@pytest.fixture
def scope(project: Project) -> Scope:
    return Scope(project, KEY, UserId("U_ANN"))
