"""One parser for what people type to the bot itself: slash command, mention, `!verb`.

Everything that is no verb is ordinary text for the model.
"""

import re

STOP_WORDS = frozenset({"stop", "!stop", "停止", "停", "🛑", ":octagonal_sign:"})
STOP_REACTIONS = frozenset({"octagonal_sign", "stop_sign"})
HELP_WORDS = frozenset({"", "help", "?"})

_TRAILING = re.compile("[\\s.!\u3002\uff01]+$")


def without_mention(text: str, bot_user: str) -> str:
    """Cut the mentions of the bot at the beginning and the end of a message."""
    mention = rf"<@{re.escape(bot_user)}(?:\|[^>]*)?>"
    text = re.sub(rf"^(?:\s*{mention}[\s,:]*)+", "", text)
    return re.sub(rf"(?:\s*{mention})+\s*$", "", text).strip()


def mentions(text: str, user: str) -> bool:
    return re.search(rf"<@{re.escape(user)}(?:\|[^>]*)?>", text) is not None


def is_addressed_to_other(text: str, bot_user: str) -> bool:
    """Whether a line begins with a mention of someone else and does not mention the bot."""
    first = re.match(r"\s*<@([A-Z0-9]+)(?:\|[^>]*)?>", text)
    return first is not None and first.group(1) != bot_user and not mentions(text, bot_user)


def is_stop(text: str, bot_user: str) -> bool:
    """Whether the whole message, apart from a mention of the bot, is a word that stops it."""
    said = _TRAILING.sub("", without_mention(text, bot_user)) or text.strip()
    return said.casefold() in STOP_WORDS
