"""Structured logs with the turn's id, secrets cut out; on standard error.

One line an event: readable on a terminal, JSON elsewhere. Bolt's and the SDK's own lines go
through the same redaction.
"""

import logging
import re
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any

import structlog

CUT = "[redacted]"
_PATTERNS = re.compile(
    r"xox[a-z]-[A-Za-z0-9-]+|xapp-[A-Za-z0-9-]+|sk-[A-Za-z0-9_-]{8,}|AKIA[0-9A-Z]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)|(?i:(?<=bearer )[A-Za-z0-9._-]{8,})"
)


class Redaction:
    """Cuts known secrets and what looks like one out of every value of a log line."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({s for s in secrets if len(s) >= 6}, key=len, reverse=True)  # noqa: PLR2004 - shorter ones would cut ordinary words
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, value: str) -> str:
        if self._known is not None:
            value = self._known.sub(CUT, value)
        return _PATTERNS.sub(CUT, value)

    def __call__(
        self, _logger: object, _name: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        for key, value in event.items():
            if isinstance(value, str):
                event[key] = self.text(value)
        return event


def configure(*, secrets: Iterable[str] = (), level: str = "INFO") -> None:
    """Set up structlog and the standard library's root logger, once per process."""
    redaction = Redaction(secrets)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        redaction,
    ]
    renderer: Any = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level.lower()),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    # Bolt warns that it ignores a token it finds in the environment; what it may use we tell it.
    logging.getLogger("slack_bolt").setLevel(logging.ERROR)
