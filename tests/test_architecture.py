"""The ratchets of the house: sizes, arrows, names. They only ever tighten.

An offender stands in `DEBTS` with its exact present number and may only shrink; the table is empty.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.tree import (
    PACKAGES,
    ROOT,
    functions,
    import_graph,
    imported_by,
    name_of,
    report,
    sources,
    tree_of,
)

DEBTS: dict[str, int] = {}

MAX_FILE_LINES = 350
MAX_FUNCTION_LINES = 50
MAX_PARAMETERS = 6
MAX_METHODS = 12
MAX_INHERITANCE = 2
MAX_IMPORT_CHAIN = 9
MAX_MOCKS_PER_TEST = 0.05
MAX_TYPE_IGNORES = 10

# The boundaries of design.md 6: tool call, worker loop, listener, ticker job, trace writer, MCP
# task. Each file names how many broad excepts it may hold.
BROAD_EXCEPTS = {
    "bot/gateway/backfill.py": 1,
    "bot/turns.py": 1,
    "bot/worker.py": 1,
    "harness/tools/__init__.py": 1,
}
FORBIDDEN_NAMES = re.compile(
    r"(Manager|Helper|Util|Utils|Handler|Processor|Service|Factory|Impl|Mixin|Wrapper|Info|Data)$"
    r"|^(Base|Abstract)[A-Z]|^_?(process|do|perform)_"
)
TO_DO = re.compile(r"#.*\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
SKIPS = re.compile(r"pytest\.(mark\.)?(skip|xfail)|unittest\.skip|importorskip")
MOCKS = re.compile(r"MagicMock|AsyncMock|mocker\.|monkeypatch\.setattr|@patch|mock\.patch")


def over(key: str, number: int, limit: int) -> bool:
    return number > DEBTS.get(key, limit)


def test_files_stay_small():
    """A file that wants to grow past the limit has more than one responsibility."""
    offences: list[str] = []
    for path in sources(*PACKAGES, "tests"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if over(name_of(path), lines, MAX_FILE_LINES):
            offences.append(f"{name_of(path)}: {lines} lines")
    report(offences, f"files over {MAX_FILE_LINES} lines: split by responsibility")


def test_page_files_stay_small():
    """The page's scripts follow the same limit."""
    page = ROOT / "bot" / "playground" / "page"
    offences = [
        f"{name_of(path)}: {lines} lines"
        for path in sorted(page.glob("**/*.js"))
        if over(name_of(path), lines := len(path.read_text().splitlines()), MAX_FILE_LINES)
    ]
    report(offences, f"scripts over {MAX_FILE_LINES} lines")


def test_functions_stay_short_and_take_few_parameters():
    """Functions fit on a screen and in a head."""
    offences: list[str] = []
    for path in sources(*PACKAGES, "tests"):
        for node in functions(path):
            where = f"{name_of(path)}:{node.lineno} {node.name}"
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if over(f"{name_of(path)}:{node.name}", lines, MAX_FUNCTION_LINES):
                offences.append(f"{where}: {lines} lines")
            taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            # Fixtures come in as parameters, so tests are not counted.
            count = len([a for a in taken if a.arg not in {"self", "cls"}])
            if path.is_relative_to(ROOT / "tests"):
                continue
            if count > MAX_PARAMETERS:
                offences.append(f"{where}: {count} parameters")
    report(offences, "functions too long or with too many parameters")


def test_classes_have_few_methods():
    """No god objects."""
    offences: list[str] = []
    for path in sources(*PACKAGES):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                methods = [
                    n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                own = [m for m in methods if not m.name.startswith("__")]
                if len(own) > MAX_METHODS:
                    offences.append(f"{name_of(path)}:{node.lineno} {node.name}: {len(own)}")
    report(offences, f"classes with more than {MAX_METHODS} methods")


def test_inheritance_is_shallow():
    """At most two classes deep, exceptions aside."""
    parents: dict[str, list[str]] = {}
    for path in sources(*PACKAGES):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                parents[node.name] = [b.id for b in node.bases if isinstance(b, ast.Name)]

    def depth(name: str) -> int:
        return 1 + max((depth(p) for p in parents.get(name, [])), default=0)

    def is_exception(name: str) -> bool:
        return name.endswith("Exception") or any(is_exception(p) for p in parents.get(name, []))

    offences = [
        f"{name}: {depth(name)} deep"
        for name in parents
        if depth(name) > MAX_INHERITANCE and not is_exception(name)
    ]
    report(offences, "towers of inheritance")


def test_there_are_no_import_cycles_and_chains_are_short():
    """Arrows go in one direction, and not through ten rooms."""
    graph = import_graph()
    longest: dict[str, int] = {}

    def visit(module: str, path: tuple[str, ...]) -> int:
        assert module not in path, f"import cycle: {' -> '.join((*path, module))}"
        if module not in longest:
            chains = [visit(m, (*path, module)) for m in graph[module]]
            longest[module] = 1 + max(chains, default=0)
        return longest[module]

    offences = [f"{m}: {n}" for m in graph if (n := visit(m, ())) > MAX_IMPORT_CHAIN]
    report(offences, f"import chains longer than {MAX_IMPORT_CHAIN}")


def test_only_the_settings_read_the_environment():
    """One module reads the environment."""
    offences: list[str] = []
    for path in sources(*PACKAGES):
        if name_of(path) == "bot/settings.py":
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}:
                offences.append(f"{name_of(path)}:{node.lineno}")
    report(offences, "reads of the environment outside bot/settings.py")


def test_nothing_is_global():
    """No module-level state that functions change."""
    offences = [
        f"{name_of(path)}:{node.lineno}"
        for path in sources(*PACKAGES)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Global)
    ]
    report(offences, "`global` statements")


def test_broad_excepts_stand_only_at_the_named_boundaries():
    """A bug is caught in one place, and cancellation is never swallowed."""
    offences: list[str] = []
    for path in sources(*PACKAGES):
        count = 0
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else "everything"
                if re.search(r"\b(Base)?Exception\b|everything", caught):
                    count += 1
        if count > BROAD_EXCEPTS.get(name_of(path), 0):
            offences.append(f"{name_of(path)}: {count}")
    report(offences, "broad excepts outside the named boundaries")


def test_only_the_composition_root_builds_stores():
    """Classes of `storage` are constructed in bot/app.py and bot/cli/ alone."""
    classes = {
        node.name
        for path in sources("storage")
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
        and re.search(r"(Store|Queue|Heartbeat|Server)$", node.name)
    }
    offences: list[str] = []
    for path in sources("bot", "harness"):
        if name_of(path) == "bot/app.py" or name_of(path).startswith(
            ("bot/cli/", "bot/playground/")
        ):
            continue
        for node in ast.walk(tree_of(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in classes
            ):
                offences.append(f"{name_of(path)}:{node.lineno} {node.func.id}")
    report(offences, "stores built outside the composition root")


def test_the_playground_stands_alone():
    """bot/playground imports nothing of ours, and only cli/demo and tests import it."""
    offences: list[str] = []
    for path in sources(*PACKAGES):
        inside = name_of(path).startswith("bot/playground/")
        may_import_it = inside or name_of(path).startswith("bot/cli/demo")
        for line, name in imported_by(path):
            of_it = f"{name}.".startswith("bot.playground.")
            leaves = inside and name.split(".")[0] in PACKAGES and not of_it
            if leaves or (of_it and not may_import_it):
                offences.append(f"{name_of(path)}:{line} imports {name}")
    report(offences, "the playground's walls are broken")


def test_names_say_what_a_thing_is():
    """No Manager, no Helper, no do_."""
    offences: list[str] = []
    for path in sources(*PACKAGES):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
                FORBIDDEN_NAMES.search(node.name)
            ):
                offences.append(f"{name_of(path)}:{node.lineno} {node.name}")
    report(offences, "names that say nothing")


def test_no_module_is_named_like_another_library():
    """storage/redis.py would shadow nothing and confuse everyone; design.md names one exception."""
    taken = set(sys.stdlib_module_names) | {
        "redis",
        "slack",
        "openai",
        "aiohttp",
        "pydantic",
        "yaml",
    }
    offences = [
        name_of(p)
        for p in sources(*PACKAGES)
        if p.stem in taken - {"__main__"} and name_of(p) != "storage/queue.py"
    ]
    report(offences, "modules named like a library")


def test_there_is_no_debt_in_comments_and_no_skipped_test():
    """Do it, or write it in the note; a test that does not run is no test."""
    offences: list[str] = []
    for path in sources(*PACKAGES, "tests"):
        if path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if TO_DO.search(line) or SKIPS.search(line) or "NotImplementedError" in line:
                offences.append(f"{name_of(path)}:{number} {line.strip()}")
    report(offences, "to-dos, stubs and skipped tests")


def test_mocks_are_rare():
    """Nothing is mocked that can be run."""
    tests = mocks = 0
    for path in sources("tests"):
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8")
        tests += len(re.findall(r"^\s*(?:async )?def test_", text, re.MULTILINE))
        mocks += len(MOCKS.findall(text))
    assert mocks <= MAX_MOCKS_PER_TEST * tests, f"{mocks} mocks in {tests} tests"


def test_type_ignores_are_few_and_have_reasons():
    """Strict types, with at most ten exceptions, each explained."""
    ignores: list[str] = []
    bare: list[str] = []
    for path in sources(*PACKAGES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "pyright: ignore" in line or "type: ignore" in line:
                ignores.append(f"{name_of(path)}:{number}")
                if not re.search(r"ignore\[[\w, ]+\] - \w", line):
                    bare.append(f"{name_of(path)}:{number}")
    report(bare, "type ignores without a rule or a reason")
    assert len(ignores) <= MAX_TYPE_IGNORES, "\n".join(ignores)


def test_every_test_folder_is_a_package():
    """Without __init__.py in tests/ and each folder, tests/harness shadows harness."""
    folders = {p.parent for p in sources("tests")} | {ROOT / "tests"}
    report([name_of(f) for f in sorted(folders) if not (f / "__init__.py").exists()], "no __init__")


def test_importing_has_no_side_effects_and_no_heavy_libraries():
    """`import harness.agent` loads neither a provider nor Redis nor Slack."""
    code = (
        "import sys, harness.agent, harness.chat.rehearsal;"
        "bad = {'openai', 'redis', 'slack_sdk', 'slack_bolt', 'numpy'} & set(sys.modules);"
        "sys.exit(f'loaded: {bad}' if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_the_import_contracts_hold():
    """The arrows bot -> storage -> harness, checked by import-linter."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()
