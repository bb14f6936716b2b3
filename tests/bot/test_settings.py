"""Settings: one reader, all problems at once, secrets hidden."""

from pathlib import Path

import pytest

from bot.settings import ProcessRole, SettingsError, load, require_slack

TOKENS = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "OPENAI_API_KEY": "sk-secret"}


def test_defaults_need_no_environment(tmp_path: Path):
    """An empty environment gives the documented defaults."""
    settings = load({}, tmp_path)
    assert settings.deskmate_model == "gpt-5-mini"
    assert settings.slack_api_url == "https://slack.com/api/"
    assert settings.deskmate_http is not None
    assert settings.deskmate_http.port == 8421
    assert settings.deskmate_home == Path("~/.local/share/deskmate").expanduser()


def test_environment_wins_over_env_file_wins_over_toml(tmp_path: Path):
    """The order of sources is environment, .env, deskmate.toml."""
    (tmp_path / ".env").write_text("DESKMATE_MODEL=from-env-file\nDESKMATE_TIMEZONE=Asia/Tokyo\n")
    (tmp_path / "deskmate.toml").write_text(
        'deskmate_model = "from-toml"\ndeskmate_timezone = "UTC"\nopenai_base_url = "http://h/v1"\n'
    )
    settings = load({"DESKMATE_MODEL": "from-environment"}, tmp_path)
    assert settings.deskmate_model == "from-environment"
    assert settings.deskmate_timezone == "Asia/Tokyo"
    assert settings.openai_base_url == "http://h/v1/"


def test_files_in_the_home_are_read_too_but_the_current_directory_wins(tmp_path: Path):
    """`.env` and `deskmate.toml` are looked for here, then in $DESKMATE_HOME."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    (home / ".env").write_text("DESKMATE_MODEL=home\nOPENAI_API_KEY=sk-home\n")
    (here / "deskmate.toml").write_text('deskmate_model = "here"\n')
    settings = load({"DESKMATE_HOME": str(home)}, here)
    assert settings.deskmate_model == "here"
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-home"


def test_all_problems_are_reported_at_once(tmp_path: Path):
    """One start shows every fault, with its name and where it stands."""
    (tmp_path / "deskmate.toml").write_text('deskmate_modell = "x"\n[projects.C1]\nfolow = "x"\n')
    with pytest.raises(SettingsError) as caught:
        load(
            {
                "SLACK_BOT_TOKEN": "xapp-swapped",
                "DESKMATE_HTTP": "nowhere",
                "DESKMATE_TIMEZONE": "Mars/Base",
                "REDIS_URL": "http://x",
                "DESKMATE_LEASE_SECONDS": "soon",
            },
            tmp_path,
        )
    text = "\n".join(caught.value.problems)
    for name in ("SLACK_BOT_TOKEN", "DESKMATE_HTTP", "DESKMATE_TIMEZONE", "REDIS_URL"):
        assert name in text
    assert "DESKMATE_LEASE_SECONDS" in text
    assert "DESKMATE_MODELL is no setting (in deskmate.toml)" in text
    assert "projects.C1.folow" in text
    assert len(caught.value.problems) == 7


def test_secrets_show_neither_in_repr_nor_in_errors(tmp_path: Path):
    """Printing settings or their faults never prints a secret."""
    settings = load({**TOKENS, "REDIS_URL": "redis://:hunter2@h/0"}, tmp_path)
    assert "sk-secret" not in repr(settings)
    assert "hunter2" not in repr(settings)
    with pytest.raises(SettingsError) as caught:
        load({"SLACK_BOT_TOKEN": "canary-123"}, tmp_path)
    assert "canary-123" not in str(caught.value)


@pytest.mark.parametrize("missing", sorted(TOKENS))
def test_run_names_each_missing_setting(tmp_path: Path, missing: str):
    """What `deskmate run` needs and lacks is named."""
    half_set = {name: value for name, value in TOKENS.items() if name != missing}
    with pytest.raises(SettingsError, match=missing):
        require_slack(load(half_set, tmp_path))


def test_an_own_endpoint_needs_no_key(tmp_path: Path):
    """A local endpoint without a key is complete."""
    environ = {**TOKENS, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": ""}
    settings = load(environ, tmp_path)
    require_slack(settings)
    assert settings.openai_api_key is None


def test_lists_of_users_are_split_at_commas_and_blanks(tmp_path: Path):
    """`U1, U2 U3` is three ids."""
    settings = load({"DESKMATE_ALLOWED_USERS": "U1, U2 U3"}, tmp_path)
    assert settings.deskmate_allowed_users == ("U1", "U2", "U3")


def test_a_broken_file_is_one_clear_sentence(tmp_path: Path):
    """Neither broken TOML nor a binary .env is a traceback."""
    (tmp_path / "deskmate.toml").write_text("= nonsense")
    (tmp_path / ".env").write_bytes(b"\xff\xfe=1")
    with pytest.raises(SettingsError) as caught:
        load({}, tmp_path)
    assert "deskmate.toml is no valid TOML" in str(caught.value)
    assert ".env: it is not UTF-8" in str(caught.value)


@pytest.mark.parametrize(
    ("role", "needs"),
    [
        ("all", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "OPENAI_API_KEY"]),
        ("gateway", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]),
        ("worker", ["SLACK_BOT_TOKEN", "OPENAI_API_KEY"]),
    ],
)
def test_each_role_needs_what_it_uses(tmp_path: Path, role: ProcessRole, needs: list[str]):
    """A gateway calls no model, a worker opens no socket."""
    with pytest.raises(SettingsError) as caught:
        require_slack(load({}, tmp_path), role)
    assert [problem.split()[0] for problem in caught.value.problems] == needs
