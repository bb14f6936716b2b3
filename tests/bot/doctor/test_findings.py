"""Findings as lines and as JSON."""

import json

from bot.doctor.findings import fail, ok, render, render_json, warn

MIXED = [
    ok("store", "It answers"),
    warn("slack", "It is in no channel", "Invite it: /invite @Deskmate."),
    fail("model", "m does not answer: timeout"),
]


def test_each_finding_is_a_line_that_says_what_to_do():
    """Level, group, what is, what to do; then a count."""
    assert render(MIXED).splitlines() == [
        "ok    store  It answers.",
        "warn  slack  It is in no channel. Invite it: /invite @Deskmate.",
        "fail  model  m does not answer: timeout.",
        "",
        "1 failed, 1 to look at, 1 ok.",
    ]
    assert render(MIXED[:1]).splitlines()[-1] == "All is well."


def test_json_carries_the_same():
    """A monitor reads it; only a failure is not ok."""
    told = json.loads(render_json(MIXED))
    assert told["ok"] is False
    assert told["checks"][1] == {
        "group": "slack",
        "level": "warn",
        "text": "It is in no channel",
        "advice": "Invite it: /invite @Deskmate.",
    }
    assert json.loads(render_json(MIXED[:2]))["ok"] is True
