"""Match a pattern against texts, line by line: a program of its own, started by `search`.

A pattern can keep Python's matching busy for hours, and nothing else in the process would move
meanwhile; here it can be ended from outside. It imports nothing of ours.

    in:   one line of JSON {"pattern": str, "limit": int, "sizes": [int]}, then the texts as bytes
    out:  JSON {"matches": [[number of the text, line from 1, excerpt]]} or {"error": str}
"""

import json
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

_MAX_MEMORY = 1024**3
_EXCERPT = 240
_BEFORE = 80


def matches(pattern: "re.Pattern[str]", texts: list[str]) -> Iterator[tuple[int, int, str]]:
    """Give each line that matches: which text, which line, and what stands around the match."""
    for number, text in enumerate(texts):
        for line, content in enumerate(text.split("\n"), start=1):
            whole = content.removesuffix("\r")
            if found := pattern.search(whole):
                yield number, line, excerpt(whole, found.start())


def excerpt(line: str, start: int) -> str:
    """Cut a long line down to what stands around `start`."""
    begin = 0 if len(line) <= _EXCERPT else max(0, start - _BEFORE)
    end = begin + _EXCERPT
    return f"{'…' * (begin > 0)}{line[begin:end]}{'…' * (end < len(line))}"


def main() -> None:
    with suppress(ValueError, OSError):  # not every system can bound this
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    asked = json.loads(sys.stdin.buffer.readline())
    texts = [sys.stdin.buffer.read(size).decode(errors="replace") for size in asked["sizes"]]
    try:
        found = matches(re.compile(asked["pattern"]), texts)
        answer: dict[str, object] = {"matches": list(islice(found, asked["limit"]))}
    except (re.error, MemoryError, RecursionError, OverflowError) as error:
        answer = {"error": str(error) or type(error).__name__}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
