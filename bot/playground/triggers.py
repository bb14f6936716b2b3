"""What every interaction carries: who, where, a trigger id, a response URL; and how it leaves.

A trigger id opens one modal within three seconds; `views` redeems it.
"""

from bot.playground.errors import Json, SlackError
from bot.playground.model import App, Channel, Delivery, Message, ResponseUrl, Trigger, User
from bot.playground.workspace import Workspace, enterprise, envelope_team


def trigger(workspace: Workspace, app: App, user: User, view: str = "") -> str:
    """Make a trigger id: `number.number.letters`."""
    ids = workspace.ids
    key = f"{ids.dice.randrange(10**12)}.{ids.dice.randrange(10**12)}.{ids.token(32)}"
    until = workspace.clock.now() + workspace.rules.trigger_seconds
    workspace.triggers[key] = Trigger(app.id, user.id, until, view)
    return key


def redeem(workspace: Workspace, app: App, key: str) -> Trigger:
    """Use a trigger id up; raises Slack's three errors for what is wrong with it."""
    found = workspace.triggers.get(key)
    if found is None or found.app_id != app.id:
        raise SlackError("invalid_trigger_id")
    if found.used:
        raise SlackError("exchanged_trigger_id")
    if workspace.clock.now() > found.until:
        raise SlackError("expired_trigger_id")
    found.used = True
    return found


def interaction(
    workspace: Workspace, app: App, user: User, kind: str, *, view: str | None = None
) -> Json:
    """Build what all interactive payloads have; `view` is the modal it happens in."""
    return {
        "type": kind,
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team},
        "api_app_id": app.id,
        "token": "playground",
        "trigger_id": trigger(workspace, app, user, view or ""),
        "team": envelope_team(workspace),
        "enterprise": enterprise(workspace, app),
        "is_enterprise_install": app.everywhere,
    }


def response_url(
    workspace: Workspace, app: App, channel: Channel, user: User, source: Message | None
) -> str:
    """Make a new address; `source` is the pressed message, if there is one."""
    key = workspace.ids.token(24)
    rules = workspace.rules
    until = workspace.clock.now() + rules.response_url_seconds
    address = ResponseUrl(app, channel, user, source, until, rules.response_url_uses)
    workspace.response_urls[key] = address
    return f"{workspace.base_url}/response/{app.id}/{key}"


def send(workspace: Workspace, user: User, delivery: Delivery) -> None:
    """Send an interaction once; a person whose app stays silent is told."""

    def failed() -> None:
        toast(workspace, user, f"{delivery.app.name} did not answer in time (operation_timeout).")

    delivery.failed = failed
    workspace.send(delivery)


def toast(workspace: Workspace, user: User, text: str) -> None:
    """Say something to one person's page."""
    workspace.feed.push({"type": "toast", "text": text}, frozenset({user.id}))
