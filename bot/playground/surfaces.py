"""What an agent shows beside its messages: the status line of a thread and the session's state."""

from bot.playground.errors import SlackError
from bot.playground.events import tell_pages
from bot.playground.model import AgentSession, App, Channel, Status
from bot.playground.workspace import Workspace

SESSION_STATUSES = frozenset({"active", "processing", "suspended", "closed"})


def set_status(
    workspace: Workspace, channel: Channel, thread_ts: str, app: App, shown: Status
) -> None:
    """Show a status for a while; an empty text clears it."""
    clear_status(workspace, channel, thread_ts)
    if not shown.text:
        return
    shown.timer = workspace.clock.call_later(
        workspace.rules.status_seconds, lambda: clear_status(workspace, channel, thread_ts)
    )
    workspace.statuses[channel.id, thread_ts] = shown
    _tell(workspace, channel, thread_ts, app.user.id, shown.text)


def clear_status(workspace: Workspace, channel: Channel, thread_ts: str) -> None:
    """Take a thread's status away, if it has one."""
    status = workspace.statuses.pop((channel.id, thread_ts), None)
    if status is not None:
        if status.timer:
            status.timer.cancel()
        _tell(workspace, channel, thread_ts, status.user, "")


def checked_session_status(status: str) -> str:
    """Give the status back if it is one of the closed set."""
    if status not in SESSION_STATUSES:
        raise SlackError("invalid_status")
    return status


def set_session(
    workspace: Workspace, channel: Channel, thread_ts: str, app: App, status: str, title: str = ""
) -> AgentSession:
    """Set the session's state, making the session if there is none; a title counts only then."""
    key = (channel.id, thread_ts)
    session = workspace.sessions.get(key)
    if session is None:
        session = workspace.sessions[key] = AgentSession(app.id, status, title)
    session.status = status
    show_session(workspace, channel, thread_ts, session)
    return session


def show_session(
    workspace: Workspace, channel: Channel, thread_ts: str, session: AgentSession
) -> None:
    change = {
        "type": "session_status",
        "thread_ts": thread_ts,
        "status": session.status,
        "title": session.title,
        "stoppable": is_stoppable(workspace, session),
    }
    tell_pages(workspace, channel, change)


def is_stoppable(workspace: Workspace, session: AgentSession) -> bool:
    """Say whether Slack shows its Stop button: at work, and the app listens for it."""
    listens = "agent_session_stopped" in workspace.apps[session.app_id].events
    return session.status == "processing" and listens


def _tell(workspace: Workspace, channel: Channel, thread_ts: str, user: str, text: str) -> None:
    change = {
        "type": "status",
        "thread_ts": thread_ts,
        "user": user,
        "status": "active" if text else "",
        "text": text,
    }
    tell_pages(workspace, channel, change)
