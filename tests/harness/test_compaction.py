"""The ladder over stored messages, rung by rung; test_long_sessions has it at work."""

from harness.compaction import SUMMARY_HEAD, cache_fell, due, latest_compaction, sent, utmost
from harness.context import opening_message
from harness.models import Compaction, Message, ToolCall, Usage
from tests.harness.support import asked

LIMIT = 10_000


def used(total: int, cached: int = 0) -> Usage:
    return Usage(input_tokens=total, cached_tokens=cached, model_calls=1)


def turn(text: str, result: str = "", tokens: int = 0, said: str = "Done.") -> tuple[Message, ...]:
    """A turn of four messages: the request, a call, its result, the answer."""
    call = ToolCall(id="a", name="file_read", arguments="{}")
    usage = used(tokens) if tokens else None
    return (
        opening_message(asked(text)),
        Message(role="assistant", tool_calls=(call,), usage=usage),
        Message(role="tool", tool_call_id="a", content=result),
        Message(role="assistant", content=said, usage=usage),
    )


def compacted(covers: int, clears: int, summary: str = "") -> Message:
    return Message(
        role="user", content=summary, compaction=Compaction(covers=covers, clears=clears)
    )


NEXT = opening_message(asked("next"))
LONG = "x" * 20_000


def test_without_a_compaction_everything_is_sent() -> None:
    """Also where one was tried and changed nothing."""
    history = (*turn("one"), *turn("two"))
    assert sent(history) == history
    assert sent((*history, compacted(0, 0), NEXT)) == (*history, NEXT)


def test_long_results_of_older_turns_are_left_out() -> None:
    """Short ones stay; the rest says that it is gone and how to get it back."""
    history = (*turn("one", LONG), *turn("two", "short"), *turn("three", LONG))
    view = sent((*history, compacted(0, 8), NEXT))
    results = [message.content for message in view if message.role == "tool"]
    assert results[0] == (
        '{"status":"ok","output":"[left out: a result of 20000 characters; '
        'call again if you need it, for a smaller part if you can]"}'
    )
    assert results[1:] == ["short", LONG]
    assert len(view) == len(history) + 1


def test_a_summary_stands_for_older_turns_and_keeps_what_was_asked() -> None:
    """Every request word for word, with who and when; roles still take turns."""
    history = (*turn("one\n\nand two"), *turn("three"))
    view = sent((*history, compacted(4, 4, "Goal:\nTo count."), NEXT))
    assert view[0].content == (
        f"{SUMMARY_HEAD}\nGoal:\nTo count.\n\nWhat people asked, word for word:\n\n"
        "[2026-03-02 14:05 UTC] ann says:\none\n\nand two"
    )
    assert (view[1].role, view[1].content) == ("assistant", "Noted.")
    assert view[2:] == (*turn("three"), NEXT)


def test_the_latest_compaction_counts() -> None:
    """What an earlier one covered is in it."""
    history = (*turn("one"), compacted(0, 4), *turn("two"), compacted(9, 9, "Goal:\nX"), NEXT)
    view = sent(history)
    assert [message.role for message in view] == ["user", "assistant", "user"]
    assert "says:\none\n\n[2026-03-02 14:05 UTC] ann says:\ntwo" in view[0].content
    assert latest_compaction(history).compaction == Compaction(covers=9, clears=9)


def test_there_is_nothing_to_do_while_there_is_room() -> None:
    """Three quarters of the limit, as the endpoint counted; a guess where it did not."""
    assert due((*turn("one", LONG, tokens=7400), NEXT), LIMIT) is None
    assert due((*turn("one", LONG, tokens=7600), NEXT), LIMIT) is not None
    assert due((*turn("one", LONG), NEXT), LIMIT) is None
    assert due((*turn("one", LONG * 2), NEXT), LIMIT) is not None


def test_leaving_out_old_results_is_tried_first() -> None:
    """If that is enough, nothing is summed up; the turn before keeps its results."""
    history = (*turn("one", LONG), *turn("two", "short", tokens=8000))
    assert due((*history, NEXT), LIMIT) == Compaction(covers=0, clears=4)


def test_what_is_left_is_summed_up_at_the_border_of_a_turn() -> None:
    """As much as leaves a quarter of the limit."""
    history = tuple(
        message
        for number in range(20)
        for message in turn(f"{number}", tokens=8000, said="x" * 1600)
    )
    wanted = due((*history, NEXT), LIMIT)
    assert wanted is not None
    assert history[wanted.covers].role == "user"
    assert 60 <= wanted.covers < wanted.clears == 76


def test_when_nothing_fits_all_earlier_turns_are_summed_up() -> None:
    """The request itself is never cut."""
    history = (*turn("one", LONG), *turn("x" * 30_000, tokens=9000))
    assert due((*history, NEXT), LIMIT) == Compaction(covers=8, clears=8)


def test_what_people_asked_counts_as_what_is_left() -> None:
    """Words that stay word for word make no room, however old they are."""
    asks = [turn("x" * 2000, tokens=8000, said="y" * size) for size in (8000, 8000, 100, 100, 100)]
    history = tuple(message for each in asks for message in each)
    wanted = due((*history, NEXT), LIMIT)
    assert wanted is not None
    assert wanted.covers == len(history)


def test_after_a_compaction_the_session_has_to_grow_first() -> None:
    """What cannot be made smaller is not tried again at every turn."""
    history = (*turn("one"), compacted(0, 0), *turn("two", tokens=7800))
    assert due((*history, NEXT), LIMIT) is None
    grown = (*history, *turn("three", tokens=9700))
    assert due((*grown, NEXT), LIMIT) is None
    grown = (*history, *turn("three", tokens=9900))
    assert due((*grown, NEXT), LIMIT) is not None
    assert due((*turn("one"), compacted(0, 0), NEXT), LIMIT) is None


def test_a_refused_request_gives_up_all_but_its_own_turn() -> None:
    """Of this turn the words stay and the results go."""
    history = turn("one")
    this_turn = turn("two", LONG)[:3]
    stored = (*history, *this_turn)
    wanted = utmost(stored, len(history))
    assert wanted == Compaction(covers=4, clears=7)
    view = sent((*stored, compacted(wanted.covers, wanted.clears, "Goal:\nX")))
    assert view[2] == this_turn[0]
    assert "left out: a result of 20000 characters" in view[-1].content


def test_a_cached_share_that_falls_by_half_is_seen() -> None:
    """The request grew and its front was known, but the endpoint found less of it."""
    before = (NEXT, Message(role="assistant", content="a", usage=used(4000, 3600)), NEXT)
    assert cache_fell(before, used(4200, 400)) == (0.9, 400 / 4200)
    assert cache_fell(before, used(4200, 3900)) is None
    assert cache_fell(before, used(3000, 0)) is None
    assert cache_fell((NEXT,), used(4200, 0)) is None


def test_a_compaction_may_cost_the_cache() -> None:
    """It changes the front on purpose; and short requests are not cached anyway."""
    before = (NEXT, Message(role="assistant", content="a", usage=used(4000, 3600)))
    assert cache_fell((*before, compacted(0, 1), NEXT), used(4200, 0)) is None
    short = (NEXT, Message(role="assistant", content="a", usage=used(1000, 900)), NEXT)
    assert cache_fell(short, used(1200, 0)) is None
