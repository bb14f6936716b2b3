"""The source tree as data, for the ratchets: files, functions, imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("bot", "harness", "storage")


@cache
def sources(*folders: str) -> tuple[Path, ...]:
    return tuple(sorted(p for f in folders for p in (ROOT / f).rglob("*.py")))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def report(offences: list[str], why: str) -> None:
    assert not offences, f"{why}\n" + "\n".join(offences)


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def import_graph() -> dict[str, frozenset[str]]:
    """Module -> modules of ours it imports when it is imported (not those inside functions)."""
    known = {module_name(p) for p in sources(*PACKAGES)}
    graph: dict[str, frozenset[str]] = {}
    for path in sources(*PACKAGES):
        found: set[str] = set()
        for node in tree_of(path).body:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= (inner & known) or {node.module}
        graph[module_name(path)] = frozenset(found & known - {module_name(path)})
    return graph


def imported_by(path: Path) -> Iterator[tuple[int, str]]:
    """Every import of a file, also those inside functions: its line and the module."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
