"""Calls to Slack: what is repeated, what is waited for, what is best effort."""

import asyncio
import time

import pytest

from bot.delivery import SlackBusy, SlackRefused, SlackUnreachable
from bot.pacing import RATES, Pacing
from bot.playground import Fault, Rules
from storage.client import Store
from tests.bot.scene import Json, Scene, set_scene
from tests.support import wait_until


def a_post(scene: Scene, text: str = "hi") -> Json:
    return {"channel": scene.target.channel, "thread_ts": scene.target.thread_ts, "text": text}


async def test_a_limited_call_is_repeated_after_the_time_slack_asks_for(scene: Scene):
    """429 is waited out, four times in a row too; the call is the same each time."""
    scene.fault(Fault("rate_limited", "chat.postMessage", seconds=0, count=4))
    answer = await scene.slack.call("chat.postMessage", a_post(scene))
    assert answer["ok"]
    assert len(scene.calls("chat.postMessage")) == 5
    assert len(scene.messages()) == 1


async def test_a_limit_holds_for_everybody_who_calls_the_method(scene: Scene):
    """One answer of 429 pauses the bucket, not only the call that met it."""
    scene.fault(Fault("rate_limited", "chat.postMessage", seconds=1))
    channel = scene.target.channel
    with pytest.raises(SlackBusy):
        await scene.slack.call_now("chat.postMessage", a_post(scene), key=channel)
    with pytest.raises(SlackBusy) as busy:
        await scene.slack.call_now("chat.postMessage", a_post(scene), key=channel)
    assert 0.5 < busy.value.retry_after <= 1.0
    assert len(scene.calls("chat.postMessage")) == 1


async def test_a_limit_that_never_ends_is_reported(scene: Scene):
    """Waiting is bounded."""
    scene.fault(Fault("rate_limited", "chat.postMessage", seconds=0, count=0))
    with pytest.raises(SlackBusy):
        await scene.slack.call("chat.postMessage", a_post(scene))
    scene.fault(Fault("rate_limited", "chat.update", seconds=600))
    with pytest.raises(SlackBusy):
        await scene.slack.call("chat.update", {"channel": "C1", "ts": "1.0", "text": "x"})


@pytest.mark.parametrize("kind", ["lost", "status"])
async def test_a_post_that_may_have_happened_is_not_repeated(scene: Scene, kind: str):
    """Only who can look it up may send it again."""
    scene.fault(Fault("lost" if kind == "lost" else "status", "chat.postMessage"))
    with pytest.raises(SlackUnreachable) as lost:
        await scene.slack.call("chat.postMessage", a_post(scene))
    assert lost.value.may_be_done
    assert len(scene.calls("chat.postMessage")) == 1


async def test_a_repeatable_call_survives_a_bad_moment(scene: Scene):
    """Reads and edits are made again after 5xx, a lost answer, or Slack's internal_error."""
    scene.fault(Fault("status", "auth.test", status=503))
    scene.fault(Fault("lost", "auth.test"))
    scene.fault(Fault("error", "auth.test", error="internal_error"))
    answer = await scene.slack.call("auth.test", {}, repeatable=True)
    assert answer["user_id"] == scene.playground.app.user.id
    assert len(scene.calls("auth.test")) == 4


async def test_a_refusal_carries_slacks_word(scene: Scene):
    """It is not tried again."""
    with pytest.raises(SlackRefused) as refused:
        await scene.slack.call("chat.postMessage", a_post(scene) | {"channel": "C0NOWHERE"})
    assert (refused.value.method, refused.value.error) == ("chat.postMessage", "channel_not_found")
    assert len(scene.calls("chat.postMessage")) == 1


async def test_no_connection_means_not_made(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    """A call that never left may be made again by anybody."""
    monkeypatch.setattr("bot.delivery._BACK_OFF_SECONDS", (0.01,))
    scene.slack._client.base_url = "http://127.0.0.1:9/api/"  # pyright: ignore[reportPrivateUsage] - a dead port
    with pytest.raises(SlackUnreachable) as lost:
        await scene.slack.call("chat.postMessage", a_post(scene))
    assert not lost.value.may_be_done


async def test_silence_ends(scene: Scene):
    """A call without an answer is given up after its deadline."""
    scene.fault(Fault("delay", "auth.test", seconds=0.3))
    with pytest.raises(SlackUnreachable):
        await scene.slack.call_once("auth.test", {}, deadline=0.05)


async def test_secrets_are_not_in_errors(scene: Scene):
    """An error can be logged as it is."""
    scene.slack._client.token = "xoxb-secret-secret"  # pyright: ignore[reportPrivateUsage] - a bad token # noqa: S105
    with pytest.raises(SlackRefused) as refused:
        await scene.slack.call("auth.test", {})
    assert "secret" not in f"{refused.value!r} {refused.value}"


async def test_posts_keep_a_second_apart_after_the_burst(store: Store):
    """One a second and channel, with a burst; Slack never has to say 429."""
    async with set_scene(store, Rules(rate_limits=True), scale=1.0) as scene:
        scene.slack.pacing = Pacing(RATES | {"chat.postMessage": (600, 3)})
        began = time.monotonic()
        for n in range(6):
            await scene.slack.call(
                "chat.postMessage", a_post(scene, str(n)), key=scene.target.channel
            )
        assert 0.25 < time.monotonic() - began < 2
        assert [m.text for m in scene.messages()] == [str(n) for n in range(6)]
        assert not [c for c in scene.calls() if c["error"]]


def test_an_edit_of_one_message_waits_and_the_last_one_does_not():
    """Previews keep 1.2 s apart per message; an urgent call waits only for Slack's own word."""
    now = 100.0
    pacing = Pacing(monotonic=lambda: now)
    pacing.take("chat.update", "1.0")
    assert pacing.delay("chat.update", "1.0") == pytest.approx(1.2)
    assert pacing.delay("chat.update", "2.0") == 0
    assert pacing.delay("chat.update", "1.0", urgent=True) == 0
    pacing.pause("chat.update", "1.0", 5)
    assert pacing.delay("chat.update", "1.0", urgent=True) == 5
    now += 6
    assert pacing.delay("chat.update", "1.0") == 0


def test_idle_buckets_are_forgotten():
    """A long life with many messages does not fill the memory."""
    now = 0.0
    pacing = Pacing(monotonic=lambda: now)
    for n in range(10_000):
        now += 2
        pacing.take("chat.update", str(n))
    assert len(pacing._buckets) <= 2_001  # pyright: ignore[reportPrivateUsage] - its size is the point


async def test_reactions_come_and_go_in_order(scene: Scene):
    """The latest wish for a reaction wins, and failures stay silent."""
    channel, ts = scene.target.channel, scene.target.thread_ts
    scene.slack.react(channel, ts, "eyes")
    scene.slack.react(channel, ts, "eyes")
    message = scene.playground.workspace.channels[channel].messages[ts]
    await wait_until(lambda: "eyes" in message.reactions)
    scene.slack.unreact(channel, ts, "eyes")
    await wait_until(lambda: "eyes" not in message.reactions)
    scene.slack.unreact(channel, "1.0", "eyes")
    await wait_until(lambda: len(scene.calls("reactions.remove")) == 2)


async def test_signs_do_not_pile_up(scene: Scene):
    """Many statuses in a moment are one or two calls: the newest is shown."""
    channel, ts = scene.target.channel, scene.target.thread_ts
    for n in range(20):
        scene.slack.signs.status(channel, ts, f"is at {n}")
    await wait_until(lambda: scene.status() == "is at 19")
    scene.slack.signs.status(channel, ts, "is at 20")
    await asyncio.sleep(0)
    scene.slack.signs.status(channel, ts, "")
    await wait_until(lambda: scene.status() == "")
    assert len(scene.calls("assistant.threads.setStatus")) <= 3


async def test_a_status_slack_has_cleared_is_not_cleared_again(scene: Scene):
    """A post clears it; one more call would be waste."""
    channel, ts = scene.target.channel, scene.target.thread_ts
    scene.slack.signs.status(channel, ts, "is thinking…")
    await wait_until(lambda: scene.status() != "")
    scene.slack.signs.posted(channel, ts)
    scene.slack.signs.status(channel, ts, "")
    await scene.slack.close()
    assert len(scene.calls("assistant.threads.setStatus")) == 1


async def test_words_to_one_person_are_inert(scene: Scene):
    """Ephemeral and direct words are plain text: no mention, no mark-up of others."""
    channel, ann = scene.target.channel, scene.target.user
    await scene.slack.post_ephemeral(channel, ann, scene.target.thread_ts, "no <!channel> @here")
    scene.slack.whisper(channel, ann, scene.target.thread_ts, "psst & <@U0BEN>")
    await scene.slack.post_direct(ann, "hello <@U0BEN>")
    await wait_until(lambda: len(scene.calls("chat.postEphemeral")) == 2)
    sent = [c["args"]["text"] for c in scene.calls("chat.postEphemeral", "chat.postMessage")]
    assert sorted(sent) == sorted(
        ["no @\u2060channel @\u2060here", "psst &amp; @\u2060U0BEN", "hello @\u2060U0BEN"]
    )
    with pytest.raises(SlackRefused):
        await scene.slack.post_ephemeral(channel, "U0NOBODY", "", "x")
