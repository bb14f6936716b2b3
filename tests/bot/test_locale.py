"""Our own sentences: every language has all of them, with the same values in them."""

from string import Formatter

import pytest

from bot.locale import LANGUAGES, say, strings


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_say_the_same_things(language: str):
    """Same keys, same placeholders as English."""
    english = strings("en")
    assert strings(language).keys() == english.keys()
    for key, text in strings(language).items():
        assert placeholders(text) == placeholders(english[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_voice_is_plain(language: str):
    """No exclamation marks, no apologies, no line breaks inside a sentence."""
    for key, text in strings(language).items():
        assert not set("!\uff01\n") & set(text), key
        assert "sorry" not in text.lower(), key


def test_a_slack_locale_chooses_the_language():
    """Slack says zh-CN or en-US; what we do not have is said in English."""
    assert say("zh-CN", "status_thinking") == "正在思考…"
    assert say("en-US", "status_thinking") == "is thinking…"
    assert say("de-DE", "broke", reference="T-7f3a") == say("en", "broke", reference="T-7f3a")
    assert "T-7f3a" in say("", "broke", reference="T-7f3a")


def test_status_words_are_short():
    """Slack puts the bot's name before them."""
    assert all(len(say(lang, "status_tool", label="x" * 40)) < 60 for lang in LANGUAGES)
