"""What people do beside the messages: submit and close modals, open a Home, use a shortcut.

`people` adds these hands to its own.
"""

from urllib.parse import parse_qsl, urlsplit

from bot.playground import installs, modals, shortcuts
from bot.playground.errors import SlackError
from bot.playground.model import App
from bot.playground.workspace import Workspace


class Screens:
    """The hands of everybody in the workspace, where they meet an app's own screens."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def submit(self, who: str, view: str = "", values: modals.Values | None = None) -> None:
        """Submit the modal on top, or the one named; `values` by block_id and action_id."""
        user = self._workspace.user_named(who)
        modals.submit(self._workspace, user, view, values or {})

    async def close_view(self, who: str, view: str = "", *, all: bool = False) -> None:  # noqa: A002 - the control API's word
        """Close the modal on top, or the one named, or the whole stack."""
        user = self._workspace.user_named(who)
        modals.close(self._workspace, user, view, everything=all)

    async def open_home(self, who: str, app: str = "") -> None:
        """Open the Home tab of an app: of the first one, unless it is named."""
        user = self._workspace.user_named(who)
        modals.open_home(self._workspace, user, self._app(app))

    async def shortcut(
        self, who: str, callback_id: str, *, channel: str = "", ts: str = ""
    ) -> None:
        """Use a global shortcut, or with `channel` and `ts` one of that message."""
        workspace = self._workspace
        user, on = workspace.user_named(who), None
        if channel:
            place = workspace.entered_by(user.id, workspace.channel_named(channel).id)
            on = place, workspace.message(place, ts)
        shortcuts.use_shortcut(workspace, user, callback_id, on)

    async def allow(
        self, who: str, url: str, *, everywhere: bool = False, webhook: str = ""
    ) -> str:
        """Click Allow on the authorize page at `url`; returns where the browser is sent.

        `everywhere` allows it for the whole organisation; `webhook` is the channel chosen for one.
        """
        user = self._workspace.user_named(who)
        asked = installs.checked_request(self._workspace, dict(parse_qsl(urlsplit(url).query)))
        given = installs.Grants(everywhere, webhook)
        return installs.allow(self._workspace, user, asked, given)

    async def uninstall(self, who: str, app: str = "") -> None:
        """Remove an app from the workspace, as an admin."""
        if self._workspace.user_named(who).rank != "admin":
            raise SlackError("restricted_action")
        installs.revoke(self._workspace, self._app(app), "account_inactive")

    def _app(self, wanted: str) -> App:
        for app in self._workspace.apps.values():
            if wanted in {"", app.id, app.name, app.user.id}:
                return app
        raise SlackError("app_not_found")
