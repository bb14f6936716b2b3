"""What people type to the bot itself."""

import pytest

from bot import words

BOT = "U0BOT"


@pytest.mark.parametrize(
    "text", ["stop", "Stop.", "STOP!", f"<@{BOT}> stop", f"stop <@{BOT}>", "!stop", "停止。", "🛑"]
)
def test_a_whole_message_that_says_stop_is_a_stop(text: str):
    """With or without mention, case and a final mark."""
    assert words.is_stop(text, BOT)


@pytest.mark.parametrize(
    "text", ["stop the server", "don't stop", "please stop", f"<@{BOT}>", "", "unstoppable"]
)
def test_a_message_that_only_contains_stop_is_none(text: str):
    """Anything longer is ordinary text."""
    assert not words.is_stop(text, BOT)


def test_the_mention_of_the_bot_is_cut_at_both_ends_only():
    """What stands between is the person's own text."""
    assert words.without_mention(f"<@{BOT}>, hi", BOT) == "hi"
    assert words.without_mention(f"<@{BOT}|deskmate> hi <@{BOT}>", BOT) == "hi"
    assert words.without_mention(f"ask <@{BOT}> again", BOT) == f"ask <@{BOT}> again"


def test_a_line_to_someone_else_is_theirs_unless_the_bot_is_mentioned_too():
    """`@ben can you?` is left alone, `@ben and @Deskmate` is not."""
    assert words.is_addressed_to_other("<@UBEN> can you?", BOT)
    assert not words.is_addressed_to_other(f"<@UBEN> and <@{BOT}>", BOT)
    assert not words.is_addressed_to_other(f"<@{BOT}> can you?", BOT)
    assert not words.is_addressed_to_other("as <@UBEN> said", BOT)
