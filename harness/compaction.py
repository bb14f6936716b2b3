"""The ladder by which a long session stays within what a model takes; pure, over stored messages.

Stored history is never changed. A compaction is one more stored message (`Message.compaction`), and
what is sent follows from the latest one, so requests stay equal from one compaction to the next.
Rungs, cheapest first: results are capped where they arise; long results of older turns are left
out; older turns are summed up, and what people asked in them stays word for word. Cuts are made
between turns only. Neighbours: `summary` (who carries it out), `tokens` (guesses), `loop`.
"""

from bisect import bisect_left
from collections.abc import Sequence

from harness.context import request_in
from harness.models import Compaction, Message, ToolResult, Usage
from harness.tokens import message_tokens, text_tokens
from harness.tools.results import content_of

SUMMARY_HEAD = "[summary of what was said before: context, not orders]"

_ASKED = "What people asked, word for word:"
_NOTED = "Noted."
_NONE = Message(role="user", compaction=Compaction())
_HIGH, _LOW, _KEPT, _GROWTH = 0.75, 0.4, 0.25, 0.2  # shares of the limit
_SUMMARY_TOKENS = 600
_KEPT_RESULT_CHARS = 600
_CACHED_SHARE = 0.5
_CACHED_FROM_TOKENS = 2048


def sent(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Give what is sent of a session's stored messages."""
    latest = latest_compaction(messages)
    done = latest.compaction or Compaction()
    front = _summed_up(latest.content, messages[: done.covers]) if done.covers else ()
    rest = (
        _cleared(message) if number < done.clears else message
        for number, message in enumerate(messages)
        if number >= done.covers and message.compaction is None
    )
    return (*front, *rest)


def latest_compaction(messages: Sequence[Message]) -> Message:
    """Give the latest compaction, or one that leaves everything as it is."""
    return next((message for message in reversed(messages) if message.compaction), _NONE)


def due(messages: Sequence[Message], limit: int) -> Compaction | None:
    """Say what to leave out when a turn begins, or None: there is room.

    The last message is the turn's request. Goes by what the endpoint counted last, and rests until
    the session has grown again, so that what cannot be made smaller is not tried at every turn.
    """
    used, grown = _used(messages)
    if used <= limit * _HIGH or grown < limit * _GROWTH:
        return None
    done = latest_compaction(messages).compaction or Compaction()
    scale = used / max(1, _guess(messages, done))
    borders = [n for n, message in enumerate(messages) if _is_request(message)]
    clears = max(done.clears, *borders[-2:-1], 0)  # the turn before this one keeps its results
    if _guess(messages, Compaction(covers=done.covers, clears=clears)) * scale <= limit * _LOW:
        return Compaction(covers=done.covers, clears=clears)

    def is_enough(border: int) -> bool:
        kept = Compaction(covers=border, clears=clears)
        return _guess(messages, kept) * scale <= limit * _KEPT

    place = bisect_left(borders, x=True, hi=len(borders) - 1, key=is_enough)
    covers = max(done.covers, borders[place])
    return Compaction(covers=covers, clears=max(clears, covers))


def utmost(messages: Sequence[Message], turn_start: int) -> Compaction:
    """Say what to leave out when a request was refused as too long: all before this turn."""
    done = latest_compaction(messages).compaction or Compaction()
    return Compaction(covers=max(done.covers, turn_start), clears=len(messages))


def cache_fell(messages: Sequence[Message], now: Usage) -> tuple[float, float] | None:
    """Say how the cached share of the request fell since the one before, if it fell by half.

    `messages` end before the answer that `now` belongs to. A compaction makes it fall rightly.
    """
    for message in reversed(messages):
        if message.compaction is not None:
            return None
        if message.usage is not None:
            before = message.usage
            break
    else:
        return None
    if before.input_tokens < _CACHED_FROM_TOKENS or now.input_tokens < before.input_tokens:
        return None
    was, now_is = (usage.cached_tokens / usage.input_tokens for usage in (before, now))
    return (was, now_is) if was >= _CACHED_SHARE and now_is < was / 2 else None


def _used(messages: Sequence[Message]) -> tuple[int, int]:
    """Give the tokens of the next request, and by how many it grew since the last compaction."""
    start = max((n + 1 for n, message in enumerate(messages) if message.compaction), default=0)
    counted = [n for n in range(start, len(messages)) if messages[n].usage]
    if not counted:
        guessed = _guess(messages, latest_compaction(messages).compaction or Compaction())
        return guessed, 0 if start else guessed
    first, last = (_total(messages[n].usage) for n in (counted[0], counted[-1]))
    used = last + sum(map(message_tokens, messages[counted[-1] + 1 :]))
    return used, used - first if start else used


def _total(usage: Usage | None) -> int:
    return usage.input_tokens + usage.output_tokens if usage else 0


def _guess(messages: Sequence[Message], done: Compaction) -> int:
    """Guess the tokens of what a compaction would leave."""
    total = _SUMMARY_TOKENS if done.covers else 0
    for number, message in enumerate(messages):
        if number >= done.covers and message.compaction is None:
            total += message_tokens(_cleared(message) if number < done.clears else message)
        elif _is_request(message):
            total += text_tokens(request_in(message.content))
    return total


def _is_request(message: Message) -> bool:
    return message.role == "user" and message.compaction is None


def _summed_up(summary: str, covered: Sequence[Message]) -> tuple[Message, Message]:
    asked = [request_in(message.content) for message in covered if _is_request(message)]
    text = "\n\n".join((f"{SUMMARY_HEAD}\n{summary}", _ASKED, *asked))
    # An answer between them, because two requests in a row are refused by some endpoints.
    return Message(role="user", content=text), Message(role="assistant", content=_NOTED)


def _cleared(message: Message) -> Message:
    if message.role != "tool" or len(message.content) <= _KEPT_RESULT_CHARS:
        return message
    left_out = ToolResult(
        status="ok",
        output=f"[left out: a result of {len(message.content)} characters; call again if you need "
        "it, for a smaller part if you can]",
    )
    return message.model_copy(update={"content": content_of(left_out)})
