"""Tool results as the model reads them: one JSON shape, bounded, nothing invisible in it.

Neighbours: the tool boundary (`harness.tools`) makes the results, `journal` stores the text.
"""

from typing import Any, cast

from harness.models import ToolResult
from harness.plain import visible_json

MAX_RESULT_BYTES = 64 * 1024

INTERRUPTED = ToolResult(
    status="error",
    error_type="interrupted",
    message="This call was stopped before it began.",
    suggestion="Call again if the result is still needed.",
    retryable=True,
)
UNKNOWN_OUTCOME = ToolResult(
    status="error",
    error_type="unknown_outcome",
    message="I was interrupted in this call; nobody knows whether it had its effect.",
    suggestion="Look at the present state first; do it again only if it did not happen.",
)

_LEAST_SHARE = 64


def content_of(result: ToolResult) -> str:
    """Write a result as the JSON text of a tool message."""
    if result.status == "ok":
        return visible_json({"status": "ok", "output": result.output})
    return visible_json(
        {
            "status": "error",
            "error_type": result.error_type,
            "message": result.message,
            "suggestion": result.suggestion,
            "retryable": result.retryable,
        }
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


def _size(value: object) -> int:
    return len(visible_json(value).encode())
