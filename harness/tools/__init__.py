"""Tools and the one place where they are called.

A tool is a value: name, description, arguments, effect, and the function that does it. `Toolset`
checks the arguments, calls, and turns whatever happens into a result for the model.
Neighbours: `files` (the built-in ones), `results` (how a result is written), `spill` (where the
whole of a long one is kept), `loop` (who calls).
"""

import asyncio
import difflib
import hashlib
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from harness.errors import LeaseLost, StoreUnavailable, ToolError
from harness.models import Effect, Project, SessionKey, ToolCall, ToolResult, ToolSchema, UserId
from harness.plain import quoted
from harness.tools.results import fit, fits
from harness.tools.spill import keep

logger = logging.getLogger(__name__)

_FIELDS_NAMED = 5

Arguments = TypeVar("Arguments", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Scope:
    """On whose behalf and where a tool works."""

    project: Project
    session: SessionKey
    requester: UserId


@dataclass(frozen=True, slots=True)
class Tool(Generic[Arguments]):
    """One tool. `run` returns JSON-able output or raises `ToolError`; `label` says what it does.

    Output that is too long is cut, and all of it kept in a file of the session, unless `spills`
    is False: the whole text is elsewhere anyway, or must not lie about. An argument that is
    `volatile` does not make a call another one. `outside` names where the output comes from if
    that is outside of the project ("web", "mcp:jira"): it taints the session.
    """

    name: str
    description: str
    args: type[Arguments]
    effect: Effect
    run: Callable[[Arguments, Scope], Awaitable[object]]
    label: Callable[[Arguments], str]
    spills: bool = True
    volatile: frozenset[str] = frozenset()
    outside: str = ""


class Toolset:
    """The tools of a turn, sorted by name, so that every request lists them alike."""

    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        ordered = sorted(tools, key=lambda tool: tool.name)
        self._tools = {tool.name: tool for tool in ordered}
        if len(self._tools) != len(ordered):
            raise ValueError("two tools share a name")
        self.schemas: tuple[ToolSchema, ...] = tuple(_schema(tool) for tool in ordered)

    def effect(self, name: str) -> Effect:
        """Say what a call may change; a tool that does not exist changes nothing."""
        tool = self._tools.get(name)
        return tool.effect if tool else "read"

    def taint(self, name: str) -> tuple[str, ...]:
        """Say what the output of a tool taints a session with."""
        tool = self._tools.get(name)
        return (tool.outside,) if tool and tool.outside else ()

    def label(self, call: ToolCall) -> str:
        """Say in a few words what a call does, also for calls that make no sense."""
        try:
            tool, arguments = self._parse(call.name, call.arguments)
        except ToolError:
            return f"using {quoted(call.name)}"
        return tool.label(arguments)

    def problem(self, call: ToolCall) -> ToolResult | None:
        """Say what is wrong with a call before anything happens: no such tool, wrong arguments."""
        try:
            self._parse(call.name, call.arguments)
        except ToolError as error:
            return _error_result(error)
        return None

    def fingerprint(self, call: ToolCall) -> str:
        """Name a call so that the same call, however it is written, has the same name."""
        try:
            tool, arguments = self._parse(call.name, call.arguments)
            canonical = arguments.model_dump(mode="json", exclude=set(tool.volatile))
        except ToolError:
            canonical = call.arguments.strip()
        text = json.dumps([call.name, canonical], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    async def call(self, name: str, raw_arguments: str, scope: Scope) -> ToolResult:
        """Call a tool with the raw arguments of the model; a tool's fault is a result, no error."""
        try:
            tool, arguments = self._parse(name, raw_arguments)
            output = await tool.run(arguments, scope)
            return ToolResult(status="ok", output=await _bounded(output, tool, scope))
        except ToolError as error:
            return _error_result(error)
        except (LeaseLost, StoreUnavailable):
            raise
        except Exception:  # the tool boundary: a bug in one tool must not end a turn
            reference = f"E-{secrets.token_hex(3)}"
            logger.exception("tool_failed", extra={"tool": name, "reference": reference})
            return ToolResult(
                status="error",
                error_type="internal",
                message=f"{quoted(name)} broke (reference {reference}).",
                suggestion="Try another way, or tell the person the reference.",
            )

    def _parse(self, name: str, raw_arguments: str) -> tuple[Tool[Any], BaseModel]:
        tool = self._tools.get(name)
        if tool is None:
            near = difflib.get_close_matches(name, self._tools, n=3, cutoff=0.4) or self._tools
            raise ToolError(
                "not_found",
                f"There is no tool {quoted(name)}.",
                f"Use one of: {', '.join(near)}." if near else "Answer without tools.",
            )
        try:
            return tool, tool.args.model_validate(_load_object(raw_arguments))
        except ValidationError as error:
            fields = ", ".join(tool.args.model_fields)
            raise ToolError(
                "invalid_args", _explain(error), f"{name} takes: {fields}.", retryable=True
            ) from error


async def _bounded(output: object, tool: Tool[Any], scope: Scope) -> object:
    if fits(output):
        return output
    kept = None
    if tool.spills:
        kept = await asyncio.to_thread(keep, scope.project.folder, scope.session, output)
    return fit(output, whole_in=kept)


def _load_object(raw_arguments: str) -> dict[str, Any]:
    # Some endpoints send nothing at all for a tool without arguments.
    try:
        loaded: Any = from_json(raw_arguments) if raw_arguments.strip() else {}
    except ValueError as error:
        raise ToolError(
            "invalid_args",
            f"The arguments are not valid JSON: {error}.",
            "Send one JSON object.",
            retryable=True,
        ) from error
    if not isinstance(loaded, dict):
        raise ToolError(
            "invalid_args",
            "The arguments are not a JSON object.",
            "Send one JSON object.",
            retryable=True,
        )
    return cast("dict[str, Any]", loaded)


def _error_result(error: ToolError) -> ToolResult:
    return ToolResult(
        status="error",
        error_type=error.error_type,
        message=error.message,
        suggestion=error.suggestion,
        retryable=error.retryable,
        retry_after_s=error.retry_after_s,
    )


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    named = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
        for problem in problems[:_FIELDS_NAMED]
    ]
    return f"{'; '.join(named)}."


def _schema(tool: Tool[Any]) -> ToolSchema:
    parameters = _without_titles(tool.args.model_json_schema())
    parameters.pop("description", None)
    return ToolSchema(name=tool.name, description=tool.description, parameters=parameters)


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    for field in properties.values():
        field.pop("title", None)
    schema.pop("title", None)
    return schema
