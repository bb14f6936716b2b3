"""How one tool call of a turn goes: checked, guarded, claimed, run, recorded.

Nothing happens before the arguments are valid and no rule speaks against it; what changes
something is claimed first, so that a crash never repeats it. Neighbours: `guards` (the rules),
`tools` (what is run), `journal` (the record), `loop` (who calls).
"""

from collections.abc import AsyncGenerator, Iterator

from harness.budget import Budget
from harness.errors import TurnStopped
from harness.events import Event, ToolFinished, ToolStarted
from harness.guards.effects import changes, policy
from harness.guards.repeat import Attempt, Repeats
from harness.guards.taint import taint_of
from harness.journal import TurnRecord, result_message
from harness.models import Claimed, ErrorType, Message, Returned, ToolCall, ToolResult
from harness.tools import Scope, Toolset
from harness.tools.results import UNKNOWN_OUTCOME

_MOST_CALLS = 32


class Calls:
    """The calls of one turn, those of earlier attempts included."""

    def __init__(
        self,
        tools: Toolset,
        scope: Scope,
        taint: frozenset[str],
        record: TurnRecord,
        budget: Budget,
    ) -> None:
        """Take up the turn's record; `taint` is what the session had before this turn."""
        self._tools = tools
        self._scope = scope
        self._taint = taint
        self._record = record
        self._budget = budget
        self._repeats = Repeats()
        for step, call, given in _answered(record.messages):
            self._repeats.note(self._attempt(call, step), given)

    def check(self) -> None:
        """Raise `TurnStopped` if the turn goes round in circles."""
        if self._repeats.is_stuck:
            raise TurnStopped(
                "needs_human",
                f"I am stuck: the same calls get me no further. Tried: {self._repeats.tried()}. "
                "Tell me what to do differently, and I go on.",
            )

    async def run(self, call: ToolCall) -> AsyncGenerator[Event]:
        """Take a call to its result, whatever it is. Raises `TurnStopped`, `LeaseLost`."""
        yield ToolStarted(call.id, call.name, self._tools.label(call))
        attempt = self._attempt(call, self._record.steps)
        taint: tuple[str, ...] = ()
        given = self._refusal(call, attempt)
        if given is None:
            taint = self._tools.taint(call.name)
            result = await self._effect(call)
            given = self._repeats.objection(attempt, result) or result
        await self._record.add(Returned(message=result_message(call, given, taint)))
        self._repeats.note(attempt, given)
        yield ToolFinished(call.id, call.name, given)

    def _refusal(self, call: ToolCall, attempt: Attempt) -> ToolResult | None:
        """Say why a call is not run, if so. Valid arguments come before any question to people."""
        if self._record.is_claimed(call):
            return UNKNOWN_OUTCOME
        if self._record.place_of(call) >= _MOST_CALLS:
            return _refused(
                "too_large",
                f"An answer may have {_MOST_CALLS} calls; this one was not run.",
                "Read the results you have, then ask for what is still needed.",
            )
        return self._repeats.refusal(attempt) or self._tools.problem(call) or self._gated(attempt)

    def _gated(self, attempt: Attempt) -> ToolResult | None:
        taint = self._taint | taint_of(self._record.messages)
        decided = policy(attempt.effect, tainted=bool(taint))
        if decided == "allow":
            return None
        if decided == "deny":
            return _refused("denied", "Nobody may have me do this.", "Find another way, or say so.")
        why = f"; this thread holds text from outside ({', '.join(sorted(taint))})" if taint else ""
        return _refused(
            "needs_approval",
            f"A person has to agree to this first, and nobody has{why}.",
            "Say exactly what you would do and leave it to the person.",
        )

    async def _effect(self, call: ToolCall) -> ToolResult:
        if changes(self._tools.effect(call.name)):
            await self._record.add(Claimed(call_id=call.id))
        try:
            async with self._budget.deadline():
                return await self._tools.call(call.name, call.arguments, self._scope)
        except TimeoutError:
            raise self._budget.out_of_time() from None

    def _attempt(self, call: ToolCall, step: int) -> Attempt:
        return Attempt(
            fingerprint=self._tools.fingerprint(call),
            effect=self._tools.effect(call.name),
            label=self._tools.label(call),
            step=step,
        )


def _refused(error_type: ErrorType, message: str, suggestion: str) -> ToolResult:
    return ToolResult(status="error", error_type=error_type, message=message, suggestion=suggestion)


def _answered(messages: list[Message]) -> Iterator[tuple[int, ToolCall, ToolResult]]:
    """Give the calls that have a result, with the step they belong to."""
    step = 0
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if message.role == "assistant":
            step += 1
            calls = {call.id: call for call in message.tool_calls}
        elif message.role == "tool":
            given = ToolResult.model_validate_json(message.content)
            yield step, calls[message.tool_call_id], given
