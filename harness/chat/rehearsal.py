"""The rehearsal model: deterministic, without a network, and honest about what it is.

It follows a script (`script`) and never thinks. Which step of a rule it plays is the number of
answers since the person's newest words, so it holds no conversation of its own.
Neighbours: `rehearsal_server` (the same over the OpenAI wire), `openai_chat` (the real thing).
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from harness.chat.failures import refusal
from harness.chat.script import Rule, ScriptedCall, Step, demo_script, template
from harness.context import spoken
from harness.models import Delta, Message, ModelRequest, ToolCallDelta, Usage
from harness.tokens import request_tokens, text_tokens

NAME = "rehearsal"

_ANYTHING = re.compile(r"(?s).*")
_NO_RULE = Step(
    reply=(
        "I am the rehearsal model: I follow a script, I do not think, and my script has nothing "
        "for this. Set `OPENAI_API_KEY` and `DESKMATE_MODEL` to have a real model answer."
    )
)


@dataclass(frozen=True, slots=True)
class Cue:
    """The step to play, templates filled in; `number` counts the answers of the turn from 0."""

    step: Step
    number: int
    text: str

    def usage(self, request: ModelRequest) -> Usage:
        counted_in, counted_out = self.step.input_tokens, self.step.output_tokens
        return Usage(
            input_tokens=request_tokens(request) if counted_in is None else counted_in,
            output_tokens=text_tokens(self.step.reply) + 1 if counted_out is None else counted_out,
            cached_tokens=self.step.cached_tokens,
            model_calls=1,
        )


class Rehearsal:
    """A `ChatModel` that plays a script; without one, the demo's."""

    def __init__(self, rules: Sequence[Rule] | None = None) -> None:
        self._rules = demo_script() if rules is None else rules
        self._troubles: Counter[tuple[int, int]] = Counter()

    async def complete(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        cue = self.cue(request)
        if cue.step.fail is not None:
            fail = cue.step.fail
            raise refusal(fail.status, request.model, fail.retry_after, fail.message)
        async for delta in self.play(cue, request):
            yield delta

    def cue(self, request: ModelRequest) -> Cue:
        """Choose the step for a request; a failure that is used up is left out of it."""
        text, answers, result = _present(request.messages)
        for number, rule in enumerate(self._rules):
            match = rule.when.search(text)
            if match:
                position = min(answers, len(rule.steps) - 1)
                step = self._trouble_left(rule.steps[position], (number, position))
                return Cue(step.filled(template(match, result)), answers, text)
        return Cue(_NO_RULE, answers, text)

    async def play(self, cue: Cue, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Give the fragments of an answer, word by word.

        A cut one ends without a finish: in the middle of its words, or of its first call.
        """
        step = cue.step
        await asyncio.sleep(step.hang)
        words = re.findall(r"\s*\S+\s*", step.reply) or [step.reply]
        is_cut_here = step.cut and not step.calls
        for number, word in enumerate(words[: len(words) // 2] if is_cut_here else words):
            if number:
                await asyncio.sleep(step.pace / 1000)
            yield Delta(text=word)
        if step.cut:
            for call in step.calls[:1]:
                half = _raw(call)[: len(_raw(call)) // 2]
                yield Delta(tool_call=ToolCallDelta(0, call.id or "", call.tool, half))
            return
        for index, call in enumerate(step.calls):
            call_id = f"call_{cue.number}_{index}" if call.id is None else call.id
            yield Delta(tool_call=ToolCallDelta(index, call_id, call.tool, _raw(call)))
        finish = step.finish or ("tool_calls" if step.calls else "stop")
        yield Delta(finish=finish, usage=cue.usage(request))

    def _trouble_left(self, step: Step, place: tuple[int, int]) -> Step:
        if step.times is None:
            return step
        self._troubles[place] += 1
        if self._troubles[place] <= step.times:
            return step
        return step.model_copy(update={"fail": None, "cut": False, "hang": 0.0})


def _raw(call: ScriptedCall) -> str:
    raw = call.arguments
    return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)


def _present(messages: Sequence[Message]) -> tuple[str, int, str]:
    """Give the person's newest words, how many answers came since, and the latest result."""
    answers, result = 0, ""
    for message in reversed(messages):
        if message.role == "user":
            return spoken(message.content), answers, result
        answers += message.role == "assistant"
        if message.role == "tool" and not result:
            result = _readable(message.content)
    return "", answers, result


def _readable(content: str) -> str:
    """Give what a tool result says, without its JSON where that is plain."""
    try:
        outcome: Any = json.loads(content)
    except ValueError:
        return content
    if not isinstance(outcome, dict):
        return content
    members = cast("dict[str, Any]", outcome)
    shown: Any = members.get("message") or members.get("output")
    if isinstance(shown, dict) and "text" in shown:
        shown = cast("dict[str, Any]", shown)["text"]
    return shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
