# ruff: noqa: A005 - it is only ever imported as bot.locale
"""What Deskmate says in its own words, in English and Chinese; the model's words are not here.

One YAML file per language with the same keys. Values go in as they are: who sends the sentence
escapes or filters it for its surface.
"""

from functools import cache
from importlib.resources import files

import yaml

LANGUAGES = ("en", "zh")


def say(lang: str, key: str, **values: object) -> str:
    """Give the sentence `key` in a language or Slack locale ("zh-CN"); unknown ones get English."""
    language = lang[:2].lower()
    return strings(language if language in LANGUAGES else "en")[key].format(**values)


@cache
def strings(language: str) -> dict[str, str]:
    """Read all sentences of one language."""
    text = files(__name__).joinpath(f"{language}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
