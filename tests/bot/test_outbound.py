"""The outbound filter: nothing pings that must not, code stays, and streams can be cut anywhere."""

import html
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.draft import Draft
from bot.markdown import pieces, plain
from bot.outbound import inert, outbound, stable_length

ALLOWED = frozenset({"U0ANN", "C0API"})
J = "\u2060"


def safe(text: str) -> str:
    return outbound(text, may_ping=ALLOWED)


@pytest.mark.parametrize(
    ("said", "leaves"),
    [
        ("<!channel> look", f"@{J}channel look"),
        ("<!here|here> <!everyone> <!group>", f"@{J}here @{J}everyone @{J}group"),
        ("<!subteam^S0DEV|@devs> and <!subteam^S0OPS>", f"@{J}devs and @{J}S0OPS"),
        ("<@U0BEN> asks <@U0CHR|chris>", f"@{J}U0BEN asks @{J}chris"),
        ("<#C0WEB|web>", f"#{J}web"),
        ("@channel, @Here! (@everyone)", f"@{J}channel, @{J}here! (@{J}everyone)"),
        ("<!CHANNEL> <!Here>", f"@{J}channel @{J}here"),
        ("<!subteam^S1|@channel>", f"@{J}channel"),
    ],
)
def test_broadcasts_and_strangers_become_words(said: str, leaves: str):
    """A mention that must not ping still reads as what it was."""
    assert safe(said) == leaves


def test_the_people_of_the_thread_are_pinged():
    """Ids in the allow set stay mentions; a label on them does not survive."""
    assert safe("<@U0ANN> see <#C0API>, <@U0ANN|@channel>") == "<@U0ANN> see <#C0API>, <@U0ANN>"


@pytest.mark.parametrize(
    "said",
    [
        "@ch\u200bannel",
        "@\u00adchannel",
        "<!ch\u200dannel>",
        "<\u200b!channel>",
        "\uff20channel",
        "\uff1c\uff01channel\uff1e",
        "@\u0441h\u0430nnel",
        "<!h\u0435r\u0435>",
        "&lt;!channel&gt;",
        "&amp;lt;!channel&amp;gt;",
        "&#60;!channel&#62;",
        "&#x3C;&#33;here>",
        "&commat;everyone",
        "\\<!channel\\>",
        "\\@channel",
        "@cha\x00nnel",
        "<!channel|" + "x" * 50 + ">",
        "<!channel",
        "\U000e0001@here",
        "**@channel**",
        "[@here](https://example.org)",
    ],
)
def test_tricks_do_not_bring_a_broadcast_through(said: str):
    """Look-alikes, zero-width characters, entities, escapes and case are seen through."""
    assert not is_live(safe(said))


@pytest.mark.parametrize(
    "said",
    [
        "`<!channel>` and ``x``",
        "```\n<!channel> @here\n```",
        "```python\n@everyone\n```\n\nafter",
        "- item\n  ```\n  <@U0BEN>\n  ```\n",
        "write to someone@here.example or a@channel",
        "if a < b and b > c: List[int]",
        "<!date^1700000000^{date}|a day>",
        "<https://example.org|a link>",
        "@channels and @hereby",
        "caf\u00e9 \u4f60\u597d \U0001f44d",
        "**\u91cd\u70b9**\uff1a\u8bf4\u660e **\u5f37\u8abf**\u3067\u3059 **\uac15\uc870**\ub294",
        "",
    ],
)
def test_code_and_harmless_text_stay_as_they_are(said: str):
    """What is code to every reader, or no mention at all, is not touched."""
    assert safe(said) == said


@pytest.mark.parametrize(
    "said",
    [
        "``<!channel>``",
        "`a\n<!channel>`",
        "` <!channel>",
        "~~~\n<!channel>\n~~~",
        "  ```\n  ```\n<!channel>",
        "- ```\n<!channel>\n```",
        "> ```\n<!channel>",
        "```a`b\n<!channel>",
        "<http://a`> x ` y ` <!channel> `",
        "a ` b\n`<!channel>` `",
        "| `a | <!channel>` |",
        f"`{'x' * 300} <!channel>`",
        "`" * 40 + "\n<!channel>\n" + "`" * 40,
        "`\\` <!channel> `",
    ],
)
def test_doubtful_code_is_not_trusted(said: str):
    """What only some readers take for code is text: a mention in it is defused."""
    assert not is_live(safe(said).replace("`", "").replace("~", ""))


def test_plain_surfaces_know_no_code():
    """In plain text a back-tick protects nothing."""
    assert inert("`<!channel>` @here") == f"`@{J}channel` @{J}here"
    assert not is_live(html.unescape(plain("`<!channel>` @**channel** <@U0BEN>")))


def test_a_prefix_is_held_back_only_where_it_must_be():
    """Whole lines and words leave at once; an open mention, fence line or back-tick waits."""
    held = {text: text[stable_length(text) :] for text in HELD}
    assert held == HELD


HELD = {
    "whole line\n": "",
    "one wo": "wo",
    "one word ": "",
    "see <@U0A": "<@U0A",
    "see <!subteam^S1|the devs ": "<!subteam^S1|the devs ",
    "run `make te": "`make te",
    "run `make test` ": "",
    "run `make test`": "`make test`",
    "```py\nx = 1": "x = 1",
    "```py\nx = 1\n": "",
    "a < b and ": "",
    "\u4f60\u597d\u4e16\u754c": "",
    "\u4f60\u597d@cha": "@cha",
    "end\r": "end\r",
}

PIECES = [
    *("<!channel>", "<!here|", "<@U0ANN>", "<@U0BEN|", "<!subteam^S1|devs>", "@channel", "@here"),
    *("<", ">", "!", "@", "|", "^", "&lt;", "&amp;", "&#60;", ";", "\\", "chan", "nel", "here"),
    *("`", "``", "```", "````", "~~~", "```py\n", "\n", "\n\n", " ", "  ", "    ", "- ", "> "),
    *("1. ", "# ", "| a | b |\n|---|---|\n", "\r\n", "\r", "\t", "\u200b", "\uff1c", "\u4f60"),
    *("\u0441", "word", "x", "\u00e9", "<a`b>", "<http://a`>", "---\n", "</", "everyone", "<!--"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


@settings(deadline=None)
@given(texts, texts)
def test_what_left_never_changes(before: str, after: str):
    """The filtered stable prefix of a text begins the filtered whole, whatever comes."""
    kept = before[: stable_length(before)]
    assert safe(before + after).startswith(safe(kept))


@settings(deadline=None)
@given(texts, st.data())
def test_every_chunking_gives_the_same_text(said: str, data: st.DataObject):
    """A stream fed in any pieces shows growing text, and in the end exactly the whole."""
    draft = Draft(ALLOWED)
    draft.begin(1)
    shown = ""
    rest = said
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        draft.add(rest[:size])
        rest = rest[size:]
        text = draft.text()
        assert text.startswith(shown)
        shown = text
    draft.complete()
    whole = draft.text()
    assert whole.startswith(shown)
    expected = safe(said.replace("\r", "")).rstrip().strip("\n")
    closing = whole.removeprefix(expected)
    assert whole.startswith(expected)
    assert re.fullmatch(r"(\n[`~]{3,})?", closing)


@settings(deadline=None)
@given(texts)
def test_no_broadcast_leaves_on_any_surface(said: str):
    """Neither the text, nor any message it is split into, nor its plain version pings."""
    text = safe(said)
    assert not is_live(text)
    assert not is_live(html.unescape(html.unescape(plain(text))))
    for piece in pieces(text, 256):
        assert not is_live(piece.text)


LIVE = re.compile(
    r"<!(channel|here|everyone|group|subteam\^)"
    r"|<@(?!U0ANN>)[UW][A-Z0-9]+|<#(?!C0API>)C[A-Z0-9]+"
    r"|(?<![a-z0-9_])@(channel|here|everyone)(?![a-z0-9_])",
    re.IGNORECASE,
)


def is_live(text: str) -> bool:
    """Judge as a careful reader would: code is code, all else is folded and searched."""
    parser = MarkdownIt("commonmark").enable("table").disable("html_block")
    return any(LIVE.search(_folded(said)) for said in _said(parser.parse(text)))


def _said(tokens: list[Token]) -> list[str]:
    said: list[str] = []
    for token in tokens:
        if token.children is not None:
            inner = ["`" if t.type == "code_inline" else t.content or "\n" for t in token.children]
            said += ["".join(inner), *(t.content for t in token.children if t.type == "text")]
        elif token.type == "code_block":
            said.append(token.content)
    return said


def _folded(text: str) -> str:
    hidden = {"Cf", "Cc"}
    seen = (c for c in text if c in f"{J}\n\t" or unicodedata.category(c) not in hidden)
    return html.unescape(unicodedata.normalize("NFKC", "".join(seen)))
