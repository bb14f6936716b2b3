"""Whatever is sent, the answer is Slack's: an ok or a named error, never a crash.

Plain dice instead of a shrinking search: thousands of calls a second, and a seed repeats a failure.
"""

import random
from contextlib import suppress
from typing import Any

import pytest

from bot.playground import Playground, Rules, SlackError, blocks, uploads
from bot.playground.dispatch import perform
from bot.playground.methods import TABLE
from bot.playground.wire import Call
from tests.bot.playground.clients import Json

NAMES = (
    "channel channel_id ts thread_ts timestamp text blocks attachments metadata markdown_text "
    "chunks user users name limit cursor oldest latest types status title loading_messages prompts "
    "files file filename length recipient_user_id recipient_team_id session_status email "
    "initial_comment channels message_ts initiator_user_id bot team error inclusive return_im"
)
FIELDS = (
    "type text elements fields options rows accessory block_id action_id id chunks blocks title "
    "status value url alt_text image_url details event_type event_payload"
)
TYPES = (
    "section header context actions context_actions markdown image table rich_text divider button "
    "overflow static_select plain_text mrkdwn markdown_text task_update plan_update blocks"
)


class Junk:
    """Draws JSON that is sometimes nearly right; `right` are arguments every method likes."""

    def __init__(self, seed: int, right: Json) -> None:
        self._dice = random.Random(seed)
        self._right = right

    def value(self, depth: int = 4) -> Any:  # noqa: ANN401 - JSON of any shape
        if depth and self._dice.random() < 0.5:
            return self._nested(depth - 1)
        plain = (None, True, -1, 0, 7, 1.5, "", "x", "x" * 4_000, "[1]", "{}", "\N{EYES}", ",")
        return self._dice.choice((*plain, *self._right.values(), *TYPES.split()))

    def _nested(self, depth: int) -> Any:  # noqa: ANN401 - JSON of any shape
        if self._dice.random() < 0.4:
            return [self.value(depth) for _ in range(self._dice.randrange(4))]
        return self.block(depth)

    def block(self, depth: int = 4) -> Json:
        names = self._dice.sample(FIELDS.split(), self._dice.randrange(6))
        fields = {name: self.value(depth) for name in names}
        if self._dice.random() < 0.9:
            fields["type"] = self._dice.choice(TYPES.split())
        return fields

    def call(self) -> tuple[str, Json]:
        names = self._dice.sample(NAMES.split(), self._dice.randrange(5))
        junk = {name: self.value() for name in names}
        kept = {name: value for name, value in self._right.items() if self._dice.random() < 0.9}
        method = self._dice.choice(sorted(TABLE))
        if "Stream" in method:
            kept["chunks"] = [{"type": "markdown_text", "text": "x"}]
        return method, {**kept, **junk}


@pytest.mark.parametrize("seed", range(3))
def test_any_blocks_are_checked(seed: int) -> None:
    """The block checker finds problems in any JSON, and says where each is."""
    junk = Junk(seed, {})

    for _ in range(2_000):
        for problem in blocks.problems([junk.block() for _ in range(3)]):
            assert "[json-pointer:/blocks" in problem


async def right_arguments(playground: Playground) -> Json:
    """Give arguments that most methods take, with a live stream of the bot under `ts`."""
    workspace, place = playground.workspace, playground.channel("api")
    root = await playground.people.post("ann", "#api", "root")
    ann = workspace.user_named("ann")
    to_ann = {"recipient_user_id": ann.id, "recipient_team_id": ann.team}
    start = Call("chat.startStream", "form", playground.bot_token, {})
    start.args = {"channel": place.id, "thread_ts": root, **to_ann, "markdown_text": "x"}
    ts = perform(workspace, TABLE, start, {})["ts"]
    file = uploads.keep(workspace, playground.app.user, "a.txt", b"hello")
    return {
        "channel": place.id, "channel_id": place.id, "ts": ts, "timestamp": ts, "message_ts": ts,
        "thread_ts": root, "user": ann.id, "users": ann.id, "text": "x", "name": "eyes",
        "status": "active", "title": "x", "file": file.id, "files": [{"id": file.id}],
        "filename": "a.txt", "length": 5, **to_ann,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
async def test_any_call_is_answered(seed: int) -> None:
    """Every method answers any arguments, thousands of calls in a row on one workspace."""
    playground = Playground(rules=Rules(rate_limits=False))
    workspace, answered = playground.workspace, set[str]()
    junk = Junk(seed, await right_arguments(playground))
    for n in range(2_000):
        if n % 100 == 99:
            junk = Junk(seed * 1_000 + n, await right_arguments(playground))
        method, args = junk.call()
        kind = TABLE[method].caller
        token = playground.app_token if kind == "app" else playground.bot_token
        with suppress(SlackError):
            assert perform(workspace, TABLE, Call(method, "form", token, args), {})["ok"]
            answered.add(method)
        workspace.grants[playground.bot_token].error = ""
    playground.deliveries.close()
    workspace.clock.close()
    assert {"chat.postMessage", "chat.appendStream", "reactions.add"} <= answered
