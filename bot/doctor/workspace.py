"""Slack: both tokens, the scopes against the manifest, and whether anybody has invited us."""

from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery import Slack, SlackFailed
from bot.doctor.findings import Finding, fail, ok, warn
from bot.gateway.history import History
from bot.gateway.preflight import StartError, check_slack

SLACK = "slack"
# Without these it neither hears nor answers; what others are for shows when they are missed.
VITAL_SCOPES = frozenset({"app_mentions:read", "channels:history", "chat:write", "users:read"})
REINSTALL = "Compare the app with deskmate manifest, then reinstall it to the workspace."


async def check_workspace(client: AsyncWebClient, app_token: str | None) -> list[Finding]:
    """Try the tokens that are set; where the bot's own is refused, nothing else is tried."""
    try:
        ready = await check_slack(client, None)
    except StartError as err:
        return [fail(SLACK, str(err))]
    found = [
        ok(SLACK, f"The bot token is @{ready.me.name}'s in {ready.me.team}"),
        check_scopes(ready.missing_scopes),
    ]
    if app_token is not None:
        found.append(await _check_app_token(client, app_token))
    return [*found, await _check_rooms(Slack(client, bot_user=ready.me.user))]


def check_scopes(missing: tuple[str, ...]) -> Finding:
    """Judge the scopes that the manifest asks for and the token has not."""
    if not missing:
        return ok(SLACK, "All scopes of the manifest are granted")
    vital = sorted(VITAL_SCOPES.intersection(missing))
    if vital:
        return fail(SLACK, f"It cannot work without {', '.join(vital)}", REINSTALL)
    return warn(SLACK, f"Scopes are missing: {', '.join(missing)}", REINSTALL)


async def _check_app_token(client: AsyncWebClient, app_token: str) -> Finding:
    try:
        await check_slack(client, app_token)
    except StartError as err:
        return fail(SLACK, str(err))
    return ok(SLACK, "The app token opens sockets")


async def _check_rooms(slack: Slack) -> Finding:
    try:
        rooms = await History(slack).rooms()
    except SlackFailed as err:
        return warn(SLACK, f"Its channels cannot be listed ({err})", REINSTALL)
    if not rooms:
        return warn(SLACK, "It is in no channel", "Invite it: /invite @Deskmate.")
    return ok(SLACK, f"It is in {len(rooms)} channels and direct messages")
