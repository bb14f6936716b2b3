"""Text of unknown origin made plain: quoted on one line, nothing invisible in it."""

import json
import re

from pydantic_core import from_json

_QUOTED_CHARS = 60

# Characters that a reader does not see but a model does (tags, bidi, zero width, C1, byte order
# mark) and halves of surrogate pairs.
_UNSEEN = re.compile(
    "[\x7f-\x9f\u00ad\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufe00-\ufe0e"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def quoted(text: str) -> str:
    """Put text into a code span: one line, short, no way out of the span."""
    line = "".join(char if char.isprintable() else " " for char in text).replace("`", "'").strip()
    if len(line) > _QUOTED_CHARS:
        line = f"{line[: _QUOTED_CHARS // 2 - 1]}…{line[1 - _QUOTED_CHARS // 2 :]}"
    return f"`{line or '?'}`"


def visible_json(value: object) -> str:
    """Write JSON in which unseen characters are escapes: the same value, but all of it shows."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def is_object(text: str) -> bool:
    """Say whether the text is one whole JSON object."""
    try:
        return isinstance(from_json(text), dict)
    except ValueError:
        return False


def mended(text: str) -> str:
    """Join halves of surrogate pairs; a half that is alone becomes a replacement character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
