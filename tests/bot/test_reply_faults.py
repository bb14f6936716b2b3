"""Replies under fire: whatever is lost, late or refused on the way, one clean copy arrives."""

import time
from dataclasses import replace

import pytest

from bot.delivery import SlackRefused, SlackUnreachable
from bot.playground import Fault
from bot.reply import Pace
from harness.errors import LeaseLost
from harness.events import StepStarted, TextStarted, TextStreamed
from storage.ledger import Ledger, Part
from tests.bot.scene import QUICK, Scene, said
from tests.support import wait_until

PARAGRAPH = "Some words that make a paragraph of a longer answer."
STREAMED = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(12))
IN_PARTS = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(500))

FAULTS = {
    "429": Fault("rate_limited", seconds=0),
    "429 four times": Fault("rate_limited", seconds=0, count=4),
    "500": Fault("status", status=500),
    "503 three times": Fault("status", status=503, count=3),
    "internal_error": Fault("error", error="internal_error"),
    "answer lost": Fault("lost"),
    "answer lost twice": Fault("lost", count=2),
    "silence": Fault("timeout", seconds=0.02),
}


def given(scene: Scene, fault: str, method: str, skip: int = 0) -> None:
    scene.fault(replace(FAULTS[fault], target=method, skip=skip))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("part", [0, 1, 2])
async def test_a_post_that_fails_is_repeated_or_found(scene: Scene, fault: str, part: int):
    """Each part of a split answer arrives once, whichever of them fails (F003, F045, F049)."""
    given(scene, fault, "chat.postMessage", skip=part)
    await scene.answer(IN_PARTS)
    assert "".join(scene.texts()) == IN_PARTS
    assert len(scene.messages()) == 3


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    ("method", "skip"),
    [
        ("chat.startStream", 0),
        ("chat.appendStream", 0),
        ("chat.appendStream", 1),
        ("chat.stopStream", 0),
    ],
)
async def test_a_stream_call_that_fails_leaves_one_clean_copy(
    scene: Scene, fault: str, method: str, skip: int
):
    """Nothing is lost or repeated, and there is one message (F008, F051)."""
    given(scene, fault, method, skip)
    await scene.answer(STREAMED, size=150)
    assert scene.texts() == [STREAMED]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("method", "skip"), [("chat.postMessage", 0), ("chat.update", 1)])
async def test_without_streams_a_failing_call_leaves_one_clean_copy(
    scene: Scene, fault: str, method: str, skip: int
):
    """The other path holds the same promise."""
    scene.slack.streams = False
    given(scene, fault, method, skip)
    await scene.answer(STREAMED, size=150)
    assert scene.texts() == [STREAMED]


async def test_retry_after_is_honoured(scene: Scene):
    """The same part is sent again after the time Slack asked for, with the same text (F050)."""
    scene.fault(Fault("rate_limited", "chat.postMessage", seconds=1))
    await scene.answer("Hello Ann.")
    first, second = scene.calls("chat.postMessage")
    assert second["t"] - first["t"] >= 0.99
    assert first["args"] == second["args"] | {"blocks": first["args"]["blocks"]}


async def test_a_limited_preview_is_skipped(scene: Scene):
    """No preview is repeated while Slack is busy; the end does not wait for it."""
    scene.fault(Fault("rate_limited", "chat.appendStream", seconds=30))
    async with scene.reply() as reply:
        await scene.stream(reply, STREAMED[:150], 150)
        await reply.show(TextStreamed(STREAMED[150:300]))
        await wait_until(lambda: len(scene.calls("chat.appendStream")) == 1)
        await reply.show(TextStreamed(STREAMED[300:]))
        began = time.monotonic()
        await reply.finish(said(STREAMED))
        assert time.monotonic() - began < 0.5
    assert scene.texts() == [STREAMED]
    assert len(scene.calls("chat.appendStream")) == 1


@pytest.mark.parametrize("error", ["is_archived", "restricted_action", "not_in_channel"])
async def test_a_refusal_for_good_is_reported(scene: Scene, error: str):
    """Who runs the turn hears what Slack said; nothing is tried for ever."""
    scene.fault(Fault("error", "*", error=error, count=0))
    with pytest.raises(SlackRefused) as refused:
        await scene.answer("Hello Ann.")
    assert refused.value.error == error
    assert len(scene.calls("chat.postMessage")) == 1


async def test_slack_that_stays_away_is_reported(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    """After a bounded time the turn can be handed back; nothing was shown."""
    monkeypatch.setattr("bot.delivery._BACK_OFF_SECONDS", (0.01,))
    monkeypatch.setattr("bot.part._BACK_OFF_SECONDS", 0.01)
    scene.fault(Fault("status", "*", status=502, count=0))
    with pytest.raises(SlackUnreachable):
        await scene.answer("Hello Ann.")
    assert scene.messages() == []


class Mortal(Ledger):
    """A ledger whose worker dies at the `n`th write: before it, or right after it."""

    def __init__(self, scene: Scene, n: int, *, after: bool) -> None:
        super().__init__(scene.store, scene.lease)
        self._left = n
        self._after = after
        self.died = False

    async def put(self, part: Part) -> None:
        self._left -= 1
        if self._left < 0 or (self._left == 0 and not self._after):
            self.died = True
            raise LeaseLost
        await super().put(part)
        if self._left == 0:
            self.died = True
            raise LeaseLost


async def die_at(scene: Scene, n: int, text: str, size: int, *, after: bool) -> bool:
    """Answer until the `n`th ledger write kills the worker; whether it came to that."""
    alive, mortal = scene.ledger, Mortal(scene, n, after=after)
    scene.ledger = lambda: mortal
    try:
        await scene.answer(text, size=size)
    except LeaseLost:
        assert mortal.died
    finally:
        scene.ledger = alive
    return mortal.died


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after it"])
@pytest.mark.parametrize("n", range(1, 10))
@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "posted"])
async def test_a_crash_at_any_point_leaves_one_copy(
    scene: Scene, n: int, *, after: bool, streams: bool
):
    """The next worker goes on from the ledger, wherever the first one died."""
    scene.slack.streams = streams
    await die_at(scene, n, STREAMED, 150, after=after)
    scene.slack.streams = True
    await scene.answer(STREAMED, size=400)
    assert scene.texts() == [STREAMED]
    assert not scene.messages()[0].is_streaming


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after it"])
@pytest.mark.parametrize("n", range(1, 7))
async def test_a_crash_between_parts_repeats_none(scene: Scene, n: int, *, after: bool):
    """What was sealed is not sent again; the rest follows (F045)."""
    died = await die_at(scene, n, IN_PARTS, 0, after=after)
    sealed = [part for part in await scene.ledger().parts() if part.state == "sealed"]
    before = len(scene.calls())
    await scene.answer(IN_PARTS)
    assert died
    assert "".join(scene.texts()) == IN_PARTS
    assert len(scene.messages()) == 3
    again = [c["args"].get("ts") for c in scene.calls()[before:] if c["method"] == "chat.update"]
    assert not {part.ts for part in sealed} & set(again)


async def test_a_finished_reply_costs_nothing_the_second_time(scene: Scene):
    """A worker that died after the last seal leaves nothing to do."""
    await scene.answer(IN_PARTS)
    before = len(scene.calls("chat.postMessage", "chat.update", "chat.delete"))
    await scene.answer(IN_PARTS)
    assert len(scene.calls("chat.postMessage", "chat.update", "chat.delete")) == before
    assert not scene.calls("chat.startStream", "conversations.replies")


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after it"])
@pytest.mark.parametrize("n", range(1, 8))
async def test_a_crash_while_messages_are_taken_back(scene: Scene, n: int, *, after: bool):
    """Whatever was deleted by then, the next text stands whole and in order."""
    await scene.answer(IN_PARTS)
    await die_at(scene, n, "Short.", 0, after=after)
    await scene.answer(IN_PARTS)
    assert "".join(scene.texts()) == IN_PARTS


async def test_another_text_after_a_crash_replaces_the_first(scene: Scene):
    """The model may say something else the second time: the same messages say it."""
    await die_at(scene, 7, STREAMED, 150, after=True)
    await scene.answer("Something else, and shorter.")
    assert scene.texts() == ["Something else, and shorter."]


async def test_a_lost_lease_ends_the_reply_in_silence(scene: Scene):
    """Nothing more is sent, no status changed: the thread belongs to another worker."""
    alive = scene.ledger
    scene.ledger = lambda: Mortal(scene, 3, after=False)
    async with scene.reply() as reply:
        await reply.show(StepStarted(1))
        await reply.show(TextStarted(1))
        await reply.show(TextStreamed(STREAMED))
        await wait_until(lambda: reply.is_quiet and len(scene.messages()) == 1)
        await reply.show(TextStreamed("more words "))
        with pytest.raises(LeaseLost):
            await reply.finish(said(STREAMED))
        await reply.say("Something broke.")
        calls = len(scene.calls())
    await scene.slack.close()
    assert len(scene.calls()) == calls
    scene.ledger = alive


async def test_the_status_is_cleared_even_if_slack_stumbles(scene: Scene):
    """Clearing is tried again; a status that is only shown is not (F053)."""
    async with scene.reply(Pace(first=5.0)) as reply:
        await reply.show(StepStarted(1))
        await wait_until(lambda: scene.status() != "")
        given(scene, "500", "assistant.threads.setStatus")
    await wait_until(lambda: scene.status() == "")


async def test_cosmetics_that_hang_hold_nothing_up(scene: Scene):
    """The answer is there while the status call still waits."""
    scene.fault(Fault("delay", "assistant.threads.setStatus", seconds=0.6))
    began = time.monotonic()
    await scene.answer("Hello Ann.", pace=QUICK)
    assert time.monotonic() - began < 0.5
    assert scene.texts() == ["Hello Ann."]
    await wait_until(lambda: scene.methods().count("assistant.threads.setStatus") == 2)
    await wait_until(lambda: scene.status() == "")
