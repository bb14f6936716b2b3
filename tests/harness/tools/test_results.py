"""A result as the model reads it: one shape, never too long."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models import ToolResult
from harness.tools.results import INTERRUPTED, content_of, fit

JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


def test_success_and_failure_have_one_shape() -> None:
    """As harness-facts has it, and nothing else in it."""
    assert (
        content_of(ToolResult(status="ok", output={"a": 1})) == '{"status":"ok","output":{"a":1}}'
    )
    assert json.loads(content_of(INTERRUPTED)) == {
        "status": "error",
        "error_type": "interrupted",
        "message": "This call was stopped before it began.",
        "suggestion": "Call again if the result is still needed.",
        "retryable": True,
    }


def test_a_long_text_keeps_head_and_tail() -> None:
    """And says how much is gone."""
    text = fit("a" * 50_000 + "b" * 50_000, 1000)
    assert isinstance(text, str)
    assert text.startswith("aaa")
    assert text.endswith("bbb")
    assert "characters left out" in text
    assert 800 < len(json.dumps(text)) <= 1000


def test_a_long_list_keeps_head_and_tail() -> None:
    """Whole entries, and one that says how many are gone."""
    items = fit([f"file {number}" for number in range(1000)], 1000)
    text = json.dumps(items)
    assert text.startswith('["file 0", ')
    assert text.endswith(', "file 999"]')
    assert "entries left out" in text


def test_the_largest_member_is_the_one_that_shrinks() -> None:
    """What is small stays whole."""
    output = fit({"path": "a.py", "total": 9, "text": "\n" * 5000}, 1000)
    text = json.dumps(output)
    assert text.startswith('{"path": "a.py", "total": 9, "text": ')
    assert len(text) <= 1100


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_whatever_fits_is_left_alone(output: object) -> None:
    """Cutting is for what is too long."""
    assert fit(output) == output


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=200, max_size=2000), st.integers(300, 900))
def test_no_text_stays_too_long(text: str, limit: int) -> None:
    """Measured as JSON in bytes, whatever it is made of."""
    assert len(json.dumps(fit(text, limit), ensure_ascii=False).encode()) <= limit
