"""The manifest asks for what the code uses: each method has its scope, each listener its event."""

import re
from pathlib import Path

from bot.manifest import BOT_EVENTS, BOT_SCOPES, COMMAND, build
from tests.tree import ROOT, name_of, sources

# The scope each Web API method needs; None: a token alone is enough. From each method's page.
SCOPES: dict[str, str | None] = {
    "agents.sessions.setStatus": "chat:write",
    "apps.connections.open": None,
    "assistant.threads.setStatus": "chat:write",
    "auth.test": None,
    "chat.appendStream": "chat:write",
    "chat.delete": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.postMessage": "chat:write",
    "chat.startStream": "chat:write",
    "chat.stopStream": "chat:write",
    "chat.update": "chat:write",
    "conversations.history": "channels:history",
    "conversations.info": "channels:read",
    "conversations.list": "channels:read",
    "conversations.open": "im:write",
    "conversations.replies": "channels:history",
    "reactions.add": "reactions:write",
    "reactions.get": "reactions:read",
    "reactions.remove": "reactions:write",
    "users.conversations": "channels:read",
    "users.info": "users:read",
}
METHOD = re.compile(
    r'"((?:agents|apps|assistant|auth|bots|chat|conversations|files|reactions|team|users|views)'
    r'\.[a-zA-Z.]+[a-zA-Z])"'
)


def product_files() -> list[Path]:
    return [p for p in sources("bot") if not name_of(p).startswith("bot/playground/")]


def test_every_method_we_call_has_its_scope():
    """A method without its scope fails on a fresh install, in silence where it is best-effort."""
    called = {m for path in product_files() for m in METHOD.findall(path.read_text())}
    assert called
    assert called <= set(SCOPES), f"add the scopes of {called - set(SCOPES)}"
    assert {SCOPES[m] for m in called} - {None} <= set(BOT_SCOPES)


def test_every_event_we_listen_to_is_subscribed():
    """An event that is not subscribed never comes."""
    text = (ROOT / "bot" / "listeners").glob("*.py")
    listened = {e for path in text for e in re.findall(r'on_event\(app, "(\w+)"', path.read_text())}
    assert {"message", "app_mention", "reaction_added", "agent_session_stopped"} <= listened
    for event in listened - {"message"}:
        assert event in BOT_EVENTS
    assert {f"message.{kind}" for kind in ("channels", "groups", "im", "mpim")} <= set(BOT_EVENTS)


def test_the_manifest_keeps_slack_s_limits():
    """Slack refuses the whole manifest for one text that is too long."""
    manifest = build()
    shown, features = manifest["display_information"], manifest["features"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert len(features["bot_user"]["display_name"]) <= 80
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert len(features["agent_view"]["suggested_prompts"]) <= 4
    assert len(BOT_SCOPES) <= 255
    assert len(BOT_EVENTS) <= 100
    assert [c["command"] for c in features["slash_commands"]] == [COMMAND]
    assert len(COMMAND) < 32
    assert manifest["settings"]["socket_mode_enabled"] is True
    assert "assistant_view" not in features
