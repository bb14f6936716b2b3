"""The records of projects: made when a channel or a direct message is first used, then kept."""

from harness.models import Project, ProjectId, TeamId
from storage import keys
from storage.client import Store


class ProjectStore:
    """Projects by team and id."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, team: TeamId, project: ProjectId) -> Project | None:
        """Return a project, or None if nobody has used it yet."""
        stored = await self._store.run_command("GET", keys.project(team, project))
        return Project.model_validate_json(stored) if stored else None

    async def get_or_create(self, fresh: Project) -> Project:
        """Return the stored project of that team and id, which is `fresh` if there was none."""
        key = keys.project(fresh.team, fresh.id)
        stored = await self._store.redis.set(key, fresh.model_dump_json(), nx=True, get=True)
        return Project.model_validate_json(str(stored)) if stored else fresh
