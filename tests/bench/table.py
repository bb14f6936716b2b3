"""Numbers as people read them: medians, percentiles, and one aligned table against targets."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Numbers = dict[str, float]


@dataclass(frozen=True, slots=True)
class Metric:
    """One line: which number, its unit, and the most it may be (none: only reported)."""

    key: str
    name: str
    unit: str
    most: float | None = None


def spread(key: str, seconds: Sequence[float]) -> Numbers:
    """Give p50, p95 and the largest of some times, in ms."""
    ms = sorted(1000 * each for each in seconds)
    return {
        f"{key}_p50": statistics.median(ms),
        f"{key}_p95": ms[max(0, -(-len(ms) * 95 // 100) - 1)],
        f"{key}_max": ms[-1],
    }


def machine() -> str:
    """Say what the machine is and how busy: the numbers are worth what it leaves them."""
    one, five, _ = os.getloadavg()
    fsync = spread("fsync", _fsync_seconds())
    return (
        f"{os.cpu_count()} cores, load {one:.1f} now and {five:.1f} over 5 min, "
        f"fdatasync p50 {fsync['fsync_p50']:.2g} and p95 {fsync['fsync_p95']:.2g} ms, "
        f"Python {sys.version.split()[0]}"
    )


def _fsync_seconds() -> list[float]:
    """Time what the store does for every write."""
    times: list[float] = []
    with tempfile.TemporaryFile(buffering=0) as file:
        for _ in range(100):
            file.write(b"x" * 300)
            began_at = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began_at)
    return times


def show(metrics: Iterable[Metric], mine: Mapping[str, float], floor: Mapping[str, float]) -> None:
    """Print the table: ours, the floor's, their ratio, the target, and whether it is met."""
    head = ("metric", "Deskmate", "floor", "ratio", "target", "met")
    lines = [head, *(_line(m, mine.get(m.key), floor.get(m.key)) for m in metrics)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        first, *rest = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        aligned = [cell.strip().rjust(len(cell)) for cell in rest]
        sys.stdout.write("  ".join([first, *aligned]) + "\n")


def _line(metric: Metric, mine: float | None, floor: float | None) -> tuple[str, ...]:
    ratio = f"{mine / floor:.1f}" if mine and floor else ""
    target, met = "", ""
    if metric.most is not None:
        target = f"<= {metric.most:g}"
        met = "" if mine is None else ("yes" if mine <= metric.most else "NO")
    return (f"{metric.name}, {metric.unit}", _number(mine), _number(floor), ratio, target, met)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
