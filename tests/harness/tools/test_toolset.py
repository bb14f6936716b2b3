"""The tool boundary: whatever the model asks for, a result comes back."""

from typing import Any

import pytest
from pydantic import BaseModel

from harness.errors import LeaseLost, ToolError
from harness.models import ToolCall
from harness.tools import Scope, Tool, Toolset
from harness.tools.files import FILE_TOOLS
from harness.tools.results import MAX_RESULT_BYTES, content_of

TOOLS = Toolset(FILE_TOOLS)


class Nothing(BaseModel):
    """No arguments."""


def tool(error: Exception | None = None, output: object = "fine", name: str = "probe") -> Tool[Any]:
    async def probe(_: Nothing, __: Scope) -> object:
        if error is not None:
            raise error
        return output

    return Tool(name, "Probes.", Nothing, "read", probe, lambda _: "probing")


def test_tools_are_listed_by_name_whatever_their_order() -> None:
    """The list in a request never changes, and carries no noise."""
    assert [schema.name for schema in Toolset(reversed(FILE_TOOLS)).schemas] == [
        "file_edit",
        "file_list",
        "file_read",
        "file_search",
        "file_write",
    ]
    assert TOOLS.schemas[2].parameters == {
        "additionalProperties": False,
        "properties": {
            "path": {"type": "string"},
            "start": {"default": 1, "minimum": 1, "type": "integer"},
            "lines": {"default": 400, "maximum": 5000, "minimum": 1, "type": "integer"},
        },
        "required": ["path"],
        "type": "object",
    }


def test_two_tools_of_one_name_are_a_mistake() -> None:
    """A caller's mistake is told at once."""
    with pytest.raises(ValueError, match="share a name"):
        Toolset((tool(), tool()))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{", "The arguments are not valid JSON"),
        ("[" * 10_000, "The arguments are not valid JSON"),
        (r'{"path": "\ud800"}', "The arguments are not valid JSON"),
        ("[]", "The arguments are not a JSON object."),
        ("", "path: Field required."),
        ('{"path": 1}', "path: Input should be a valid string."),
        ('{"path": "a", "start": 0}', "start: Input should be greater than or equal to 1."),
        ('{"path": "a", "mode": "r"}', "mode: Extra inputs are not permitted."),
    ],
)
async def test_wrong_arguments_are_named(scope: Scope, raw: str, message: str) -> None:
    """The field, what is wrong with it, and what the tool takes; retrying makes sense."""
    result = await TOOLS.call("file_read", raw, scope)
    assert (result.status, result.error_type, result.retryable) == ("error", "invalid_args", True)
    assert result.message.startswith(message)


async def test_an_unknown_tool_is_answered_with_the_nearest(scope: Scope) -> None:
    """A slip of the name is told apart from a tool that is not there."""
    near = await TOOLS.call("read_file", "{}", scope)
    assert (near.error_type, near.message) == ("not_found", "There is no tool `read_file`.")
    assert "file_read" in near.suggestion
    assert (await TOOLS.call("zzz", "{}", scope)).suggestion == (
        "Use one of: file_edit, file_list, file_read, file_search, file_write."
    )
    assert (await Toolset(()).call("x", "{}", scope)).suggestion == "Answer without tools."


async def test_no_arguments_at_all_are_an_empty_object(scope: Scope) -> None:
    """As some endpoints send them."""
    assert (await Toolset((tool(),)).call("probe", "", scope)).output == "fine"


async def test_a_tools_own_error_is_what_the_model_reads(scope: Scope) -> None:
    """Type, message and suggestion come through."""
    error = ToolError("timeout", "It took too long.", "Ask for less.", retryable=True)
    result = await Toolset((tool(error),)).call("probe", "{}", scope)
    assert (result.error_type, result.message) == ("timeout", "It took too long.")
    assert (result.suggestion, result.retryable) == ("Ask for less.", True)


async def test_a_bug_in_a_tool_shows_no_secrets(
    scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    """The model reads a reference, the log has the traceback under it."""
    result = await Toolset((tool(RuntimeError("/srv/secret")),)).call("probe", "{}", scope)
    reference = result.message.removeprefix("`probe` broke (reference ").removesuffix(").")
    assert (result.error_type, len(reference)) == ("internal", 8)
    assert "/srv/secret" not in content_of(result)
    assert [record.__dict__["reference"] for record in caplog.records] == [reference]
    assert "/srv/secret" in caplog.text


async def test_a_lost_lease_is_no_tool_error(scope: Scope) -> None:
    """It ends the turn; the model is not told."""
    with pytest.raises(LeaseLost):
        await Toolset((tool(LeaseLost()),)).call("probe", "{}", scope)


async def test_a_result_is_never_too_long(scope: Scope) -> None:
    """64 KiB, head and tail."""
    result = await Toolset((tool(output={"text": "é" * 200_000}),)).call("probe", "{}", scope)
    assert MAX_RESULT_BYTES * 0.7 < len(content_of(result).encode()) < MAX_RESULT_BYTES + 100


@pytest.mark.parametrize(
    ("name", "arguments", "label"),
    [
        ("file_read", '{"path": "src/app.py"}', "reading `src/app.py`"),
        ("file_list", "", "listing `.`"),
        ("file_write", '{"path": "hello.py", "content": ""}', "writing `hello.py`"),
        ("file_read", '{"path": "a`\\n<!channel>"}', "reading `a' <!channel>`"),
        ("file_read", "{", "using `file_read`"),
        ("rm `x`\n", "{}", "using `rm 'x'`"),
    ],
)
def test_a_label_says_what_happens_in_one_safe_line(name: str, arguments: str, label: str) -> None:
    """For Slack's status line; the model's text cannot leave the code span."""
    assert TOOLS.label(ToolCall(id="a", name=name, arguments=arguments)) == label


def test_only_a_write_is_a_write() -> None:
    """What is unknown changes nothing, because it is never run."""
    assert [TOOLS.effect(name) for name in ("file_write", "file_read", "zzz")] == [
        "write",
        "read",
        "read",
    ]
