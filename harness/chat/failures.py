"""Why a model does not answer, in words for people: never a key, an address or a body."""

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


def refusal(status: int, model: str, retry_after: float | None = None) -> ModelUnavailable:
    """Explain an HTTP status of 400 or more; what waiting cannot mend needs the operator."""
    if status == _NOT_FOUND:
        reason = f"it knows no model `{model}` (404)"
    elif status >= _SERVER_ERROR:
        reason = f"server error ({status})"
    else:
        reason = _REASONS.get(status, f"it refuses the request ({status})")
    needs_operator = status < _SERVER_ERROR and status not in _WORTH_WAITING
    return ModelUnavailable(reason, retry_after=retry_after, needs_operator=needs_operator)
