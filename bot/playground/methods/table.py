"""What an entry of the method table says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bot.playground.errors import Json
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

Run = Callable[[Workspace, Call], Json]


@dataclass(frozen=True, slots=True)
class Method:
    """One Web API method; any one of `scopes` is enough, `also` names a second, narrower bucket.

    `json=False`: Slack reads this method's arguments from query or form only, not from JSON.
    `caller`: the kind of token it takes; None means none is needed.
    """

    name: str
    run: Run
    scopes: tuple[str, ...] = ()
    tier: str = "3"
    json: bool = True
    caller: Literal["bot", "app", "user"] | None = "bot"
    also: tuple[str, str, str] | None = None
