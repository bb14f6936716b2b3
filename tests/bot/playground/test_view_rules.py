"""Whatever people and the app do with modals, Slack's rules hold: a state machine."""

from typing import Any

from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bot.playground import Clock, Playground, SlackError, modals, shortcuts, views
from bot.playground.dispatch import perform
from bot.playground.methods import TABLE
from bot.playground.model import Delivery, Shortcut
from bot.playground.wire import Call
from tests.bot.playground.clients import Json
from tests.bot.playground.test_views import modal

WHO = strategies.sampled_from(("ann", "ben"))
ANSWERS = strategies.sampled_from(
    (
        None,
        {"response_action": "clear"},
        {"response_action": "errors", "errors": {"why": "no"}},
        {"response_action": "push", "view": modal("Pushed")},
        {"response_action": "update", "view": modal("Updated")},
        {"response_action": "push", "view": {"type": "modal"}},
    )
)


class Life(RuleBasedStateMachine):
    """Two people, one app, no network: what leaves for the app is kept and answered here."""

    def __init__(self) -> None:
        super().__init__()
        self.playground = Playground(clock=Clock(start=1_700_000_000.0, scale=0))
        self.workspace = self.playground.workspace
        self.playground.app.shortcuts.append(Shortcut("global", "ask", "Ask"))
        self.sent = list[Delivery]()
        self.workspace.send = self.sent.append
        self.triggers = ["1.2.nobody"]
        self.hashes = [""]
        self.opened = dict[str, int]()
        self.seen = set[str]()

    def call(self, method: str, **args: Any) -> Json | None:  # noqa: ANN401 - JSON of any shape
        """Call as the app; a refusal is None."""
        call = Call(method, "json", self.playground.bot_token, args)
        try:
            return perform(self.workspace, TABLE, call, {})["view"]
        except SlackError:
            return None

    def press(self, act: Any, *args: Any, **more: Any) -> bool:  # noqa: ANN401
        """Let a person do something; says whether Slack let them."""
        try:
            act(self.workspace, *args, **more)
        except SlackError:
            return False
        self.triggers += [d.payload["trigger_id"] for d in self.sent if "trigger_id" in d.payload]
        return True

    @rule(who=WHO)
    def use_a_shortcut(self, who: str) -> None:
        user = self.workspace.user_named(who)
        assert self.press(shortcuts.use_shortcut, user, "ask", None)

    @rule(who=WHO)
    def choose_in_a_modal(self, who: str) -> None:
        pressed = {"action_id": "risk", "value": "high"}
        self.press(modals.press, self.workspace.user_named(who), "", pressed, {})

    @rule(data=strategies.data(), push=strategies.booleans(), notify=strategies.booleans())
    def open_or_push(self, data: Any, *, push: bool, notify: bool) -> None:  # noqa: ANN401
        trigger = data.draw(strategies.sampled_from(self.triggers[-6:]))
        shape = modal(notify_on_close=notify)
        view = self.call("views.push" if push else "views.open", trigger_id=trigger, view=shape)
        if view:
            self.opened[trigger] = self.opened.get(trigger, 0) + 1
            known = self.workspace.triggers[trigger]
            assert self.workspace.clock.now() <= known.until
            assert view["id"] not in self.seen
            self.seen.add(view["id"])
            self.hashes.append(view["hash"])

    @rule(data=strategies.data())
    def update(self, data: Any) -> None:  # noqa: ANN401
        there = views.open_views(self.workspace)
        if not there:
            return
        view = data.draw(strategies.sampled_from(there))
        given, before = data.draw(strategies.sampled_from(self.hashes[-4:])), view.hash
        changed = self.call("views.update", view_id=view.id, view=modal("New"), hash=given)
        assert bool(changed) == (given in ("", before))
        assert (view.hash != before) == bool(changed)

    @rule(who=WHO, answer=ANSWERS)
    def submit(self, who: str, answer: Json | None) -> None:
        user = self.workspace.user_named(who)
        count = len(self.sent)
        if self.press(modals.submit, user, "", {"why": {"text": "x"}}):
            assert len(self.sent) == count + 1
            answered = self.sent[-1].answered
            assert answered
            answered(answer)

    @rule(who=WHO, everything=strategies.booleans())
    def close(self, who: str, *, everything: bool) -> None:
        user = self.workspace.user_named(who)
        before, count = list(self.workspace.modals.get(user.id, [])), len(self.sent)
        if self.press(modals.close, user, "", everything=everything):
            gone = before if everything else before[-1:]
            told = [d.payload["view"]["id"] for d in self.sent[count:]]
            wanted = [v.id for v in reversed(gone) if v.shape.get("notify_on_close")]
            assert told == wanted

    @rule(seconds=strategies.sampled_from((1.0, 4.0)))
    def wait(self, seconds: float) -> None:
        self.workspace.clock.advance(seconds)

    @invariant()
    def stacks_are_slacks(self) -> None:
        """At most three deep, each knows what is under it, and nobody sees another's."""
        for user, stack in self.workspace.modals.items():
            assert len(stack) <= views.DEEPEST
            assert [view.user for view in stack] == [user] * len(stack)
            assert [view.previous for view in stack[1:]] == [view.id for view in stack[:-1]]
            assert len({view.root for view in stack}) <= 1

    @invariant()
    def a_trigger_opens_one_view(self) -> None:
        assert all(count == 1 for count in self.opened.values())


TestModals = Life.TestCase
TestModals.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
