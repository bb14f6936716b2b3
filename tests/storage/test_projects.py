"""The records of projects."""

from pathlib import Path

from harness.models import Project, ProjectId, TeamId
from storage.client import Store
from storage.projects import ProjectStore


def a_project(name: str) -> Project:
    return Project(
        team=TeamId("T1"),
        id=ProjectId("C1"),
        kind="public",
        name=name,
        folder=Path("/srv/projects/T1/C1"),
        model="m",
    )


async def test_first_use_makes_a_project(store: Store):
    """The first to use a channel makes its project; it is kept and everyone after gets it."""
    projects = ProjectStore(store)
    assert await projects.get(TeamId("T1"), ProjectId("C1")) is None
    assert await projects.get_or_create(a_project("first")) == a_project("first")
    assert await projects.get_or_create(a_project("second")) == a_project("first")
    assert await projects.get(TeamId("T1"), ProjectId("C1")) == a_project("first")


async def test_teams_do_not_share_projects(store: Store):
    """The same channel id in another team is another project."""
    projects = ProjectStore(store)
    await projects.get_or_create(a_project("first"))
    assert await projects.get(TeamId("T2"), ProjectId("C1")) is None
