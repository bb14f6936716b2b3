"""Who and what is there at the start: the workspace under test, and a second one beside it.

`SCOPES` and `EVENTS` are what the app's manifest asks for; a test compares them.
"""

import secrets

from bot.playground.model import App, Grant, Rank, Team, User, UserGroup
from bot.playground.workspace import Workspace

_SCOPES = (
    "app_mentions:read channels:history groups:history im:history mpim:history chat:write "
    "channels:read groups:read im:read mpim:read im:write reactions:read reactions:write "
    "files:read files:write users:read commands assistant:write canvases:read canvases:write "
    "usergroups:read team:read emoji:read channels:join"
)
_EVENTS = (
    "app_mention message.channels message.groups message.im message.mpim reaction_added "
    "reaction_removed app_home_opened app_context_changed agent_session_stopped "
    "agent_session_title_changed file_shared member_joined_channel app_uninstalled "
    "tokens_revoked"
)
SCOPES = tuple(_SCOPES.split())
EVENTS = tuple(_EVENTS.split())

_PEOPLE: tuple[tuple[str, str, Rank, str], ...] = (
    ("ann", "Ann Arbor", "admin", "e0a729"),
    ("ben", "Ben Okafor", "member", "3c989f"),
    ("chris", "Chris Sato", "member", "9f69e7"),
    ("gil", "Gil Moreau", "guest", "e7392d"),
)
_NEIGHBOURS: tuple[tuple[str, str, Rank], ...] = (
    ("dora", "Dora Lind", "admin"),
    ("eli", "Eli Novak", "member"),
)
_PUBLIC = ("general", "api", "web")


def furnish(workspace: Workspace) -> App:
    """Put the first people, apps and channels in; returns the app under test."""
    ids = workspace.ids
    other = Team(ids.make("T"), "Partner Inc", "partner")
    workspace.teams |= {workspace.team.id: workspace.team, other.id: other}
    for name, real_name, rank, color in _PEOPLE:
        _add_user(
            workspace, User(ids.make("U"), name, real_name, workspace.team.id, rank, color=color)
        )
    _add_user(workspace, User(ids.make("U"), "sam", "Sam Lee", other.id, "stranger"))
    app = add_app(workspace, "Deskmate", EVENTS)
    app.commands["/deskmate"] = "Ask Deskmate for help"
    robo = add_app(workspace, "Robo", ())
    _add_channels(workspace, app, robo)
    return app


def furnish_second(workspace: Workspace) -> None:
    """Put people and channels into the second workspace; no app is installed there."""
    workspace.teams[workspace.team.id] = workspace.team
    for name, real_name, rank in _NEIGHBOURS:
        user = User(workspace.ids.named("U", name), name, real_name, workspace.team.id, rank)
        _add_user(workspace, user)
    everyone = list(workspace.users)
    for name in ("general", "harbour"):
        workspace.add_channel(name, "public", everyone[0], everyone)


def add_app(workspace: Workspace, name: str, events: tuple[str, ...]) -> App:
    """Install an app with its own bot user and its own tokens."""
    ids = workspace.ids
    app_id = ids.make("A")
    user = User(ids.make("U"), name.lower(), name, workspace.team.id, "bot")
    user.bot_id, user.app_id = ids.make("B"), app_id
    app = App(
        id=app_id,
        name=name,
        user=user,
        bot_token=f"xoxb-{secrets.token_hex(16)}",
        app_token=f"xapp-1-{app_id}-{secrets.token_hex(16)}",
        scopes=list(SCOPES),
        events=list(events),
        client_id=f"{ids.number(name)}.{ids.number(app_id)}",
        client_secret=secrets.token_hex(16),
        signing_secret=secrets.token_hex(16),
    )
    workspace.apps[app.id] = app
    workspace.users[user.id] = user
    workspace.grants[app.bot_token] = Grant(app, "bot")
    workspace.grants[app.app_token] = Grant(app, "app")
    return app


def _add_user(workspace: Workspace, user: User) -> None:
    user.email = f"{user.name}@{workspace.teams[user.team].domain}.example"
    workspace.users[user.id] = user


def _add_channels(workspace: Workspace, app: App, robo: App) -> None:
    names = ("ann", "ben", "chris", "gil", "sam")
    ann, ben, chris, gil, sam = (workspace.user_named(name).id for name in names)
    bot = app.user.id
    for name in _PUBLIC:
        workspace.add_channel(name, "public", ann, [ann, ben, chris, robo.user.id, bot])
    workspace.channel_named("api").members[gil] = None
    workspace.add_channel("random", "public", ann, [ann, ben, chris, robo.user.id])
    workspace.add_channel("secret", "private", ann, [ann, ben])
    for handle, members in (("deployers", [ann, ben]), ("everyone-on-api", [ann, ben, chris])):
        group = UserGroup(workspace.ids.named("S", handle), handle, handle.title(), members)
        workspace.usergroups[group.id] = group
    shared = workspace.add_channel("partners", "public", ann, [ann, ben, sam, bot])
    shared.ext_shared = True
