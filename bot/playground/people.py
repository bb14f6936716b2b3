"""What people do: post, edit, delete, react, upload, open a DM. Each as a user, by id or name.

The in-process twin of the control API. What Slack's client would refuse is refused with Slack's
error. Buttons, commands and Stop are in `interactions`, modals and Home in `screens`.
"""

from typing import Any

from bot.playground import interactions, modals, posting, unfurls, uploads
from bot.playground.composer import typed
from bot.playground.emoji import checked_name
from bot.playground.errors import Json, SlackError
from bot.playground.events import show_channel, tell_apps
from bot.playground.model import Channel, Message, User
from bot.playground.richtext import rich_text
from bot.playground.screens import Screens
from bot.playground.workspace import Workspace


class People(Screens):
    """The hands of everybody in the workspace."""

    async def post(
        self, who: str, channel: str, text: str, *, thread_ts: str = "", broadcast: bool = False
    ) -> str:
        """Post as `who`; `channel` is an id, `#name` or `@name` for a DM. Returns the ts."""
        user, place = _at(self._workspace, who, channel)
        message = write(self._workspace, place, user, text, thread_ts)
        if message.is_reply and broadcast:
            message.subtype = "thread_broadcast"
        posting.post(self._workspace, place, message)
        unfurls.plan(self._workspace, place, message)
        return message.ts

    async def edit(self, who: str, channel: str, ts: str, text: str) -> None:
        """Edit one's own message."""
        place, message = _own(self._workspace, who, channel, ts, "cant_update_message")
        said = typed(self._workspace, text)
        blocks = rich_text(said, self._workspace.ids.token(5))
        posting.edit(self._workspace, place, message, said, blocks)

    async def delete(self, who: str, channel: str, ts: str) -> None:
        """Delete one's own message; an admin may delete anyone's."""
        place, message = _own(self._workspace, who, channel, ts, "cant_delete_message")
        posting.remove(self._workspace, place, message)

    async def react(self, who: str, channel: str, ts: str, name: str) -> None:
        user, place = _at(self._workspace, who, channel)
        message = self._workspace.message(place, ts)
        posting.react(self._workspace, place, message, user.id, checked_name(name))

    async def unreact(self, who: str, channel: str, ts: str, name: str) -> None:
        user, place = _at(self._workspace, who, channel)
        message = self._workspace.message(place, ts)
        posting.unreact(self._workspace, place, message, user.id, name)

    async def upload(
        self,
        who: str,
        channel: str,
        files: list[tuple[str, bytes]],
        *,
        text: str = "",
        thread_ts: str = "",
    ) -> str:
        """Post files, each a name and its bytes, with an optional comment. Returns the ts."""
        user, place = _at(self._workspace, who, channel)
        message = write(self._workspace, place, user, text, thread_ts)
        message.subtype = "file_share"
        for name, content in files:
            message.files.append(uploads.keep(self._workspace, user, name, content))
        uploads.share(self._workspace, place, message)
        return posting.post(self._workspace, place, message).ts

    async def click(self, who: str, channel: str, ts: str, **pressed: object) -> None:
        """Press an element of a message: `action_id`, `block_id` where needed, and `value`."""
        user, place = _at(self._workspace, who, channel)
        message = place.ephemerals.get(ts) or self._workspace.message(place, ts)
        interactions.press(self._workspace, user, place, message, pressed)

    async def select(
        self,
        who: str,
        action_id: str,
        *,
        view: str = "",
        values: dict[str, Json] | None = None,
        **place: Any,  # noqa: ANN401 - JSON: channel, ts, block_id, value
    ) -> None:
        """Press or fill in an element of a `view`, or of the message `ts` in `channel`.

        `values` are the other fields of a view as they stand: block_id, action_id, value.
        """
        pressed = {"action_id": action_id, **place}
        if not view and place.get("channel"):
            channel, ts = pressed.pop("channel"), pressed.pop("ts", "")
            await self.click(who, channel, ts, **pressed)
            return
        user = self._workspace.user_named(who)
        modals.press(self._workspace, user, view, pressed, values or {})

    async def command(
        self, who: str, channel: str, command: str, text: str = "", *, thread_ts: str = ""
    ) -> None:
        """Run a slash command: `/deskmate help` in one, or name and text apart."""
        user, place = _at(self._workspace, who, channel)
        said = f"{command} {text}".strip()
        interactions.run_command(self._workspace, user, place, said, thread_ts)

    async def stop(self, who: str, channel: str, thread_ts: str) -> None:
        """Press Slack's own Stop in a thread."""
        user, place = _at(self._workspace, who, channel)
        interactions.press_stop(self._workspace, user, place, thread_ts)

    async def join(self, who: str, channel: str) -> None:
        """Enter a public channel."""
        user = self._workspace.user_named(who)
        place = self._workspace.channel_named(channel)
        if place.kind != "public" or user.rank not in {"admin", "member", "bot"}:
            raise SlackError("channel_not_found")
        if user.id not in place.members:
            posting.enter(self._workspace, place, user.id)

    async def open_dm(self, who: str, *others: str | list[str]) -> str:
        """Open a DM with one other or a group DM with several; returns its channel id."""
        workspace = self._workspace
        names = [who]
        for other in others:
            names += other if isinstance(other, list) else [other]
        members = [workspace.user_named(name).id for name in names]
        return open_direct(workspace, members).id


def _at(workspace: Workspace, who: str, channel: str) -> tuple[User, Channel]:
    """Find the person and the channel they are in."""
    user = workspace.user_named(who)
    if channel.startswith("@"):
        other = workspace.user_named(channel)
        return user, open_direct(workspace, [user.id, other.id])
    place = workspace.open_to(user.id, workspace.channel_named(channel).id)
    return user, place


def _own(
    workspace: Workspace, who: str, channel: str, ts: str, refusal: str
) -> tuple[Channel, Message]:
    """Find a message the person may change; deleting is an admin's right as well."""
    user, place = _at(workspace, who, channel)
    message = workspace.message(place, ts)
    may_delete = refusal == "cant_delete_message" and user.rank == "admin"
    if message.user != user.id and not may_delete:
        raise SlackError(refusal)
    return place, message


def open_direct(workspace: Workspace, members: list[str]) -> Channel:
    """Open a direct conversation and show it to its people."""
    channel, new = workspace.direct(members)
    if new:
        show_channel(workspace, channel)
        if channel.kind == "im":
            _tell_of_home(workspace, channel, members[0])
    return channel


def _tell_of_home(workspace: Workspace, channel: Channel, user: str) -> None:
    """Tell an app that a person opened its Messages tab."""
    opened: Json = {
        "type": "app_home_opened",
        "user": user,
        "channel": channel.id,
        "tab": "messages",
        "event_ts": channel.next_ts(workspace.clock.now()),
    }
    tell_apps(workspace, channel, opened)


def write(workspace: Workspace, channel: Channel, user: User, text: str, thread_ts: str) -> Message:
    """Make a person's message: composed, with its rich_text block, not yet posted."""
    said = typed(workspace, text)
    if thread_ts and thread_ts not in channel.messages:
        raise SlackError("thread_not_found")
    message = posting.draft(workspace, channel, user.id, said)
    message.thread_ts = posting.thread_root(channel, thread_ts)
    message.blocks = rich_text(said, workspace.ids.token(5))
    app = workspace.app_of(user.id)
    if app is None:
        message.client_msg_id = workspace.ids.uuid()
    else:
        posting.sign(message, app)
    return message
