"""The one way a call is refused: Slack's error name, and what comes with it."""

from typing import Any

Json = dict[str, Any]


class SlackError(Exception):
    """Slack refuses: `error` is its name, `extra` the further keys of the answer."""

    def __init__(self, error: str, **extra: object) -> None:
        super().__init__(error)
        self.error = error
        self.extra = extra

    def body(self) -> Json:
        return {"ok": False, "error": self.error, **self.extra}


def invalid_arguments(*messages: str) -> SlackError:
    """Build Slack's `invalid_arguments`, with one pointer per problem."""
    return pointed("invalid_arguments", messages)


def pointed(error: str, messages: tuple[str, ...] | list[str]) -> SlackError:
    """Build an error whose `response_metadata.messages` says where each problem is."""
    listed = [f"[ERROR] {message}" for message in messages]
    return SlackError(error, response_metadata={"messages": listed})
