"""One Web API call, read from whatever encoding it came in.

JSON, form, multipart, query and GET all become the same `Call`; nested values that came as JSON
strings are decoded when a method asks for them.
"""

import base64
import json
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from urllib.parse import parse_qsl

from aiohttp import web

from bot.playground.errors import Json, SlackError, invalid_arguments
from bot.playground.model import App, Grant

Encoding = Literal["json", "form", "multipart", "query", "get"]
_TRUE = frozenset({"1", "true", "True", "t"})


@dataclass(slots=True)
class Call:
    """A call with its arguments as sent; `grant` is set once the token is known."""

    method: str
    encoding: Encoding
    token: str
    args: Json
    bytes_in: int = 0
    grant: Grant | None = None
    basic: tuple[str, str] | None = None
    warnings: list[str] = field(default_factory=list[str])

    @property
    def app(self) -> App:
        if self.grant is None:
            raise SlackError("not_authed")
        return self.grant.app

    def text(self, name: str, default: str = "") -> str:
        value = self.args.get(name)
        return default if value is None else str(value)

    def need(self, name: str) -> str:
        """Give a required argument, or refuse as Slack does."""
        value = self.text(name)
        if not value:
            raise invalid_arguments(f"missing required field: {name}")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self.args.get(name)
        if value is None or value == "":
            return default
        return value in _TRUE if isinstance(value, str) else bool(value)

    def number(self, name: str, default: int) -> int:
        try:
            return int(self.args.get(name, default))
        except (TypeError, ValueError):
            raise invalid_arguments(f"must be a number: {name}") from None

    def names(self, name: str) -> list[str]:
        """Give a list that came as a JSON array or separated by commas."""
        value = self.args.get(name)
        if isinstance(value, str):
            if not value.startswith("["):
                return [item.strip() for item in value.split(",") if item.strip()]
            value = decoded(value)
        if isinstance(value, dict):
            raise SlackError("invalid_array_arg")
        items = cast("list[Any]", value if isinstance(value, list) else [value])
        return [str(item) for item in items if item is not None]

    def given(self, name: str) -> bool:
        return self.args.get(name) is not None

    def structure(self, name: str, error: str) -> Any:  # noqa: ANN401 - JSON of any shape
        """Give a nested value, decoding a JSON string; `error` is what Slack calls a bad one."""
        value = self.args.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise SlackError(error) from None

    def objects(self, name: str, error: str) -> list[Json]:
        """Give a list of JSON objects, empty when absent."""
        value = self.structure(name, error)
        if value is None:
            return []
        items = cast("list[Any]", value) if isinstance(value, list) else None
        if items is None or not all(isinstance(item, dict) for item in items):
            raise SlackError(error)
        return cast("list[Json]", items)

    def object(self, name: str, error: str) -> Json | None:
        value = self.structure(name, error)
        if value is not None and not isinstance(value, dict):
            raise SlackError(error)
        return cast("Json | None", value)


def decoded(text: str) -> Any:  # noqa: ANN401 - JSON of any shape
    try:
        return json.loads(text)
    except ValueError:
        raise SlackError("invalid_array_arg") from None


async def read_call(request: web.Request, method: str) -> Call:
    """Read a request into a call; raises `SlackError` for a body that cannot be read."""
    call = Call(method, "get" if request.method == "GET" else "query", "", dict(request.query))
    if request.body_exists and request.method != "GET":
        await _read_body(request, call)
    argument = str(call.args.pop("token", ""))
    call.basic = _basic(request)
    call.token = _bearer(request) or ("" if call.encoding == "json" else argument)
    return call


async def _read_body(request: web.Request, call: Call) -> None:
    if request.content_type == "multipart/form-data":
        call.encoding = "multipart"
        call.bytes_in = request.content_length or 0
        call.args.update(await _multipart(request))
        return
    body = await request.read()
    call.bytes_in = len(body)
    if not body:
        return
    if request.content_type == "application/json":
        call.encoding = "json"
        call.args.update(_json_object(body))
    elif request.content_type == "application/x-www-form-urlencoded":
        call.encoding = "form"
        call.args.update(parse_qsl(body.decode("utf-8"), keep_blank_values=True))
    else:
        known = "Content-Type" in request.headers
        raise SlackError("invalid_post_type" if known else "missing_post_type")


async def _multipart(request: web.Request) -> Json:
    try:
        fields = await request.post()
    except ValueError:
        raise SlackError("invalid_form_data") from None
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def _json_object(body: bytes) -> Json:
    try:
        value: Any = json.loads(body)
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(value, dict):
        raise SlackError("json_not_object")
    return cast("Json", value)


def _bearer(request: web.Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _basic(request: web.Request) -> tuple[str, str] | None:
    """Read client id and secret from HTTP Basic."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        client_id, _, secret = base64.b64decode(given, validate=True).decode().partition(":")
    except ValueError:
        raise SlackError("invalid_auth") from None
    return client_id, secret
