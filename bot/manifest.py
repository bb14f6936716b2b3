"""The Slack app manifest: what Deskmate asks of a workspace (slack app settings, as YAML).

`manifest.yml` at the top of the repository is `render()`; a test keeps them equal.
"""

from typing import Any

import yaml

BOT_SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "canvases:read",
    "canvases:write",
    "channels:history",
    "channels:join",
    "channels:read",
    "chat:write",
    "commands",
    "emoji:read",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "reactions:read",
    "reactions:write",
    "team:read",
    "usergroups:read",
    "users:read",
)
BOT_EVENTS = (
    "agent_session_stopped",
    "agent_session_title_changed",
    "app_context_changed",
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "file_shared",
    "member_joined_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
    "tokens_revoked",
)
COMMAND = "/deskmate"
DESCRIPTION = "A teammate in your threads: it answers, works on files and says what it did."


def build() -> dict[str, Any]:
    """Return the manifest of a Socket Mode app, in the shape of Slack's manifest schema."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "Deskmate",
            "description": DESCRIPTION,
            "background_color": "#1f3a5f",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "agent_view": {
                "agent_description": DESCRIPTION,
                "suggested_prompts": [
                    {"title": "What can you do?", "message": "What can you do?"},
                    {"title": "Look around", "message": "What is in this project's folder?"},
                ],
            },
            "bot_user": {"display_name": "Deskmate", "always_online": True},
            "slash_commands": [
                {
                    "command": COMMAND,
                    "description": "Ask Deskmate about itself",
                    "usage_hint": "help",
                    "should_escape": True,
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": list(BOT_SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(BOT_EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }


def render() -> str:
    """Return the manifest as YAML, ready to be pasted into Slack's «create app» page."""
    return yaml.safe_dump(build(), sort_keys=False, allow_unicode=True, width=100)
