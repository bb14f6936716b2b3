"""docs/playground.md is checked: `python -m tests.bot.playground.test_document` writes its table.

The table comes from the method table and from what the tests call with which client.
"""

import re
from pathlib import Path

from bot.playground.control import ACTS
from bot.playground.methods import TABLE

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "playground.md"
TESTS = ROOT / "tests" / "bot" / "playground"
MARKED = re.compile(r"(<!-- methods -->\n).*?(<!-- /methods -->)", re.DOTALL)
CLIENTS = ("AsyncWebClient", "WebClient", "@slack/web-api")
HEADINGS = ("method", "token", "scope, any one of", "tier", "JSON body", *CLIENTS)
CALLERS = {"bot": "bot", "app": "app", "user": "person's (none here)", None: "none"}
STREAM = {"chat.startStream", "chat.appendStream", "chat.stopStream"}
UPLOAD = {"files.getUploadURLExternal", "files.completeUploadExternal"}

# Of these files, calls go out by the synchronous client.
THREADED = ("test_encodings.py", "test_clients.py", "test_oauth.py")
BY_HAND = {"chat_stream": STREAM, "files_upload_v2": UPLOAD}
NODE_BY_HAND = {"chatStream": STREAM, "filesUploadV2": UPLOAD, "SocketModeClient": set[str]()}


def called_by_python() -> set[str]:
    """Give the methods that tests call by AsyncWebClient, whose every call is `api("x.y", ...)`."""
    text = "\n".join(path.read_text() for path in sorted(TESTS.glob("test_*.py")))
    text = text.replace(Path(__file__).read_text(), "")
    return {name for name in re.findall(r'"([a-z]+(?:\.\w+)+)"', text) if name in TABLE}


def called_by_threads() -> set[str]:
    """Give the methods that tests call by the synchronous WebClient."""
    text = "\n".join((TESTS / name).read_text() for name in THREADED)
    by_name = {name.replace(".", "_"): name for name in TABLE}
    found = {by_name[word] for word in re.findall(r"\w+", text) if word in by_name}
    for word, methods in BY_HAND.items():
        found |= methods if word in text else set[str]()
    return found | {"apps.connections.open", "auth.test"}


def called_by_node() -> set[str]:
    """Give the methods that the Node tests call."""
    folder = ROOT / "tests" / "node"
    text = "\n".join(path.read_text() for path in sorted(folder.glob("*.js")))
    found = {name for name in re.findall(r"\w+\.([a-z]+(?:\.\w+)+)\(", text) if name in TABLE}
    found |= {name for name in re.findall(r"paginate\('([\w.]+)'", text) if name in TABLE}
    for word, methods in NODE_BY_HAND.items():
        found |= methods if word in text else set[str]()
    return found | {"apps.connections.open"}


def method_table() -> str:
    """Render the methods as Markdown."""
    rows = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
    columns = (called_by_python(), called_by_threads(), called_by_node())
    for name, method in sorted(TABLE.items()):
        marks = " | ".join("yes" if name in calls else "" for calls in columns)
        scopes = ", ".join(f"`{scope}`" for scope in method.scopes) or "-"
        body = "yes" if method.json else "not read"
        caller = CALLERS[method.caller]
        rows.append(f"| `{name}` | {caller} | {scopes} | {method.tier} | {body} | {marks} |")
    return "\n".join(rows) + "\n"


def test_the_table_is_the_generated_one() -> None:
    """Whoever adds a method, or a test of one, writes the table anew."""
    found = MARKED.search(PAGE.read_text(encoding="utf-8"))

    assert found
    assert found.group(0) == f"<!-- methods -->\n{method_table()}<!-- /methods -->"


def test_every_method_is_called_by_a_client_nobody_here_wrote() -> None:
    """A method that no independent client has called is a guess."""
    assert set(TABLE) == called_by_python() | called_by_threads() | called_by_node()


def test_every_act_is_in_the_document() -> None:
    """People's acts in the control API are listed."""
    text = PAGE.read_text(encoding="utf-8")

    assert [name for name in ACTS if f"`{name}`" not in text] == []


def write() -> None:
    text = PAGE.read_text(encoding="utf-8")
    written = MARKED.sub(lambda m: m.group(1) + method_table() + m.group(2), text)
    PAGE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    write()
