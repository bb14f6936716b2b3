"""One running workspace: its nouns by id, its clock and ids, and the roads events leave by.

Looks things up and refuses with Slack's names. Changes are made by `posting`, `reactions`,
`streams` and the methods; the first people and channels come from `fixture`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.playground.clock import Clock
from bot.playground.errors import Json, SlackError
from bot.playground.faults import Faults
from bot.playground.feed import Feed
from bot.playground.ids import Ids
from bot.playground.journal import Journal
from bot.playground.model import (
    AgentSession,
    App,
    Channel,
    Consent,
    Delivery,
    File,
    Grant,
    Kind,
    Message,
    ResponseUrl,
    Scheduled,
    Status,
    Team,
    Trigger,
    User,
    UserGroup,
    View,
)
from bot.playground.rates import Rates
from bot.playground.rules import Rules

PREFIX: dict[Kind, str] = {"public": "C", "private": "C", "im": "D", "mpim": "C"}


@dataclass(slots=True)
class Org:
    """The organisation the workspaces belong to, and the consents people gave in it.

    `refresh` is what each refresh token renews: app id and team ids; a used one is gone.
    """

    id: str
    name: str
    workspaces: dict[str, "Workspace"] = field(default_factory=dict[str, "Workspace"])
    consents: dict[str, Consent] = field(default_factory=dict[str, Consent])
    nonces: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    refresh: dict[str, tuple[str, list[str]]] = field(
        default_factory=dict[str, tuple[str, list[str]]]
    )

    def holding(self, is_there: Callable[["Workspace"], bool]) -> "Workspace":
        """Give the workspace where something is; the first one when it is nowhere."""
        found = (w for w in self.workspaces.values() if is_there(w))
        return next(found, next(iter(self.workspaces.values())))


@dataclass(slots=True)
class Workspace:
    """Everything there is; `base_url` is where the server answers, without a final slash.

    `send` is how a payload leaves for an app; `tickets` are the Socket Mode URLs not dialled yet.
    `modals` are the open stacks by user; `homes` are published per app and user.
    """

    base_url: str
    team: Team
    clock: Clock
    ids: Ids
    journal: Journal
    rules: Rules
    rates: Rates
    faults: Faults
    feed: Feed
    send: Callable[[Delivery], None]
    org: Org
    webhooks: dict[str, tuple[App, Channel]] = field(default_factory=dict[str, tuple[App, Channel]])
    teams: dict[str, Team] = field(default_factory=dict[str, Team])
    users: dict[str, User] = field(default_factory=dict[str, User])
    apps: dict[str, App] = field(default_factory=dict[str, App])
    channels: dict[str, Channel] = field(default_factory=dict[str, Channel])
    files: dict[str, File] = field(default_factory=dict[str, File])
    grants: dict[str, Grant] = field(default_factory=dict[str, Grant])
    tickets: dict[str, tuple[App, float]] = field(default_factory=dict[str, tuple[App, float]])
    statuses: dict[tuple[str, str], Status] = field(default_factory=dict[tuple[str, str], Status])
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict[str, ResponseUrl])
    usergroups: dict[str, UserGroup] = field(default_factory=dict[str, UserGroup])
    scheduled: dict[str, Scheduled] = field(default_factory=dict[str, Scheduled])
    action_tokens: dict[str, str] = field(default_factory=dict[str, str])
    triggers: dict[str, Trigger] = field(default_factory=dict[str, Trigger])
    modals: dict[str, list[View]] = field(default_factory=dict[str, list[View]])
    homes: dict[tuple[str, str], View] = field(default_factory=dict[tuple[str, str], View])
    sessions: dict[tuple[str, str], AgentSession] = field(
        default_factory=dict[tuple[str, str], AgentSession]
    )

    def user(self, user_id: str) -> User:
        user = self.users.get(user_id)
        if user is None:
            raise SlackError("user_not_found")
        return user

    def has_user(self, name: str) -> bool:
        """Say whether somebody here has this id or name."""
        try:
            return bool(self.user_named(name))
        except SlackError:
            return False

    def user_named(self, name: str) -> User:
        """Find a user by id or by name, with or without the @."""
        wanted = name.removeprefix("@")
        for user in self.users.values():
            if wanted in {user.id, user.name, user.real_name}:
                return user
        raise SlackError("user_not_found")

    def channel(self, channel_id: str) -> Channel:
        channel = self.channels.get(channel_id)
        if channel is None:
            raise SlackError("channel_not_found")
        return channel

    def channel_named(self, name: str) -> Channel:
        """Find a channel by id or by name, with or without the #."""
        if name in self.channels:
            return self.channels[name]
        wanted = name.removeprefix("#")
        for channel in self.channels.values():
            if channel.name == wanted and channel.kind in {"public", "private"}:
                return channel
        raise SlackError("channel_not_found")

    def seen_by(self, user_id: str, channel_id: str) -> Channel:
        """Give a channel that this user knows of; a private one does not exist for others."""
        channel = self.channel(channel_id)
        if channel.kind != "public" and user_id not in channel.members:
            raise SlackError("channel_not_found")
        return channel

    def entered_by(self, user_id: str, channel_id: str) -> Channel:
        """Give a channel that this user is a member of."""
        channel = self.seen_by(user_id, channel_id)
        if user_id not in channel.members:
            raise SlackError("not_in_channel")
        return channel

    def open_to(self, user_id: str, channel_id: str) -> Channel:
        """Give a channel that this user may write to."""
        channel = self.entered_by(user_id, channel_id)
        if channel.archived:
            raise SlackError("is_archived")
        return channel

    def add_channel(self, name: str, kind: Kind, creator: str, members: list[str]) -> Channel:
        channel = Channel(
            id=self.ids.named(PREFIX[kind], f"{kind} {name} {sorted(members)}"),
            name=name,
            kind=kind,
            creator=creator,
            created=int(self.clock.now()),
            members=dict.fromkeys(members),
        )
        self.channels[channel.id] = channel
        return channel

    def direct(self, members: list[str]) -> tuple[Channel, bool]:
        """Open the direct conversation of exactly these people; says whether it is new."""
        wanted = set(members)
        for channel in self.channels.values():
            if channel.kind in {"im", "mpim"} and set(channel.members) == wanted:
                return channel, False
        kind: Kind = "im" if len(wanted) == 2 else "mpim"  # noqa: PLR2004 - two people
        names = [self.user(member).name for member in members]
        name = "" if kind == "im" else f"mpdm-{'--'.join(names)}-1"
        return self.add_channel(name, kind, members[0], list(dict.fromkeys(members))), True

    def app_of(self, user_id: str) -> App | None:
        """Give the app whose bot user this is."""
        return self.apps.get(self.users[user_id].app_id) if user_id in self.users else None

    def message(self, channel: Channel, ts: str) -> Message:
        message = channel.messages.get(ts)
        if message is None:
            raise SlackError("message_not_found")
        return message


def scope_error(app: App, needed: str) -> SlackError:
    """Build Slack's `missing_scope`."""
    return SlackError("missing_scope", needed=needed, provided=",".join(app.scopes))


def viewers(workspace: Workspace, channel: Channel) -> frozenset[str]:
    """Say whose pages show this channel: its members, and for a public one all full members."""
    seen = set(channel.members)
    if channel.kind == "public":
        seen |= {user.id for user in workspace.users.values() if user.rank in {"admin", "member"}}
    return frozenset(seen)


def envelope_team(workspace: Workspace) -> Json:
    return {"id": workspace.team.id, "domain": workspace.team.domain}


def enterprise(workspace: Workspace, app: App) -> Json | None:
    """Name the organisation, for an app that is installed in all of it."""
    if not app.everywhere:
        return None
    return {"id": workspace.org.id, "name": workspace.org.name}
