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
    error: dict[str, object] = {
        "status": "error",
        "error_type": result.error_type,
        "message": result.message,
        "suggestion": result.suggestion,
        "retryable": result.retryable,
    }
    if result.retry_after_s is not None:
        error["retry_after_s"] = result.retry_after_s
    return visible_json(error)


def fits(output: object, limit: int = MAX_RESULT_BYTES) -> bool:
    """Say whether JSON-able output may go to the model as it is."""
    return _size(output) <= limit


def fit(output: object, limit: int = MAX_RESULT_BYTES, whole_in: str | None = None) -> object:
    """Cut JSON-able output down to `limit` bytes of JSON: head and tail stay, the middle goes.

    `whole_in` is the file that holds all of it; the cut says so.
    """
    if fits(output, limit):
        return output
    where = f"; all of it is in {whole_in}" if whole_in else ""
    if isinstance(output, list | tuple):
        return _fit_list(list(cast("list[Any]", output)), limit, where)
    if isinstance(output, dict):
        return _fit_dict(cast("dict[str, Any]", output), limit, whole_in)
    return _fit_text(str(output), limit, where)


def _fit_text(text: str, limit: int, where: str) -> str:
    keep = min(len(text), limit)
    while True:
        head, tail = text[: keep * 2 // 3], text[len(text) - keep // 3 :]
        left_out = len(text) - len(head) - len(tail)
        cut = f"{head}\n[... {left_out} characters left out{where} ...]\n{tail}"
        if _size(cut) <= limit or keep < _LEAST_SHARE:
            return cut
        keep = keep * 9 // 10


def _fit_list(items: list[Any], limit: int, where: str) -> list[Any]:
    keep = len(items)
    while keep > 1:
        keep = keep * 9 // 10
        head, tail = items[: keep - keep // 3], items[len(items) - keep // 3 :]
        cut = [*head, f"[... {len(items) - keep} entries left out{where} ...]", *tail]
        if _size(cut) <= limit:
            return cut
    first = fit(items[0], max(limit - 100 - len(where), _LEAST_SHARE))
    return [first, f"[... the rest left out{where} ...]"]


def _fit_dict(members: dict[str, Any], limit: int, whole_in: str | None) -> dict[str, Any]:
    largest = max(members, key=lambda name: _size(members[name]))
    rest = _size(members) - _size(members[largest])
    share = max(limit - rest, _LEAST_SHARE)
    return members | {largest: fit(members[largest], share, whole_in)}


def _size(value: object) -> int:
    return len(visible_json(value).encode())
