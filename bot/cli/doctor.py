"""`deskmate doctor`: look at everything Deskmate stands on, and say what to do."""

import asyncio
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bot.doctor.findings import Finding
    from bot.settings import Settings
    from storage.client import Store


def doctor(
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    live: Annotated[
        str | None,
        typer.Option(metavar="CHANNEL", help="Also post, react and edit there, and take it away."),
    ] = None,
) -> None:
    """Check settings, store, queue, model and Slack; one line each: ok, warn or fail, what to do.

    Asks the model for one word; changes nothing without --live. Exit status 0: nothing failed,
    1: something did, 2: settings are wrong or missing.

    Example: deskmate doctor --live '#general'
    """
    from bot import logs  # noqa: PLC0415 - not for --help
    from bot.doctor.findings import render, render_json  # noqa: PLC0415
    from bot.doctor.house import SETTINGS, settings_refused  # noqa: PLC0415
    from bot.settings import SettingsError, load  # noqa: PLC0415

    try:
        settings = load()
    except SettingsError as err:
        found = settings_refused(err.problems)
    else:
        logs.configure(secrets=settings.secrets, level="CRITICAL")
        found = asyncio.run(_look(settings, live))
    typer.echo(render_json(found) if json else render(found))
    failed = [each for each in found if each.level == "fail"]
    if failed:
        sys.exit(2 if any(each.group == SETTINGS for each in failed) else 1)


async def _look(settings: "Settings", live: str | None) -> list["Finding"]:
    """Run all groups of checks side by side; the order of the lines is always the same."""
    from bot.doctor import endpoint, house, neighbour  # noqa: PLC0415 - not for --help

    (store, model, slack, process) = await asyncio.gather(
        _look_at_store(settings),
        endpoint.check_models(settings),
        _look_at_slack(settings, live),
        neighbour.check_process(settings.deskmate_http),
    )
    machine = [house.check_folder(settings.deskmate_home), house.check_packages()]
    return [*house.check_settings(settings), *machine, *store, *model, *slack, process]


async def _look_at_store(settings: "Settings") -> list["Finding"]:
    from bot.doctor import storehouse  # noqa: PLC0415 - not for --help
    from bot.doctor.findings import fail  # noqa: PLC0415
    from harness.errors import StoreUnavailable  # noqa: PLC0415
    from storage.dead_letters import DeadLetters  # noqa: PLC0415
    from storage.queue import Queue  # noqa: PLC0415

    try:
        async with AsyncExitStack() as opened:
            store = await _open_store(opened, settings)
            report = await store.check()
            fsync = await storehouse.fsync_policy(store)
            queue = Queue(store, worker="doctor", lease_seconds=settings.deskmate_lease_seconds)
            letters = await DeadLetters(store).all()
            return [
                *storehouse.check_report(report, store.where, fsync),
                *storehouse.check_queue(await queue.depth(), letters),
            ]
    except StoreUnavailable as err:
        return [fail(storehouse.STORE, str(err))]


async def _open_store(opened: AsyncExitStack, settings: "Settings") -> "Store":
    from storage.client import Store  # noqa: PLC0415 - not for --help
    from storage.server import embedded  # noqa: PLC0415

    if settings.redis_url is not None:
        return await opened.enter_async_context(
            Store.connect(settings.redis_url.get_secret_value())
        )
    server = await opened.enter_async_context(embedded(settings.deskmate_home))
    return await opened.enter_async_context(Store.connect(server.url, server.password))


async def _look_at_slack(settings: "Settings", live: str | None) -> list["Finding"]:
    import aiohttp  # noqa: PLC0415 - not for --help
    from slack_sdk.web.async_client import AsyncWebClient  # noqa: PLC0415

    from bot.doctor.live import check_live  # noqa: PLC0415
    from bot.doctor.workspace import check_workspace  # noqa: PLC0415

    if settings.slack_bot_token is None:
        return []
    bot_token, app_token = settings.slack_bot_token.get_secret_value(), settings.slack_app_token
    async with aiohttp.ClientSession() as http:
        client = AsyncWebClient(bot_token, settings.slack_api_url, session=http)
        app_secret = app_token.get_secret_value() if app_token else None
        found = await check_workspace(client, app_secret)
        if live is not None and app_secret is not None:
            found += await check_live(client, app_secret, live)
        return found
