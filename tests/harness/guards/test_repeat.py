"""The repeat rule, clause by clause, as plain data; test_repeat_turns has it in whole turns."""

from harness.guards.repeat import Attempt, Repeats
from harness.models import Effect, ErrorType, ToolResult
from harness.tools.results import UNKNOWN_OUTCOME


def ok(output: object = "fine") -> ToolResult:
    return ToolResult(status="ok", output=output)


def failed(
    message: str = "It broke.", kind: ErrorType = "not_found", *, retryable: bool = False
) -> ToolResult:
    return ToolResult(status="error", error_type=kind, message=message, retryable=retryable)


class Story:
    """A turn with one call a step, told call by call; says what the model is given for each."""

    def __init__(self) -> None:
        self.repeats = Repeats()
        self.ran: list[str] = []
        self._step = 0

    def call(self, name: str, result: ToolResult, effect: Effect = "read") -> str:
        self._step += 1
        attempt = Attempt(name, effect, f"doing {name}", self._step)
        given = self.repeats.refusal(attempt)
        if given is None:
            self.ran.append(name)
            given = self.repeats.objection(attempt, result) or result
        self.repeats.note(attempt, given)
        return given.error_type or "ok"


def test_a_failure_that_cannot_pass_is_not_repeated() -> None:
    """The second time the call is not run; other arguments are another call."""
    story = Story()
    assert [story.call("a", failed()) for _ in range(2)] == ["not_found", "repeat_blocked"]
    assert story.call("b", failed("No b.")) == "not_found"
    assert story.ran == ["a", "b"]


def test_a_failure_that_may_pass_is_repeated_once() -> None:
    """Third time: not run."""
    story = Story()
    may_pass = failed(kind="timeout", retryable=True)
    assert [story.call("a", may_pass) for _ in range(3)] == ["timeout", "timeout", "repeat_blocked"]
    assert story.ran == ["a", "a"]


def test_a_refusal_counts_as_a_failure() -> None:
    """Gates, approvals and policies say no with a result like any other."""
    for kind in ("permission", "plan_not_confirmed", "needs_approval", "denied", "invalid_args"):
        story = Story()
        assert story.call("a", failed(kind=kind)) == kind
        assert story.call("a", failed(kind=kind)) == "repeat_blocked"


def test_what_failed_may_be_tried_again_after_a_change() -> None:
    """A successful write clears the failures; a successful read does not."""
    story = Story()
    story.call("a", failed())
    story.call("r", ok())
    assert story.call("a", failed()) == "repeat_blocked"
    story.call("w", ok(), effect="write")
    assert story.call("a", ok()) == "ok"


def test_a_failed_write_changes_nothing() -> None:
    """Only success clears the failures."""
    story = Story()
    story.call("a", failed())
    story.call("w", failed(), effect="write")
    assert story.call("a", failed()) == "repeat_blocked"


def test_an_unknown_outcome_is_no_failure() -> None:
    """Nobody knows whether it happened; after a look the model may do it."""
    story = Story()
    story.call("w", UNKNOWN_OUTCOME, effect="write")
    assert story.call("w", ok(), effect="write") == "ok"


def test_the_same_result_is_given_three_times() -> None:
    """The fourth time the call runs and the model hears that nothing is new."""
    story = Story()
    given = [story.call("a", ok()) for _ in range(4)]
    assert given == ["ok", "ok", "ok", "repeat_blocked"]
    assert story.ran == ["a"] * 4


def test_polling_goes_on_while_the_result_changes() -> None:
    """A count that moves is progress; one that stands still for four looks is not."""
    story = Story()
    moving = [story.call("a", ok(number // 2)) for number in range(30)]
    assert set(moving) == {"ok"}
    standing = [story.call("a", ok(15)) for _ in range(4)]
    assert standing == ["ok", "ok", "ok", "repeat_blocked"]


def test_two_calls_in_turn_are_blocked_the_third_time() -> None:
    """A-B-A-B-A-B without a change: the sixth is not run, nor the seventh."""
    story = Story()
    given = [story.call("ab"[number % 2], ok("ab"[number % 2])) for number in range(7)]
    assert given == ["ok"] * 5 + ["repeat_blocked"] * 2
    assert story.repeats.is_stuck


def test_two_calls_in_turn_go_on_while_one_of_them_moves() -> None:
    """Change and look, change and look: that is work."""
    story = Story()
    given = [story.call("ab"[n % 2], ok(n if n % 2 else "same")) for n in range(6)]
    assert set(given) == {"ok"}


def test_a_write_and_a_failing_check_in_turn_are_blocked() -> None:
    """Each write clears the failure of the check, so the failure alone would never stop it."""
    story, number = Story(), 0
    for number in range(12):
        if number % 2:
            story.call("check", failed("Still red."))
        else:
            story.call("write", ok({"created": number == 0}), effect="write")
        if story.repeats.is_stuck:
            break
    assert number == 6


def test_one_result_for_all_arguments_is_blocked_the_fifth_time() -> None:
    """Whatever is asked, the answer is the same: that is one block."""
    story = Story()
    given = [story.call(f"search {number}", ok([])) for number in range(5)]
    assert given == ["ok"] * 4 + ["repeat_blocked"]
    assert story.call("look elsewhere", ok(["found"])) == "ok"
    assert story.call("search 9", ok([])) == "ok"


def test_two_blocks_in_a_row_are_enough() -> None:
    """Anything that is not blocked between them breaks the row."""
    story = Story()
    story.call("a", failed())
    story.call("a", failed())
    story.call("b", ok())
    story.call("a", failed())
    assert not story.repeats.is_stuck
    story.call("a", failed())
    assert story.repeats.is_stuck
    assert story.repeats.tried() == "doing a: It broke (4 times)"


def test_blocks_within_one_answer_are_one() -> None:
    """The model has not read of the first when it asks for the second."""
    repeats = Repeats()
    twice = [Attempt("a", "read", "doing a", step) for step in (1, 1, 1, 2)]
    repeats.note(twice[0], failed())
    for attempt in twice[1:3]:
        blocked = repeats.refusal(attempt)
        assert blocked is not None
        repeats.note(attempt, blocked)
    assert not repeats.is_stuck
    blocked = repeats.refusal(twice[3])
    assert blocked is not None
    repeats.note(twice[3], blocked)
    assert repeats.is_stuck


def test_a_block_says_why_and_what_else_to_do() -> None:
    """It is no invitation to try the same again."""
    story = Story()
    story.call("a", failed("`x` does not exist."))
    blocked = story.repeats.refusal(Attempt("a", "read", "", 2))
    assert blocked is not None
    assert blocked.message == (
        "This very call failed before (`x` does not exist), so I did not run it again."
    )
    assert "another tool" in blocked.suggestion
    assert not blocked.retryable
