"""users.*, usergroups.*, bots.info, team.info, emoji.list: who is here."""

from bot.playground.errors import Json, SlackError
from bot.playground.methods.paging import conversation_kinds, metadata, page
from bot.playground.methods.table import Method
from bot.playground.model import UserGroup
from bot.playground.shapes import channel_json, user_json
from bot.playground.wire import Call
from bot.playground.workspace import Workspace


def users_info(workspace: Workspace, call: Call) -> Json:
    user = workspace.user(call.need("user"))
    return {"user": user_json(user, locale=call.flag("include_locale"))}


def users_list(workspace: Workspace, call: Call) -> Json:
    users, cursor = page(list(workspace.users.values()), call, 200, 1000)
    locale = call.flag("include_locale")
    members = [user_json(user, locale=locale) for user in users]
    return {"members": members, "cache_ts": int(workspace.clock.now()), **metadata(cursor)}


def users_lookup_by_email(workspace: Workspace, call: Call) -> Json:
    email = call.need("email")
    for user in workspace.users.values():
        if user.email == email and not user.deleted:
            return {"user": user_json(user)}
    raise SlackError("users_not_found")


def users_profile_get(workspace: Workspace, call: Call) -> Json:
    user = workspace.user(call.text("user") or call.app.user.id)
    return {"profile": user_json(user)["profile"]}


def users_conversations(workspace: Workspace, call: Call) -> Json:
    user = workspace.user(call.text("user") or call.app.user.id)
    kinds = conversation_kinds(call)
    mine = [
        channel
        for channel in workspace.channels.values()
        if channel.kind in kinds
        and user.id in channel.members
        and (channel.kind == "public" or call.app.user.id in channel.members)
        and not (channel.archived and call.flag("exclude_archived"))
    ]
    some, cursor = page(mine, call, 100, 999)
    shown = [channel_json(channel, call.app.user.id) for channel in some]
    return {"channels": shown, **metadata(cursor)}


def bots_info(workspace: Workspace, call: Call) -> Json:
    bot_id = call.text("bot") or call.app.user.bot_id
    for app in workspace.apps.values():
        if app.user.bot_id == bot_id:
            bot: Json = {"id": bot_id, "deleted": False, "name": app.name, "updated": 1}
            return {"bot": bot | {"app_id": app.id, "user_id": app.user.id, "icons": {}}}
    raise SlackError("bot_not_found")


def team_info(workspace: Workspace, call: Call) -> Json:
    team = workspace.teams.get(call.text("team") or workspace.team.id)
    if team is None:
        raise SlackError("team_not_found")
    shape: Json = {"id": team.id, "name": team.name, "domain": team.domain}
    return {"team": shape | {"url": f"{workspace.base_url}/", "email_domain": "", "icon": {}}}


def emoji_list(_workspace: Workspace, _call: Call) -> Json:
    return {"emoji": {"shipit": "alias:squirrel"}, "cache_ts": "1"}


def usergroups_list(workspace: Workspace, call: Call) -> Json:
    shown = list[Json]()
    for group in workspace.usergroups.values():
        shape = _group_json(workspace, group)
        if call.flag("include_users"):
            shape["users"] = group.users
        if call.flag("include_count"):
            shape["user_count"] = len(group.users)
        shown.append(shape)
    return {"usergroups": shown}


def usergroups_users_list(workspace: Workspace, call: Call) -> Json:
    group = workspace.usergroups.get(call.need("usergroup"))
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": group.users}


def _group_json(workspace: Workspace, group: UserGroup) -> Json:
    return {
        "id": group.id,
        "team_id": workspace.team.id,
        "is_usergroup": True,
        "is_subteam": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_delete": 0,
        "prefs": {"channels": [], "groups": []},
    }


METHODS = (
    Method("usergroups.list", usergroups_list, ("usergroups:read",), "2", json=False),
    Method("usergroups.users.list", usergroups_users_list, ("usergroups:read",), "2", json=False),
    Method("users.info", users_info, ("users:read",), "4", json=False),
    Method("users.list", users_list, ("users:read",), "2", json=False),
    Method("users.lookupByEmail", users_lookup_by_email, ("users:read.email",), "3", json=False),
    Method("users.profile.get", users_profile_get, ("users.profile:read",), "4", json=False),
    Method("users.conversations", users_conversations, ("channels:read",), "3", json=False),
    Method("bots.info", bots_info, ("users:read",), "3", json=False),
    Method("team.info", team_info, ("team:read",), "3", json=False),
    Method("emoji.list", emoji_list, ("emoji:read",), "2", json=False),
)
