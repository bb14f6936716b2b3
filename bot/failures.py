"""How a call to Slack can end badly; carries what a caller needs to decide, and no secrets."""

# Slack does not have a method here, for good: plan, region or age.
NOT_HERE = frozenset({"unknown_method", "feature_not_enabled", "method_deprecated"})


class SlackFailed(Exception):  # noqa: N818 - the names of its kinds say what happened
    """A call to Slack did not end well."""

    def __init__(self, method: str, why: str) -> None:
        super().__init__(f"{method}: {why}")
        self.method = method


class SlackRefused(SlackFailed):
    """Slack said no; `error` is Slack's name for it. The call did not happen."""

    def __init__(self, method: str, error: str) -> None:
        super().__init__(method, error)
        self.error = error


class SlackBusy(SlackFailed):
    """The call was not made, or not taken; it may be repeated after `retry_after` seconds."""

    def __init__(self, method: str, retry_after: float) -> None:
        super().__init__(method, f"busy for {retry_after:.1f} s")
        self.retry_after = retry_after


class SlackUnreachable(SlackFailed):
    """No usable answer; `may_be_done` if the call may have happened all the same."""

    def __init__(self, method: str, *, may_be_done: bool) -> None:
        super().__init__(method, "may have happened" if may_be_done else "not made")
        self.may_be_done = may_be_done
