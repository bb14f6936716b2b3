"""The only reader of environment and configuration files.

Order: environment, then `.env`, then `deskmate.toml`, each looked for in the current directory
and then in `$DESKMATE_HOME`. All problems are reported at once; secrets hide in repr.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from dotenv import dotenv_values
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

DEFAULT_HOME = Path("~/.local/share/deskmate")
REHEARSAL = "rehearsal"
Follow = Literal["everyone", "requester", "mention"]
ProcessRole = Literal["all", "gateway", "worker"]


class SettingsError(Exception):
    """Settings are missing or malformed; `problems` has one sentence for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ProjectSettings(BaseModel):
    """What an operator fixed for one project, under `[projects.<id>]` in deskmate.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str | None = None
    folder: Path | None = None
    model: str | None = None
    follow: Follow = "everyone"


class HttpAddress(BaseModel):
    """Where health and metrics are served."""

    model_config = ConfigDict(frozen=True)
    host: str
    port: int


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part for part in re.split(r"[\s,]+", value) if part)
    return value


UserIds = Annotated[tuple[str, ...], BeforeValidator(_split)]


class Settings(BaseSettings):
    """Everything that can be configured, frozen once read."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    slack_bot_token: SecretStr | None = Field(
        None, description="bot token of the Slack app, starts with xoxb-"
    )
    slack_app_token: SecretStr | None = Field(
        None, description="app-level token with connections:write, starts with xapp-"
    )
    slack_api_url: str = Field(
        "https://slack.com/api/", description="base of the Web API; everything follows it"
    )
    openai_api_key: SecretStr | None = Field(None, description="key of the model endpoint")
    openai_base_url: str | None = Field(None, description="any OpenAI-compatible endpoint")
    deskmate_model: str = Field(
        "gpt-5-mini", description="main model; `rehearsal` is the built-in scripted one"
    )
    redis_url: SecretStr | None = Field(
        None, description="external Redis >= 7.0 or Valkey >= 8; unset: an embedded server"
    )
    deskmate_home: Path = Field(
        DEFAULT_HOME, description="data: embedded store, project folders", validate_default=True
    )
    deskmate_http: HttpAddress | None = Field(
        HttpAddress(host="127.0.0.1", port=8421), description="health and metrics, or `off`"
    )
    deskmate_timezone: str = Field("UTC", description="default project time zone")
    deskmate_lease_seconds: float = Field(
        10.0, ge=1, le=600, description="lease of a turn; beaten every fifth of it"
    )
    deskmate_allowed_users: UserIds = Field(
        (), description="allow-list of Slack user ids; empty: full members of the home workspace"
    )
    projects: dict[str, ProjectSettings] = Field(
        default_factory=dict[str, ProjectSettings], description="per project, in deskmate.toml"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take values from `load` alone: it knows the order and names the source of a fault."""
        return (init_settings,)

    @field_validator("slack_bot_token", "slack_app_token", "openai_api_key", mode="after")
    @classmethod
    def _strip_secret(cls, value: SecretStr | None) -> SecretStr | None:
        text = value.get_secret_value().strip() if value else ""
        return SecretStr(text) if text else None

    @field_validator("slack_bot_token")
    @classmethod
    def _is_bot_token(cls, value: SecretStr | None) -> SecretStr | None:
        return _with_prefix(value, "xoxb-")

    @field_validator("slack_app_token")
    @classmethod
    def _is_app_token(cls, value: SecretStr | None) -> SecretStr | None:
        return _with_prefix(value, "xapp-")

    @field_validator("slack_api_url", "openai_base_url")
    @classmethod
    def _is_http_url(cls, value: str | None) -> str | None:
        if not value:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError("is no http(s) address")
        return value if value.endswith("/") else value + "/"

    @field_validator("redis_url")
    @classmethod
    def _is_redis_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None or not value.get_secret_value().strip():
            return None
        if urlsplit(value.get_secret_value()).scheme not in {"redis", "rediss", "unix"}:
            raise ValueError("should start with redis://, rediss:// or unix://")
        return value

    @field_validator("deskmate_home")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("deskmate_http", mode="before")
    @classmethod
    def _address(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if value.strip().lower() == "off":
            return None
        host, _, port = value.strip().rpartition(":")
        if not port.isdigit() or not 0 <= int(port) <= 65535:  # noqa: PLR2004 - the TCP range
            raise ValueError("should be HOST:PORT or off")
        return {"host": host or "127.0.0.1", "port": int(port)}

    @field_validator("deskmate_timezone")
    @classmethod
    def _is_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as err:
            raise ValueError("is no time zone name such as Europe/Berlin") from err
        return value

    @property
    def secrets(self) -> tuple[str, ...]:
        """All secret values that are set, for whoever has to cut them out of a text."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return tuple(v.get_secret_value() for v in values if isinstance(v, SecretStr))

    @property
    def model_needs_key(self) -> bool:
        """Whether the endpoint of the main model wants a key; an own base URL may not."""
        return self.deskmate_model != REHEARSAL and self.openai_base_url is None

    def project(self, project_id: str) -> ProjectSettings:
        return self.projects.get(project_id, ProjectSettings())


def _with_prefix(value: SecretStr | None, prefix: str) -> SecretStr | None:
    if value is not None and not value.get_secret_value().startswith(prefix):
        raise ValueError(f"should start with {prefix}")
    return value


def load(environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """Read all sources once. Raises `SettingsError` naming every problem."""
    environ = os.environ if environ is None else environ
    cwd = cwd or Path.cwd()
    values, origins, problems = _gather(environ, cwd)
    try:
        settings = Settings(**values)
    except ValidationError as err:
        problems += [_sentence(error, origins) for error in err.errors()]
        raise SettingsError(problems) from None
    if problems:
        raise SettingsError(problems)
    return settings


def require_slack(settings: Settings, role: ProcessRole = "all") -> None:
    """Raise `SettingsError` unless what `deskmate run` needs is there: Slack tokens, a model.

    A worker opens no socket, a gateway calls no model: neither needs what it does not use.
    """
    problems: list[str] = []
    names = ("slack_bot_token",) if role == "worker" else ("slack_bot_token", "slack_app_token")
    for name in names:
        if getattr(settings, name) is None:
            hint = Settings.model_fields[name].description
            problems.append(f"{name.upper()} is not set ({hint}).")
    if role != "gateway" and settings.model_needs_key and settings.openai_api_key is None:
        problems.append(
            "OPENAI_API_KEY is not set. For an endpoint without a key set OPENAI_BASE_URL; to try "
            "without a model set DESKMATE_MODEL=rehearsal."
        )
    if problems:
        raise SettingsError(problems)


def _gather(
    environ: Mapping[str, str], cwd: Path
) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Merge the sources, weakest first; returns values, where each came from, and problems."""
    problems: list[str] = []
    here_env = _read_dotenv(cwd / ".env", problems)
    here_toml = _read_toml(cwd / "deskmate.toml", problems)
    chosen = environ.get("DESKMATE_HOME") or here_env.get("deskmate_home")
    home = Path(str(chosen or here_toml.get("deskmate_home") or DEFAULT_HOME)).expanduser()
    layers: list[tuple[str, dict[str, Any]]] = []
    if home.absolute() != cwd.absolute():
        layers += [
            (str(home / "deskmate.toml"), _read_toml(home / "deskmate.toml", problems)),
            (str(home / ".env"), _read_dotenv(home / ".env", problems)),
        ]
    known = set(Settings.model_fields) - {"projects"}
    from_environ = {k.lower(): v for k, v in environ.items() if k.lower() in known and v.strip()}
    layers += [("deskmate.toml", here_toml), (".env", here_env), ("the environment", from_environ)]
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        values |= layer
        origins |= dict.fromkeys(layer, origin)
    return values, origins, problems


def _read_dotenv(path: Path, problems: list[str]) -> dict[str, Any]:
    known = set(Settings.model_fields) - {"projects"}
    try:
        found = dotenv_values(path) if path.is_file() else {}
    except (OSError, UnicodeDecodeError) as err:
        problems.append(f"I can't read {path}: {_cause(err)}.")
        return {}
    # A .env often serves other programs too, so foreign names in it are no fault.
    return {k.lower(): v for k, v in found.items() if k.lower() in known and v and v.strip()}


def _read_toml(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return {key.lower(): value for key, value in tomllib.loads(text).items()}
    except tomllib.TOMLDecodeError as err:
        problems.append(f"{path} is no valid TOML: {err}.")
    except (OSError, UnicodeDecodeError) as err:
        problems.append(f"I can't read {path}: {_cause(err)}.")
    return {}


def _cause(err: OSError | UnicodeDecodeError) -> str:
    return err.strerror or "unknown error" if isinstance(err, OSError) else "it is not UTF-8"


def _sentence(error: Mapping[str, Any], origins: Mapping[str, str]) -> str:
    field = str(error["loc"][0])
    name = ".".join(str(part) for part in error["loc"]) if field == "projects" else field.upper()
    where = f" (in {origins[field]})" if field in origins else ""
    if error["type"] == "extra_forbidden":
        return f"{name} is no setting{where}; see the table of settings in README.md."
    said = str(error["msg"]).removeprefix("Value error, ")
    return f"{name}{where}: {said[:1].lower()}{said[1:]}."
