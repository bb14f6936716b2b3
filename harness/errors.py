"""The error classes, one sentence each, and who catches them.

`ToolError` becomes a result for the model; `TurnStopped` one plain sentence for the person;
`ModelUnavailable` sends the turn back to the queue; `StoreUnavailable` turns readiness red;
`LeaseLost` ends this worker's turn in silence; anything else is a bug.
"""

from harness.models import ErrorType, Outcome


class ToolError(Exception):
    """A tool could not do what was asked; the model reads why, what to try, and how soon."""

    def __init__(
        self,
        error_type: ErrorType,
        message: str,
        suggestion: str = "",
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.error_type: ErrorType = error_type
        self.message = message
        self.suggestion = suggestion
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class TurnStopped(Exception):  # noqa: N818 - it is an outcome, not a failure
    """The turn ends before the model said it was done."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome: Outcome = outcome
        self.reason = reason


class ModelUnavailable(Exception):  # noqa: N818 - reads as the state it names
    """The model gave no usable answer: down, slow, cut off, or refusing us.

    `reason` is a short phrase for people ("timeout", "it refuses the key (401)");
    `retry_after` seconds if the endpoint asked for a pause; `needs_operator` if only a change of
    settings can help; `too_long` if the request does not fit into the model's context.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        needs_operator: bool = False,
        too_long: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.needs_operator = needs_operator
        self.too_long = too_long


class StoreUnavailable(Exception):  # noqa: N818 - reads as the state it names
    """The store does not answer, or refused; nothing may be acknowledged meanwhile."""


class LeaseLost(Exception):  # noqa: N818 - reads as the state it names
    """Another worker holds this session's turn now."""
