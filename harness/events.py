"""What a running turn emits: frozen events, in order, from `Agent.run`.

Whoever iterates is the surface (Slack reply, tests). The last event is always `TurnFinished`.
"""

from dataclasses import dataclass

from harness.models import Message, Outcome, ToolResult, Usage


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model call begins; steps count from 1."""

    step: int


@dataclass(frozen=True, slots=True)
class TextStarted:
    """The model begins (or, after a cut stream, begins again) the text of a step.

    Text streamed for this step before is void.
    """

    step: int


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """More text of the current step, raw as the model wrote it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool runs now; `label` says what it does in words ("reading `src/app.py`")."""

    call_id: str
    tool: str
    label: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool has returned."""

    call_id: str
    tool: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The turn is over. `messages` are the turn's own, to be appended to the session's history.

    `text` is all that the model said to the person in this turn, in full: the texts of its steps,
    joined by an empty line. `note`, not in `text`, is one plain sentence for the person where the
    turn ended before the model was done; the surface may put it in its own words by `outcome`.
    """

    outcome: Outcome
    text: str
    messages: tuple[Message, ...]
    usage: Usage
    steps: int
    note: str = ""


Event = StepStarted | TextStarted | TextStreamed | ToolStarted | ToolFinished | TurnFinished
