"""From a channel to its project: the stored record, with what the operator's settings fix.

A project's folder is made when it is first used, readable by us alone.
"""

import asyncio

from bot.settings import Settings
from harness.errors import StoreUnavailable
from harness.models import Project, ProjectId
from storage.lease import Lease
from storage.projects import ProjectStore


class Projects:
    """Projects by id; settings are fixed while the process lives, so each is looked up once."""

    def __init__(self, settings: Settings, store: ProjectStore) -> None:
        self._settings = settings
        self._store = store
        self._known: dict[ProjectId, Project] = {}

    async def of(self, lease: Lease) -> Project:
        """Return the project a turn belongs to. Raises `StoreUnavailable` without a folder."""
        known = self._known.get(lease.project)
        if known is not None:
            return known
        fixed = self._settings.project(lease.project)
        folder = self._settings.deskmate_home / "projects" / lease.session.team / lease.project
        fresh = Project(
            team=lease.session.team,
            id=lease.project,
            kind=lease.incoming.channel_kind,
            name=fixed.name or lease.project,
            folder=(fixed.folder or folder).expanduser().absolute(),
            model=fixed.model or self._settings.deskmate_model,
        )
        stored = await self._store.get_or_create(fresh)
        project = stored.model_copy(
            update={"name": fresh.name, "folder": fresh.folder, "model": fresh.model}
        )
        try:
            await asyncio.to_thread(project.folder.mkdir, 0o700, parents=True, exist_ok=True)
        except OSError as err:
            raise StoreUnavailable(f"I can't make {project.folder}: {err.strerror}.") from err
        self._known[lease.project] = project
        return project
