"""Why a model does not answer, in words for people: never a key, an address or a body."""

import re

from harness.errors import ModelUnavailable

_NOT_FOUND = 404
_SERVER_ERROR = 500
_REASONS = {
    401: "it refuses the key (401)",
    402: "the account has no credit (402)",
    403: "it refuses us (403)",
    408: "timeout",
    413: "the request is too large for it (413)",
    429: "rate limited (429)",
}
_WORTH_WAITING = frozenset({408, 409, 429})
_TOO_LARGE = 413
# The same thing in the words of OpenAI, DeepSeek, Mistral, DashScope, vLLM, llama.cpp and Ollama.
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|exceeds the available context size"
    r"|(maximum|max) (model )?context length|context (length|window) (is )?exceeded"
    r"|exceeds? (the )?(model'?s? )?(maximum )?context (length|window)"
    r"|too large for model with \d+ maximum context|range of input length should be"
    r"|(prompt|input|request) is too long|maximum prompt length"
    r"|longer than the model's context length|reduce the length of the messages"
)


def refusal(
    status: int, model: str, retry_after: float | None = None, body: str = ""
) -> ModelUnavailable:
    """Explain an HTTP status of 400 or more; what waiting cannot mend needs the operator.

    `body` is only looked at for whether the request is too long.
    """
    if is_too_long(status, body):
        reason = _REASONS.get(status, f"the request is too long for it ({status})")
        return ModelUnavailable(reason, retry_after=retry_after, needs_operator=True, too_long=True)
    if status == _NOT_FOUND:
        reason = f"it knows no model `{model}` (404)"
    elif status >= _SERVER_ERROR:
        reason = f"server error ({status})"
    else:
        reason = _REASONS.get(status, f"it refuses the request ({status})")
    needs_operator = status < _SERVER_ERROR and status not in _WORTH_WAITING
    return ModelUnavailable(reason, retry_after=retry_after, needs_operator=needs_operator)


def is_too_long(status: int, body: str) -> bool:
    """Say whether a refusal means that the request does not fit into the model's context."""
    if status in _WORTH_WAITING:
        return False  # "too many tokens a minute" is another matter
    return status == _TOO_LARGE or _TOO_LONG.search(body.lower()) is not None
