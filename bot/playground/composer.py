"""What Slack's message box does with typed text: escapes it, names people and channels, links URLs.

Text already in Slack's form (`<@U...>`, `<#C...>`, `<!here>`, `<https://...>`, `&amp;`) stays.
"""

import re

from bot.playground.errors import SlackError
from bot.playground.workspace import Workspace

_TOKEN = re.compile(
    r"(?P<ready><(?:[@#!][^<>\s]*|https?://[^<>\s]+)>|&(?:amp|lt|gt);)"
    r"|(?P<code>```.*?```|`[^`\n]+`)"
    r"|(?P<url>https?://[^\s<>|]*[^\s<>|.,;:!?)\]'\"])"
    r"|(?<![\w/])@(?P<at>[A-Za-z][\w.-]*)"
    r"|(?<![\w/&])#(?P<hash>[a-z][\w-]*)"
    r"|(?P<special>[&<>])",
    re.DOTALL,
)
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_EVERYBODY = frozenset({"here", "channel", "everyone"})


def typed(workspace: Workspace, text: str) -> str:
    """Turn what a person typed into the text of their message."""
    return _TOKEN.sub(lambda match: _encode(workspace, match), text)


def escape(text: str) -> str:
    return re.sub("&(?!(?:amp|lt|gt);)|[<>]", lambda match: _ESCAPED[match[0]], text)


def _encode(workspace: Workspace, match: re.Match[str]) -> str:
    if match["ready"]:
        return match["ready"]
    if match["url"]:
        return f"<{match['url'].replace('&', '&amp;')}>"
    if match["at"]:
        return _at(workspace, match["at"])
    if match["hash"]:
        return _hash(workspace, match["hash"])
    return escape(match[0])


def _at(workspace: Workspace, name: str) -> str:
    if name in _EVERYBODY:
        return f"<!{name}>"
    stem = name.rstrip(".-")
    for user in workspace.users.values():
        if stem.lower() in {user.name.lower(), user.real_name.lower()}:
            return f"<@{user.id}>{name[len(stem) :]}"
    return f"@{name}"


def _hash(workspace: Workspace, name: str) -> str:
    try:
        channel = workspace.channel_named(name)
    except SlackError:
        return f"#{name}"
    return f"<#{channel.id}|{channel.name}>"
