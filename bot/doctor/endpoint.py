"""The model's endpoint: reachable, takes our key, knows the model. Costs one word of an answer."""

import time
from collections.abc import Iterable
from contextlib import aclosing

from bot.doctor.findings import Finding, fail, ok
from bot.settings import REHEARSAL, Settings
from harness.chat.openai_chat import OpenAIChat
from harness.errors import ModelUnavailable
from harness.models import Message, ModelRequest

MODEL = "model"
CONNECT_SECONDS = 5.0
IDLE_SECONDS = 30.0
MOST_TOKENS = 16


async def check_models(settings: Settings) -> list[Finding]:
    """Ask each model that the settings name for a word."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    chat = OpenAIChat(
        key,
        settings.openai_base_url,
        connect_seconds=CONNECT_SECONDS,
        idle_seconds=IDLE_SECONDS,
        retries=0,
    )
    try:
        return [await _check(chat, name, settings) for name in _models(settings)]
    finally:
        await chat.close()


def _models(settings: Settings) -> Iterable[str]:
    """Name the models in use, the main one first, each once."""
    of_projects = (project.model for project in settings.projects.values() if project.model)
    return dict.fromkeys([settings.deskmate_model, *of_projects])


async def _check(chat: OpenAIChat, name: str, settings: Settings) -> Finding:
    if name == REHEARSAL:
        return ok(MODEL, "The built-in rehearsal model needs no endpoint")
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return fail(MODEL, f"{name} cannot be asked without a key", "Set OPENAI_API_KEY.")
    word = Message(role="user", content="Say: ok")
    request = ModelRequest(model=name, system="", messages=(word,), max_tokens=MOST_TOKENS)
    began = time.monotonic()
    try:
        async with aclosing(chat.complete(request)) as deltas:
            async for _ in deltas:
                return ok(MODEL, f"{name} answers ({time.monotonic() - began:.1f} s)")
    except ModelUnavailable as err:
        return fail(MODEL, f"{name} does not answer: {err.reason}", _advice(err))
    return fail(MODEL, f"{name} answers with nothing", "See the endpoint's own log.")


def _advice(err: ModelUnavailable) -> str:
    if err.needs_operator:
        return "Check OPENAI_API_KEY, OPENAI_BASE_URL and DESKMATE_MODEL."
    return "Check OPENAI_BASE_URL and the network, or try again later."
