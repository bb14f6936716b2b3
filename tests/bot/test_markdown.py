"""Splitting Markdown into messages, and saying it plainly."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.lines import LONGEST_MARK, parse
from bot.markdown import (
    LIMIT,
    PLAIN_LIMIT,
    find_cut,
    has_table,
    may_begin_table,
    pieces,
    plain,
    split,
)
from bot.plain import escape

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def test_a_short_text_is_one_message():
    """What fits is not touched."""
    assert split("Hello **you**") == ("Hello **you**",)
    assert split("") == ()


@pytest.mark.parametrize("char", ["x", "\U0001f44d", "\u6f22"])
def test_code_points_are_counted(char: str):
    """11,500 characters are one message in any script; one more are two (F041)."""
    assert len(split(char * LIMIT)) == 1
    assert [len(part) <= LIMIT for part in split(char * (LIMIT + 1))] == [True, True]


def test_messages_end_between_blocks():
    """A message ends where a paragraph ends, not in the middle of one (F038)."""
    paragraph = "word " * 60
    parts = split("\n\n".join([paragraph.strip()] * 60))
    assert len(parts) == 2
    assert all(part.strip().startswith("word") for part in parts)
    assert parts[0].endswith("word\n\n")


def test_a_list_goes_on_with_its_number():
    """The next message begins with a whole item and its own number."""
    first, second = split("".join(f"{n}. item {'x' * 90}\n" for n in range(1, 140)))
    last = int(re.findall(r"^(\d+)\.", first, re.MULTILINE)[-1])
    assert second.startswith(f"{last + 1}. item")


def test_an_open_fence_is_closed_and_opened_again():
    """Code that is longer than a message stays code in each of them, in its language."""
    code = "".join(f"line_{n} = {n}\n" for n in range(1000))
    parts = split(f"Look:\n\n```python\n{code}```\n\nDone.")
    assert len(parts) > 1
    assert all(part.startswith("```python\n") for part in parts[1:])
    assert all(part.endswith("\n```") for part in parts[:-1])
    assert parts[-1].endswith("```\n\nDone.")


def test_a_second_table_opens_the_next_message():
    """Slack shows one native table per message (F031)."""
    parts = split(f"One:\n\n{TABLE}\nTwo:\n\n{TABLE}\nThree:\n\n{TABLE}\nEnd.")
    assert len(parts) == 3
    assert [part.count("|---|---|") for part in parts] == [1, 1, 1]
    assert parts[1].startswith("| a | b |")


def test_a_long_table_keeps_its_header():
    """A table of more than 100 rows goes on under the same header."""
    rows = "".join(f"| {n} | x |\n" for n in range(150))
    parts = split(f"| a | b |\n|---|---|\n{rows}")
    assert len(parts) == 2
    assert parts[1].startswith("| a | b |\n|---|---|\n| 99 |")
    assert parts[0].count("\n") == 101  # header, delimiter, 99 rows


def test_pipes_in_code_are_no_table():
    """A fence that shows tables is not cut before each of them."""
    assert len(split(f"```\n{TABLE}\n{TABLE}```\n")) == 1


def test_a_growing_text_ends_its_message_early():
    """While more comes, the first good border near the limit is taken, and nothing sent is cut."""
    text = "\n\n".join(["word " * 50] * 42)
    assert len(text) < LIMIT
    assert find_cut(text) is None
    early = find_cut(text, grows=True)
    assert early is not None
    assert text[early.end :].startswith("word")
    later = find_cut(text, grows=True, least=early.end + 1)
    assert later is None or later.end > early.end


def test_a_line_that_may_head_a_second_table_is_held_back():
    """Not shown yet: it would have to move into the next message."""
    shown = f"{TABLE}\n"
    assert may_begin_table(f"{shown}| c | d |\n") == len(shown)
    assert may_begin_table(f"{TABLE}| 3 | 4 |\n") == len(TABLE) + len("| 3 | 4 |\n")
    assert may_begin_table("a | b\n") == len("a | b\n")
    assert may_begin_table(f"{shown}plain\n") == len(f"{shown}plain\n")


def test_plain_text_reads_without_marks():
    """Notifications and screen readers get words, addresses and cells."""
    text = (
        "# Title\n\nSome **bold**, `code` & <b>\n\n- a\n- b\n\n"
        f"[docs](https://x.example) <https://y.example>\n\n{TABLE}\n```py\nx < 1\n```"
    )
    assert plain(text) == (
        "Title\n\nSome bold, code &amp; &lt;b&gt;\n\n• a\n• b\n\n"
        "docs (https://x.example) https://y.example\n\na | b | \n1 | 2 | \n\nx &lt; 1"
    )


def test_plain_text_is_never_empty():
    """Slack refuses a message without text."""
    assert plain("---") == "---"
    assert plain("![](https://x.example/i.png)")


def test_our_own_mark_up_is_escaped():
    """Three characters have a meaning in mrkdwn."""
    assert escape("a < b & c > <!here>") == "a &lt; b &amp; c &gt; &lt;!here&gt;"


BLOCKS = [
    "A paragraph of some words that go on.\n\n",
    "word " * 70 + "\n\n",
    "x" * 300,
    "\u6f22\u5b57" * 90 + "\n",
    "- item\n- item\n",
    "1. one\n2. two\n\n   more\n",
    "  - nested\n    - deeper\n",
    "```python\n",
    "````\n",
    "~~~\n",
    "`" * 40 + "\n",
    "```\n",
    "code = 1\n" * 9,
    "> quote\n> ```\n> x\n",
    TABLE,
    "\n",
    "# Heading\n",
    "a | b\n",
    "`span` and ``two``\n",
    "---\n",
    "| h |\n|---|\n" + "| r |\n" * 120,
    "\n\n\n",
    "    indented\n",
]
markdowns = st.lists(st.sampled_from(BLOCKS), max_size=20).map("".join)


@settings(deadline=None)
@given(markdowns, st.integers(256, 1200))
def test_the_parts_are_the_text(text: str, limit: int):
    """No part is over the limit; their bodies are the text; what was opened was open."""
    found = list(pieces(text, limit))
    assert "".join(piece.body for piece in found) == text
    assert all(len(piece.text) <= limit for piece in found)
    assert tuple(piece.text for piece in found) == split(text, limit)
    assert all(has_table(p.opened) for p in found if p.opened.startswith("|"))


@settings(deadline=None)
@given(markdowns, st.integers(256, 1200))
def test_code_stays_code_in_every_part(text: str, limit: int):
    """A line that is code in the text is code in its part: what is inside was not filtered."""
    counter = itertools.count()
    text = re.sub("code = 1", lambda _: f"code = {next(counter)}", text)
    in_parts = {number for part in split(text, limit) for number in _code_numbers(part)}
    assert _code_numbers(text, longest_mark=LONGEST_MARK) <= in_parts


def _code_numbers(text: str, longest_mark: int = 1000) -> set[str]:
    lines = text.split("\n")
    fences = [fence for fence in parse(text).fences if len(fence.mark) <= longest_mark]
    return {lines[n] for f in fences for n in f.content if lines[n].startswith("code = ")}


@settings(deadline=None)
@given(markdowns, st.integers(20, PLAIN_LIMIT))
def test_plain_text_keeps_its_limit(text: str, limit: int):
    """Counted after escaping; a cut says so with an ellipsis, never inside an entity."""
    said = plain(text + "&<>" * 50, limit)
    assert len(said) <= limit
    assert not re.search(r"&[a-z]*…$", said)
