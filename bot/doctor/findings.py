"""One finding of the doctor, and how findings read: a line each, or JSON. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `advice` says what to do, where something is to be done."""

    group: str
    level: Level
    text: str
    advice: str = ""


def ok(group: str, text: str) -> Finding:
    return Finding(group, "ok", text)


def warn(group: str, text: str, advice: str) -> Finding:
    return Finding(group, "warn", text, advice)


def fail(group: str, text: str, advice: str = "") -> Finding:
    return Finding(group, "fail", text, advice)


def render(findings: Sequence[Finding]) -> str:
    """Return a line for each finding, then one that counts."""
    width = max((len(each.group) for each in findings), default=0)
    return "\n".join([*(_line(each, width) for each in findings), "", _summary(findings)])


def render_json(findings: Sequence[Finding]) -> str:
    """Return the findings as one JSON object: `{"ok": bool, "checks": [...]}`."""
    healthy = all(each.level != "fail" for each in findings)
    return json.dumps({"ok": healthy, "checks": [asdict(each) for each in findings]}, indent=2)


def _line(finding: Finding, width: int) -> str:
    said = " ".join(filter(None, (_sentence(finding.text), finding.advice)))
    return f"{finding.level:<4}  {finding.group:<{width}}  {said}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", ":", "?")) else f"{text}."


def _summary(findings: Iterable[Finding]) -> str:
    levels = [each.level for each in findings]
    failed, warned = levels.count("fail"), levels.count("warn")
    if not failed and not warned:
        return "All is well."
    parts = [f"{failed} failed"] * bool(failed) + [f"{warned} to look at"] * bool(warned)
    return f"{', '.join(parts)}, {levels.count('ok')} ok."
