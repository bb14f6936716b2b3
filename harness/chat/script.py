r"""What the rehearsal model follows: rules of a person's words and the steps of the answer.

    - when: '(?i)write (\S+\.py)'            a regular expression on the newest user text
      steps:                                 one per model call of the turn, the last one repeats
        - reply: "I write `{1}`."            {1}: a group of `when`, {text}: the words, {result}:
          calls: [{tool: file_write, arguments: {path: "{1}", content: "..."}}]   the latest result
        - reply: "Done."

Neighbour: `rehearsal`, which plays it.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

_STRICT = ConfigDict(frozen=True, extra="forbid")
_TEMPLATE = re.compile(r"\{(\d|text|result)\}")


class ScriptedCall(BaseModel):
    """A tool call; `arguments` an object, or raw text to send as it is."""

    model_config = _STRICT
    tool: str
    arguments: dict[str, Any] | str = {}
    id: str | None = None


class Failure(BaseModel):
    """An HTTP error instead of an answer; `retry_after` in seconds, `message` what it says."""

    model_config = _STRICT
    status: int = Field(ge=400, le=599)
    retry_after: float | None = None
    message: str = "This error is in the script."


class Step(BaseModel):
    """One model call. `hang` seconds pass before it, `pace` milliseconds per word of it.

    `fail` and `cut` (it breaks off before its end) happen on the first `times` calls only, if set.
    """

    model_config = _STRICT
    reply: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    fail: Failure | None = None
    cut: bool = False
    times: int | None = None
    hang: float = 0.0
    pace: float = 0.0
    finish: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0

    def filled(self, fill: Callable[[str], str]) -> "Step":
        """Give the step with its templates filled in."""
        calls = tuple(
            call.model_copy(update={"arguments": _filled(call.arguments, fill)})
            for call in self.calls
        )
        return self.model_copy(update={"reply": fill(self.reply), "calls": calls})


class Rule(BaseModel):
    """What to do when a person says something."""

    model_config = _STRICT
    when: re.Pattern[str]
    steps: tuple[Step, ...] = Field(min_length=1)


_RULES = TypeAdapter(tuple[Rule, ...])


def load_script(source: Path | str) -> tuple[Rule, ...]:
    """Read a script from a file, or from YAML text; raises ValueError naming what is wrong."""
    import yaml  # noqa: PLC0415 - only rehearsals need it

    text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
    return _RULES.validate_python(yaml.safe_load(text) or ())


@cache
def demo_script() -> tuple[Rule, ...]:
    return load_script(Path(__file__).parent / "scripts" / "demo.yaml")


def template(match: re.Match[str], result: str) -> Callable[[str], str]:
    """Give the function that fills in a text's templates."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name == "text":
            return match.string
        if name == "result":
            return result
        return (match[int(name)] or "") if int(name) <= match.re.groups else found[0]

    return lambda text: _TEMPLATE.sub(value, text)


def _filled(value: object, fill: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {name: _filled(member, fill) for name, member in members.items()}
    if isinstance(value, list):
        return [_filled(member, fill) for member in cast("list[object]", value)]
    return value
