"""assistant.threads.* and agents.sessions.*: status line, session state, titles, prompts."""

from bot.playground import surfaces
from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.methods.table import Method
from bot.playground.model import AgentSession, Channel, Status
from bot.playground.wire import Call
from bot.playground.workspace import Workspace

_LOADING = 10
_TITLE = 200
_PROMPTS = 4
_UNHEARD_STOP = "missing_agent_session_stopped_event_subscription"


def _thread(workspace: Workspace, call: Call, error: str) -> tuple[Channel, str]:
    channel = workspace.entered_by(call.app.user.id, call.need("channel_id"))
    named = channel.messages.get(call.need("thread_ts"))
    if named is None:
        raise SlackError(error)
    return channel, named.thread_ts or named.ts


def set_status(workspace: Workspace, call: Call) -> Json:
    channel, thread_ts = _thread(workspace, call, "invalid_thread_ts")
    if "status" not in call.args:
        raise invalid_arguments("missing required field: status")
    loading = call.names("loading_messages")
    if len(loading) > _LOADING:
        raise invalid_arguments(f"no more than {_LOADING} items: loading_messages")
    shown = Status(call.app.user.id, call.text("status"), loading)
    surfaces.set_status(workspace, channel, thread_ts, call.app, shown)
    return {}


def set_title(workspace: Workspace, call: Call) -> Json:
    _thread(workspace, call, "invalid_thread_ts")
    call.need("title")
    return {}


def set_suggested_prompts(workspace: Workspace, call: Call) -> Json:
    workspace.entered_by(call.app.user.id, call.need("channel_id"))
    prompts = call.objects("prompts", "invalid_arguments")
    if not 1 <= len(prompts) <= _PROMPTS:
        raise invalid_arguments(f"must have 1 to {_PROMPTS} items: prompts")
    return {}


def session_set_status(workspace: Workspace, call: Call) -> Json:
    status = surfaces.checked_session_status(call.need("status"))
    channel, thread_ts = _thread(workspace, call, "invalid_thread_ts")
    title = _title(call)
    initiator = call.text("initiator_user_id")
    if initiator and initiator not in channel.members:
        raise SlackError("user_not_in_channel")
    session = surfaces.set_session(workspace, channel, thread_ts, call.app, status, title)
    if status == "processing" and "agent_session_stopped" not in call.app.events:
        call.warnings.append(_UNHEARD_STOP)
    return _shown(session)


def session_rename(workspace: Workspace, call: Call) -> Json:
    channel, thread_ts = _thread(workspace, call, "invalid_thread_ts")
    session = workspace.sessions.get((channel.id, thread_ts))
    if session is None:
        raise SlackError("session_not_found")
    call.need("title")
    session.title = _title(call)
    surfaces.show_session(workspace, channel, thread_ts, session)
    return _shown(session)


def _title(call: Call) -> str:
    title = call.text("title")
    if len(title) > _TITLE:
        raise invalid_arguments(f"must be at most {_TITLE} characters: title")
    return title


def _shown(session: AgentSession) -> Json:
    return {"status": session.status, "agent_status": session.status, "title": session.title}


_WRITE = ("chat:write",)
_ASSIST = ("assistant:write",)

METHODS = (
    Method(
        "assistant.threads.setStatus",
        set_status,
        (*_WRITE, *_ASSIST),
        "busy",
        also=("thread", "channel_id", "thread_ts"),
    ),
    Method("assistant.threads.setTitle", set_title, _ASSIST, "4"),
    Method("assistant.threads.setSuggestedPrompts", set_suggested_prompts, _ASSIST, "4"),
    Method("agents.sessions.setStatus", session_set_status, _WRITE, "3"),
    Method("agents.sessions.rename", session_rename, _WRITE, "3"),
)
