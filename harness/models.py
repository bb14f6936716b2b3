"""The nouns every package shares: who said what where, and what a model and a tool say.

All are frozen pydantic models: validation and JSON in one. What is stored carries `v`, so that a
later reader can tell an older shape. Nothing here does any work; neighbours: `events` (what a
running turn emits), `ports` (the edges), `errors`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

from pydantic import BaseModel, ConfigDict, Field

TeamId = NewType("TeamId", str)
ChannelId = NewType("ChannelId", str)
UserId = NewType("UserId", str)
ProjectId = NewType("ProjectId", str)
TurnId = NewType("TurnId", str)

FROZEN = ConfigDict(frozen=True, extra="ignore")

ChannelKind = Literal["public", "private", "im", "mpim"]
Role = Literal["user", "assistant", "tool"]
Effect = Literal[
    "read",
    "read_as_asker",
    "fetch",
    "plan",
    "memory",
    "ask",
    "write",
    "run",
    "external_write",
]
ErrorType = Literal[
    "invalid_args",
    "not_found",
    "permission",
    "too_large",
    "plan_not_confirmed",
    "needs_approval",
    "denied",
    "timeout",
    "rate_limited",
    "upstream",
    "repeat_blocked",
    "interrupted",
    "unknown_outcome",
    "internal",
]
Outcome = Literal["answered", "stopped", "limit", "no_answer", "needs_human"]


class SessionKey(BaseModel):
    """Where a session lives: one Slack thread. `thread` is the ts of the thread's root message."""

    model_config = FROZEN
    team: TeamId
    channel: ChannelId
    thread: str

    @property
    def id(self) -> str:
        return f"{self.team}:{self.channel}:{self.thread}"


class FileRef(BaseModel):
    """A file that came with a message, by reference; `size` in bytes."""

    model_config = FROZEN
    id: str
    name: str
    mimetype: str = ""
    size: int = 0
    url: str = ""


class Incoming(BaseModel):
    """Anything a person did that starts a turn; for a message, `id` is its ts."""

    model_config = FROZEN
    v: Literal[1] = 1
    id: str
    kind: Literal["message"] = "message"
    session: SessionKey
    project: ProjectId
    channel_kind: ChannelKind = "public"
    user: UserId
    user_team: TeamId | None = None
    text: str
    files: tuple[FileRef, ...] = ()
    mentioned: bool = False
    received_at: float


class Aside(BaseModel):
    """Something said in the thread that was not for us; told to the model with the next turn."""

    model_config = FROZEN
    v: Literal[1] = 1
    ts: str
    user: UserId
    text: str


class Project(BaseModel):
    """A durable unit of work: a channel, or the private project of a direct message."""

    model_config = FROZEN
    v: Literal[1] = 1
    team: TeamId
    id: ProjectId
    kind: ChannelKind
    name: str
    folder: Path
    model: str


class ToolCall(BaseModel):
    """One call as the model asked for it; `arguments` is the raw text, not yet trusted."""

    model_config = FROZEN
    id: str
    name: str
    arguments: str


class Usage(BaseModel):
    """What was spent: tokens as the endpoint counted them; `estimated` where it did not."""

    model_config = FROZEN
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model_calls: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            model_calls=self.model_calls + other.model_calls,
            estimated=self.estimated or other.estimated,
        )


class Compaction(BaseModel):
    """What is no longer sent of a session, counted in stored messages from its beginning.

    A summary stands for the first `covers` messages; of the first `clears` the long tool results
    are left out.
    """

    model_config = FROZEN
    covers: int = 0
    clears: int = 0


class Message(BaseModel):
    """One message of a session's history, exactly as it goes over the wire.

    `reasoning` is the thinking that some endpoints want back with an answer, and nobody is shown.
    What follows it is not sent. `taint` names where text came from that is neither the project's
    own nor a member's word: "guest", "upload", "web", "mcp:jira". `usage` is what the call that
    gave an answer cost. A message with a `compaction` is not said by anybody: its content is the
    summary that stands for what went before.
    """

    model_config = FROZEN
    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str = ""
    taint: tuple[str, ...] = ()
    usage: Usage | None = None
    compaction: Compaction | None = None


class ToolResult(BaseModel):
    """What a tool gives back: one shape for success and failure (harness-facts, section 7)."""

    model_config = FROZEN
    status: Literal["ok", "error"]
    output: Any = None
    error_type: ErrorType | None = None
    message: str = ""
    suggestion: str = ""
    retryable: bool = False
    retry_after_s: float | None = None


class Session(BaseModel):
    """A thread as the agent sees it: its key and everything said in earlier turns."""

    model_config = FROZEN
    key: SessionKey
    history: tuple[Message, ...] = ()
    turns: int = 0


class ToolSchema(BaseModel):
    """A tool as the model sees it; `parameters` is a JSON schema of an object."""

    model_config = FROZEN
    name: str
    description: str
    parameters: dict[str, Any]


class ModelRequest(BaseModel):
    """One model call. `tail` is volatile: sent last, never stored.

    `max_tokens` bounds the visible text. It and `temperature` are left out where an endpoint
    refuses them.
    """

    model_config = FROZEN
    model: str
    system: str
    tools: tuple[ToolSchema, ...] = ()
    messages: tuple[Message, ...]
    tail: str = ""
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A fragment of a tool call; fragments with one `index` belong together."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """A fragment of a model's answer. A stream is whole only once a `finish` has come."""

    text: str = ""
    reasoning: str = ""
    tool_call: ToolCallDelta | None = None
    usage: Usage | None = None
    finish: str = ""


class Opened(BaseModel):
    """Journal: the turn began with this user message, as sent."""

    model_config = FROZEN
    kind: Literal["opened"] = "opened"
    message: Message


class Answered(BaseModel):
    """Journal: the model answered a step, in words, tool calls or both; `finish` as it ended."""

    model_config = FROZEN
    kind: Literal["answered"] = "answered"
    message: Message
    usage: Usage = Usage()
    finish: str = ""


class Claimed(BaseModel):
    """Journal: this call is about to have its effect; without `Returned` the outcome is unknown."""

    model_config = FROZEN
    kind: Literal["claimed"] = "claimed"
    call_id: str


class Returned(BaseModel):
    """Journal: the result of a call, as the model will read it."""

    model_config = FROZEN
    kind: Literal["returned"] = "returned"
    message: Message


class Compacted(BaseModel):
    """Journal: from here on less of the session is sent; `usage` is what the summary cost."""

    model_config = FROZEN
    kind: Literal["compacted"] = "compacted"
    message: Message
    usage: Usage = Usage()


JournalEntry = Annotated[
    Opened | Answered | Claimed | Returned | Compacted, Field(discriminator="kind")
]
