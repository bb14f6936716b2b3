"""Token counts without a network: near enough for a border, cheap enough for every message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.models import Message, ModelRequest, ToolCall, ToolSchema
from harness.tokens import message_tokens, request_tokens, text_tokens, text_weight


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 100, 900, 1200),
        ("这个项目的构建为什么失败了呢" * 100, 1400, 1900),
        ("ビルドが失敗した理由を教えてください。" * 100, 1900, 2600),
        ("Почему сборка не прошла? " * 100, 700, 1400),
        ("", 0, 0),
    ],
)
def test_a_guess_is_near_what_tokenizers_count(text: str, least: int, most: int) -> None:
    """Prose in four scripts, against the ranges that public tokenizers give."""
    assert least <= text_tokens(text) <= most


@given(st.lists(st.text(max_size=20), max_size=20))
def test_pieces_weigh_what_the_whole_weighs(pieces: list[str]) -> None:
    """A stream can be counted while it comes in."""
    assert sum(map(text_weight, pieces)) == pytest.approx(text_weight("".join(pieces)))


def test_a_request_counts_everything_that_is_sent() -> None:
    """System, tools, calls and tail too."""
    call = ToolCall(id="a", name="look", arguments='{"path": "' + "x" * 400 + '"}')
    bare = ModelRequest(model="m", system="", messages=())
    parts = [
        {"system": "x" * 400},
        {"tail": "x" * 400},
        {"tools": (ToolSchema(name="t", description="x" * 400, parameters={}),)},
        {"messages": (Message(role="assistant", tool_calls=(call,)),)},
    ]
    for part in parts:
        assert request_tokens(bare.model_copy(update=part)) >= 100
    assert message_tokens(Message(role="user", content="x" * 40)) == 14
