"""What Slack's JSON for the nouns looks like; pure functions, no state."""

from bot.playground.errors import Json
from bot.playground.model import App, Channel, File, Message, User

_FLAGS: dict[str, dict[str, bool]] = {
    "admin": {"is_admin": True, "is_owner": True, "is_primary_owner": True},
    "member": {},
    "guest": {"is_restricted": True},
    "single_channel_guest": {"is_restricted": True, "is_ultra_restricted": True},
    "stranger": {"is_stranger": True},
    "bot": {"is_bot": True},
}
_USER_FLAGS = (
    "is_admin",
    "is_owner",
    "is_primary_owner",
    "is_restricted",
    "is_ultra_restricted",
    "is_bot",
)


def user_json(user: User, *, locale: bool = False) -> Json:
    profile: Json = {
        "real_name": user.real_name,
        "real_name_normalized": user.real_name,
        "display_name": "" if user.rank == "bot" else user.name,
        "display_name_normalized": "" if user.rank == "bot" else user.name,
        "avatar_hash": "",
        "status_text": "",
        "status_emoji": "",
        "team": user.team,
    }
    shape: Json = {
        "id": user.id,
        "team_id": user.team,
        "name": user.name,
        "deleted": user.deleted,
        "color": user.color,
        "real_name": user.real_name,
        "tz": user.tz,
        "tz_label": user.tz,
        "tz_offset": 3600,
        "profile": profile,
        **dict.fromkeys(_USER_FLAGS, False),
        "is_app_user": False,
        "updated": 1,
        "is_email_confirmed": user.rank != "bot",
        **_FLAGS[user.rank],
    }
    if user.bot_id:
        profile |= {"bot_id": user.bot_id, "api_app_id": user.app_id, "always_active": True}
    if locale:
        shape["locale"] = user.locale
    return shape


def bot_profile(app: App) -> Json:
    return {
        "id": app.user.bot_id,
        "app_id": app.id,
        "user_id": app.user.id,
        "name": app.name,
        "icons": {},
        "deleted": False,
        "updated": 1,
        "team_id": app.user.team,
    }


def channel_json(channel: Channel, viewer: str) -> Json:
    """Show a conversation as `viewer` sees it; direct ones carry the other person."""
    if channel.kind == "im":
        return _im_json(channel, viewer)
    text = {"value": channel.topic, "creator": channel.creator, "last_set": 0}
    private = channel.kind != "public"
    return {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind == "public",
        "is_group": channel.kind == "private",
        "is_im": False,
        "is_mpim": channel.kind == "mpim",
        "is_private": private,
        "is_general": channel.name == "general",
        "is_archived": channel.archived,
        "is_member": viewer in channel.members,
        "is_shared": channel.ext_shared,
        "is_ext_shared": channel.ext_shared,
        "is_org_shared": False,
        "is_pending_ext_shared": False,
        "created": channel.created,
        "creator": channel.creator,
        "unlinked": 0,
        "topic": text,
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "previous_names": [],
        "updated": channel.created * 1000,
    }


def _im_json(channel: Channel, viewer: str) -> Json:
    others = [member for member in channel.members if member != viewer]
    return {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.archived,
        "is_im": True,
        "is_org_shared": False,
        "user": others[0] if others else viewer,
        "is_user_deleted": False,
        "priority": 0,
        "updated": channel.created * 1000,
    }


def file_json(file: File) -> Json:
    kind = file.name.rpartition(".")[2].lower() if "." in file.name else "text"
    return {
        "id": file.id,
        "created": int(file.created),
        "timestamp": int(file.created),
        "name": file.name,
        "title": file.title,
        "mimetype": file.mimetype,
        "filetype": kind,
        "pretty_type": kind.upper(),
        "user": file.user,
        "editable": False,
        "size": len(file.content) if file.arrived else file.length,
        "mode": "hosted",
        "is_external": False,
        "is_public": True,
        "public_url_shared": False,
        "url_private": file.url,
        "url_private_download": f"{file.url}?download=1",
        "permalink": file.url,
        "channels": file.channels,
        "groups": [],
        "ims": [],
        "has_rich_preview": False,
        "file_access": "visible",
    }


def message_json(channel: Channel, message: Message, *, metadata: bool = False) -> Json:
    """Show a message as history does; metadata only when asked for, as Slack does."""
    shape: Json = {"type": "message", "user": message.user, "ts": message.ts}
    shape |= {"text": message.text, "team": message.team}
    for name in ("subtype", "client_msg_id", "bot_id", "app_id", "username", "bot_profile"):
        _put(shape, name, getattr(message, name))
    _put(shape, "blocks", message.blocks)
    _put(shape, "attachments", message.attachments)
    _put(shape, "edited", message.edited)
    if message.files:
        shape |= {"files": [file_json(file) for file in message.files], "upload": True}
    if message.reactions:
        shape["reactions"] = reactions_json(message)
    if channel.ext_shared:
        shape |= {"user_team": message.team, "source_team": message.team}
    if metadata:
        _put(shape, "metadata", message.metadata)
    if message.hidden:
        shape["hidden"] = True
    return shape | _thread_json(channel, message)


def reactions_json(message: Message) -> list[Json]:
    return [
        {"name": name, "users": list(users), "count": len(users)}
        for name, users in message.reactions.items()
    ]


def permalink(base_url: str, channel: Channel, message: Message) -> str:
    """Give the address of a message in the workspace."""
    link = f"{base_url}/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return link


def _put(shape: Json, name: str, value: object) -> None:
    if value:
        shape[name] = value


def _thread_json(channel: Channel, message: Message) -> Json:
    if message.is_reply:
        root = channel.messages.get(message.thread_ts)
        parent = {"parent_user_id": root.user} if root else {}
        return {"thread_ts": message.thread_ts, **parent}
    replies = channel.replies(message.ts)
    if not replies and not message.thread_ts:
        return {}
    users = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts if replies else "0000000000.000000",
        "reply_users": users[:5],
        "is_locked": False,
        "subscribed": False,
    }
