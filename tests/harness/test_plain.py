"""Text of unknown origin, made plain."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.plain import is_object, mended, quoted, visible_json

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_quoted_text_stays_in_its_span(text: str) -> None:
    """One line, short, no backtick but the two around it, nothing invisible."""
    shown = quoted(text)
    assert (shown[0], shown[-1], shown.count("`")) == ("`", "`", 2)
    assert len(shown) <= 62
    assert shown.isprintable()


def test_long_text_keeps_its_ends() -> None:
    """Both the folder and the file name matter."""
    assert quoted("a" * 100 + "/end.py").endswith("aaa/end.py`")
    assert quoted("src/app.py") == "`src/app.py`"


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT, max_size=3), max_size=3))
def test_visible_json_says_the_same(value: object) -> None:
    """The value survives, halves of pairs included, and the text can be stored as UTF-8."""
    text = visible_json(value)
    assert json.loads(text.encode()) == json.loads(json.dumps(value))


def test_unseen_characters_show() -> None:
    """Tags, bidi overrides and zero-width characters become escapes; letters stay."""
    assert visible_json("a\u202eb\u200bc\U000e0041 é 你好 🎉") == (
        r'"a\u202eb\u200bc\udb40\udc41 é 你好 🎉"'
    )


def test_halves_of_a_character_are_joined() -> None:
    """A lone half becomes the replacement character."""
    assert mended("a\ud83d\ude00b\ud83d") == "a😀b�"


def test_only_an_object_is_an_object() -> None:
    """Whole JSON objects and nothing else."""
    texts = ["{}", '{"a":1}', "", "[]", "1", '{"a":', "{} {}", "[" * 5000]
    assert [is_object(text) for text in texts] == [True, True, *[False] * 6]
