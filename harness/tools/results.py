"""Tool results as the model reads them: one JSON shape, bounded, nothing invisible in it.

Neighbours: the tool boundary (`harness.tools`) makes the results, `journal` stores the text.
"""

import json
import re
from typing import Any, cast

from harness.errors import ToolError
from harness.models import ToolResult

MAX_RESULT_BYTES = 64 * 1024

# Characters that a reader does not see but a model does (tags, bidi, zero width, C1, byte order
# mark) and halves of surrogate pairs. In JSON an escape says the same and can be seen.
_UNSEEN = re.compile(
    "[\x7f-\x9f\u00ad\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufe00-\ufe0e"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LEAST_SHARE = 64


def content_of(result: ToolResult) -> str:
    """Write a result as the JSON text of a tool message."""
    if result.status == "ok":
        return _dump({"status": "ok", "output": result.output})
    return _dump(
        {
            "status": "error",
            "error_type": result.error_type,
            "message": result.message,
            "suggestion": result.suggestion,
            "retryable": result.retryable,
        }
    )


def error_result(error: ToolError) -> ToolResult:
    return ToolResult(
        status="error",
        error_type=error.error_type,
        message=error.message,
        suggestion=error.suggestion,
        retryable=error.retryable,
    )


def fit(output: object, limit: int = MAX_RESULT_BYTES) -> object:
    """Cut JSON-able output down to `limit` bytes of JSON: head and tail stay, the middle goes."""
    if _size(output) <= limit:
        return output
    if isinstance(output, str):
        return _fit_text(output, limit)
    if isinstance(output, list | tuple):
        return _fit_list(list(cast("list[Any]", output)), limit)
    if isinstance(output, dict):
        return _fit_dict(cast("dict[str, Any]", output), limit)
    return _fit_text(str(output), limit)


def _fit_text(text: str, limit: int) -> str:
    keep = min(len(text), limit)
    while True:
        head, tail = text[: keep * 2 // 3], text[len(text) - keep // 3 :]
        left_out = len(text) - len(head) - len(tail)
        cut = f"{head}\n[... {left_out} characters left out ...]\n{tail}"
        if _size(cut) <= limit or keep < _LEAST_SHARE:
            return cut
        keep = keep * 9 // 10


def _fit_list(items: list[Any], limit: int) -> list[Any]:
    keep = len(items)
    while keep > 1:
        keep = keep * 9 // 10
        head, tail = items[: keep - keep // 3], items[len(items) - keep // 3 :]
        cut = [*head, f"[... {len(items) - keep} entries left out ...]", *tail]
        if _size(cut) <= limit:
            return cut
    return [fit(items[0], max(limit - 100, _LEAST_SHARE)), "[... the rest left out ...]"]


def _fit_dict(members: dict[str, Any], limit: int) -> dict[str, Any]:
    largest = max(members, key=lambda name: _size(members[name]))
    rest = _size(members) - _size(members[largest])
    return members | {largest: fit(members[largest], max(limit - rest, _LEAST_SHARE))}


def _dump(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _UNSEEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _size(value: object) -> int:
    return len(_dump(value).encode())
