"""Logs carry no secret."""

import pytest

from bot.logs import CUT, Redaction


@pytest.mark.parametrize(
    "secret",
    [
        "xoxb-1234-abcdef",
        "xapp-1-A0-99-ffff",
        "sk-proj_abcdefgh12345",
        "ghp_abcdefghijklmnopqrstuv",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJI.eyJzdWIiOiIx.abc-def",
    ],
)
def test_what_looks_like_a_secret_is_cut(secret: str):
    """Tokens of Slack, OpenAI, GitHub, AWS and JWTs."""
    assert Redaction().text(f"got {secret} here") == f"got {CUT} here"


def test_known_secrets_and_passwords_in_addresses_are_cut():
    """The configured values themselves, wherever they turn up."""
    redaction = Redaction(["hunter2hunter2", "ab"])
    assert redaction.text("key=hunter2hunter2 ab") == f"key={CUT} ab"
    assert redaction.text("redis://user:pa55@h:1/0") == f"redis://{CUT}@h:1/0"
    event = redaction(None, "", {"event": "xoxb-1-a", "count": 3})
    assert event == {"event": CUT, "count": 3}
