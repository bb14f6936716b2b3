"""The nouns of a workspace: teams, users, apps, channels, messages, files. No behaviour.

How they look on the wire is `shapes`; what happens to them is `posting`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, cast

from bot.playground.clock import Timer
from bot.playground.errors import Json

Kind = Literal["public", "private", "im", "mpim"]
Filled = dict[tuple[str, str], Json]  # by block_id and action_id: what a person put in there
Rank = Literal["admin", "member", "guest", "single_channel_guest", "stranger", "bot"]


@dataclass(slots=True)
class Team:
    """A workspace."""

    id: str
    name: str
    domain: str


@dataclass(slots=True)
class User:
    """A person or a bot; `rank` is what Slack's flags say about their rights."""

    id: str
    name: str
    real_name: str
    team: str
    rank: Rank = "member"
    bot_id: str = ""
    app_id: str = ""
    email: str = ""
    color: str = "4bbe2e"
    deleted: bool = False
    tz: str = "Europe/Berlin"
    locale: str = "en-US"


@dataclass(frozen=True, slots=True)
class Shortcut:
    """An entry of Slack's menus: global, or on a message."""

    kind: Literal["global", "message"]
    callback_id: str
    title: str


@dataclass(slots=True)
class Endpoint:
    """Where an app takes its payloads over HTTP; `switched_off` after too many failures."""

    events: str
    interactivity: str
    commands: str
    switched_off: bool = False


@dataclass(slots=True)
class App:
    """An app in one workspace: its bot user, its tokens, what it may and what it hears.

    `everywhere`: installed for a whole organisation; `rotates`: its tokens expire.
    """

    id: str
    name: str
    user: User
    bot_token: str
    app_token: str
    scopes: list[str]
    events: list[str]
    commands: dict[str, str] = field(default_factory=dict[str, str])
    shortcuts: list[Shortcut] = field(default_factory=list[Shortcut])
    interactive: bool = True
    home_tab: bool = True
    client_id: str = ""
    client_secret: str = ""
    rotates: bool = False
    installed: bool = True
    everywhere: bool = False
    signing_secret: str = ""
    endpoint: Endpoint | None = None
    socket_mode: bool = True


@dataclass(slots=True)
class Grant:
    """What a token stands for; `error` is what Slack answers once it is no longer good.

    `until` is when it expires on the workspace's clock; None: never.
    """

    app: App
    kind: Literal["bot", "app"]
    error: str = ""
    until: float | None = None


@dataclass(slots=True)
class Consent:
    """What a person allowed an app in some workspaces; `code` redeems it once."""

    code: str
    app_id: str
    user: str
    teams: list[str]
    scopes: list[str]
    redirect_uri: str
    until: float
    everywhere: bool = False
    webhook: str = ""
    used: bool = False


@dataclass(slots=True)
class File:
    """An uploaded file with its bytes; `shared` once it is in a message."""

    id: str
    name: str
    title: str
    mimetype: str
    user: str
    created: float
    url: str
    length: int
    content: bytes = b""
    arrived: bool = False
    completed: bool = False
    shared: bool = False
    channels: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Stream:
    """A message that is being streamed: whose it is, and when Slack ends it."""

    app_id: str
    recipient: str
    state: Literal["open", "stopped", "stopped_by_user", "expired"] = "open"
    wall: Timer | None = None


@dataclass(slots=True)
class Message:
    """One message; `thread_ts` is the root's ts and is set on a root only once it has replies."""

    ts: str
    user: str
    text: str
    team: str
    thread_ts: str = ""
    subtype: str = ""
    client_msg_id: str = ""
    bot_id: str = ""
    app_id: str = ""
    username: str = ""
    bot_profile: Json | None = None
    blocks: list[Json] = field(default_factory=list[Json])
    attachments: list[Json] = field(default_factory=list[Json])
    files: list[File] = field(default_factory=list[File])
    reactions: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    metadata: Json | None = None
    edited: Json | None = None
    stream: Stream | None = None
    ephemeral_for: str = ""
    hidden: bool = False
    filled: dict[str, Filled] = field(default_factory=dict[str, Filled])

    @property
    def is_reply(self) -> bool:
        return bool(self.thread_ts) and self.thread_ts != self.ts

    @property
    def is_streaming(self) -> bool:
        return self.stream is not None and self.stream.state == "open"


@dataclass(slots=True)
class Channel:
    """A conversation of any kind; `threads` lists the replies of each root, oldest first.

    `pins` are by ts; `read` is how far each user has read.
    """

    id: str
    name: str
    kind: Kind
    creator: str
    created: int
    members: dict[str, None]
    archived: bool = False
    ext_shared: bool = False
    topic: str = ""
    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    threads: dict[str, list[Message]] = field(default_factory=dict[str, list[Message]])
    ephemerals: dict[str, Message] = field(default_factory=dict[str, Message])
    pins: dict[str, Json] = field(default_factory=dict[str, Json])
    read: dict[str, str] = field(default_factory=dict[str, str])
    last_micros: int = 0

    def next_ts(self, now: float) -> str:
        """Take the next timestamp: unique and rising within this channel."""
        self.last_micros = max(int(now * 1_000_000), self.last_micros + 1)
        return f"{self.last_micros // 1_000_000}.{self.last_micros % 1_000_000:06d}"

    def replies(self, root: str) -> list[Message]:
        return self.threads.get(root, [])


@dataclass(slots=True)
class UserGroup:
    """A group people mention at once, such as `@deployers`."""

    id: str
    handle: str
    name: str
    users: list[str]


@dataclass(slots=True)
class Scheduled:
    """A message that waits for its time; the timer posts it."""

    app_id: str
    channel: str
    message: Message
    post_at: int
    timer: Timer


@dataclass(slots=True)
class Status:
    """What an app says it is doing in a thread; gone after a while or with its next message."""

    user: str
    text: str
    loading: list[str]
    timer: Timer | None = None


@dataclass(slots=True)
class AgentSession:
    """The state of an app's work in a thread, as Slack shows it beside the Stop button."""

    app_id: str
    status: str
    title: str = ""


@dataclass(slots=True)
class Trigger:
    """The right to open one modal; `view` is the modal it was pressed in, if any."""

    app_id: str
    user: str
    until: float
    view: str = ""
    used: bool = False


@dataclass(slots=True)
class View:
    """A modal or a Home as one person has it; `shape` is what the app made of it."""

    id: str
    app: App
    user: str
    team: str
    shape: Json
    hash: str
    root: str
    previous: str = ""
    filled: Filled = field(default_factory=dict[tuple[str, str], Json])

    @property
    def kind(self) -> str:
        return str(self.shape["type"])

    @property
    def blocks(self) -> list[Json]:
        return cast("list[Json]", self.shape["blocks"])


@dataclass(slots=True)
class ResponseUrl:
    """An address by which an app answers; `source` is the pressed message, if there is one."""

    app: App
    channel: Channel
    user: User
    source: Message | None
    until: float
    uses: int


@dataclass(slots=True, eq=False)
class Delivery:
    """One payload for one app; `label` is the event type, the command or the action.

    `answered` gets what came with the acknowledgement; with `failed` it is never sent again.
    """

    app: App
    kind: Literal["events_api", "slash_commands", "interactive"]
    label: str
    payload: Json
    answered: Callable[[Json | None], None] | None = None
    failed: Callable[[], None] | None = None
    attempt: int = 0
    reason: str = ""
    settled: bool = False
