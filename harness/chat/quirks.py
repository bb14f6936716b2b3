"""How endpoints and models differ behind one wire format: flags, and how they are found out.

`known` gives the flags for an endpoint and a model that are known to differ; an endpoint nobody
knows is sent nothing unusual. `learned` reads from a refusal which flag would have avoided it.
Flags are per endpoint and model. Neighbours: `wire` (writes requests by them), `openai_chat`
(remembers them), `failures` (refusals that no flag can avoid).
"""

import re
from typing import Literal

from pydantic import BaseModel

from harness.models import FROZEN

_REFUSED = frozenset({400, 422})
_REASONING_MODELS = re.compile(r"(^|/)(o\d|gpt-[5-9])")
_MISTRAL_MODELS = re.compile(r"mi[sx]tral|devstral|codestral|magistral")
_NO_STREAM = re.compile(r"\btools?\b.*\bstream(ing)?\b|\bstream(ing)?\b.*\btools?\b")
_WRONG_ORDER = re.compile(r"unexpected role|roles? must alternate|after role 'tool'")


class Quirks(BaseModel):
    """The flags of one model at one endpoint; the defaults suit whoever follows the standard.

    tail               where the volatile note goes: a last user message, or behind the last message
    asks_usage         ask for token counts in a stream (`stream_options`)
    stream_tools       stream answers while tools are offered
    echo_reasoning     send back the thinking that came with an answer (`reasoning_content`)
    short_call_ids     tool call ids have exactly nine letters and digits
    temperature        send a temperature where one is asked for
    max_tokens         the field that bounds an answer, if any
    """

    model_config = FROZEN
    tail: Literal["user", "behind"] = "user"
    asks_usage: bool = True
    stream_tools: bool = True
    echo_reasoning: bool = False
    short_call_ids: bool = False
    temperature: bool = True
    max_tokens: Literal["max_tokens", "max_completion_tokens", "none"] = "max_tokens"


def known(base_url: str, model: str) -> Quirks:
    """Give the flags that are known for an endpoint and a model before the first call."""
    name = model.lower()
    if "//api.openai.com" in base_url:
        thinks = _REASONING_MODELS.search(name) is not None
        return Quirks(max_tokens="max_completion_tokens", temperature=not thinks)
    if "//api.deepseek.com" in base_url or "//api.moonshot." in base_url:
        return Quirks(echo_reasoning=True)
    if _MISTRAL_MODELS.search(name):
        # Its own endpoint counts tokens unasked and refuses every field it does not know.
        is_its_own = "//api.mistral.ai" in base_url
        return Quirks(tail="behind", short_call_ids=True, asks_usage=not is_its_own)
    return Quirks()


def learned(quirks: Quirks, status: int, body: str) -> Quirks | None:
    """Read the flags to try next from a refusal; None if it names nothing that a flag avoids.

    Every change leads away from the default or off, so a chain of refusals has an end.
    """
    if status not in _REFUSED:
        return None
    text = body.lower()
    changed = _learned_field(quirks, text) or _learned_shape(quirks, text)
    return quirks.model_copy(update=changed) if changed else None


def _learned_field(quirks: Quirks, text: str) -> dict[str, object]:
    """Find the field of a request that an endpoint does not take."""
    if quirks.asks_usage and "stream_options" in text:
        return {"asks_usage": False}
    if quirks.max_tokens == "max_tokens" and "max_tokens" in text:
        return {"max_tokens": "max_completion_tokens"}
    if quirks.max_tokens == "max_completion_tokens" and "max_completion_tokens" in text:
        return {"max_tokens": "none"}
    if quirks.temperature and "temperature" in text:
        return {"temperature": False}
    return {}


def _learned_shape(quirks: Quirks, text: str) -> dict[str, object]:
    """Find the shape of a history or an answer that an endpoint does not take."""
    if quirks.tail == "user" and _WRONG_ORDER.search(text):
        return {"tail": "behind"}
    if not quirks.short_call_ids and "tool call id" in text and "length of 9" in text:
        return {"short_call_ids": True}
    if "reasoning_content" in text:
        if quirks.echo_reasoning != ("passed back" in text):
            return {"echo_reasoning": not quirks.echo_reasoning}
    elif quirks.stream_tools and _NO_STREAM.search(text):
        return {"stream_tools": False}
    return {}
