"""The proxy comes from the environment; what is excepted goes the direct way."""

import pytest

from bot.proxy import proxy_for


def test_each_scheme_has_its_proxy_and_exceptions_none(monkeypatch: pytest.MonkeyPatch):
    """Sockets take the proxy of the web scheme they are made of."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example,127.0.0.1")
    assert proxy_for("https://slack.com/api/") == "http://proxy.example:3128"
    assert proxy_for("wss://slack.com/link/?ticket=1") == "http://proxy.example:3128"
    assert proxy_for("http://slack.com/") is None
    assert proxy_for("wss://inside.example/") is None
    assert proxy_for("https://127.0.0.1:1/") is None
