"""What an agent shows beside its messages: the status line of a thread and the session's state."""

from bot.playground.events import tell_pages
from bot.playground.model import Channel, Status
from bot.playground.workspace import Workspace


def set_status(
    workspace: Workspace, channel: Channel, thread_ts: str, text: str, loading: list[str]
) -> None:
    """Show a status, or clear it when `text` is empty."""
    clear_status(workspace, channel, thread_ts)
    if not text:
        return
    timer = workspace.clock.call_later(
        workspace.rules.status_seconds, lambda: clear_status(workspace, channel, thread_ts)
    )
    workspace.statuses[channel.id, thread_ts] = Status(text, loading, timer)
    _tell(workspace, channel, thread_ts, text)


def clear_status(workspace: Workspace, channel: Channel, thread_ts: str) -> None:
    """Take a thread's status away, if it has one."""
    status = workspace.statuses.pop((channel.id, thread_ts), None)
    if status is not None:
        status.timer.cancel()
        _tell(workspace, channel, thread_ts, "")


def _tell(workspace: Workspace, channel: Channel, thread_ts: str, text: str) -> None:
    change = {
        "type": "status",
        "thread_ts": thread_ts,
        "status": "active" if text else "",
        "text": text,
    }
    tell_pages(workspace, channel, change)
