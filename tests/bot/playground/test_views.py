"""Modals and Home, as Bolt opens, stacks, changes and publishes them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from bot.playground import Playground, SlackError
from bot.playground.model import Shortcut
from tests.bot.playground.clients import Api, Json
from tests.support import wait_until

Ack = Callable[..., Awaitable[None]]
Bolt = Any  # the SDK is not typed


def said(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def modal(title: str = "Change", **more: object) -> Json:
    """Build a modal with one required text input and one select that tells the app."""
    options = [{"text": said(name), "value": name} for name in ("low", "high")]
    select = {"type": "static_select", "action_id": "risk", "options": options}
    return {
        "type": "modal",
        "callback_id": "change",
        "title": said(title),
        "submit": said("Send"),
        "blocks": [
            {
                "type": "input",
                "block_id": "why",
                "label": said("Why?"),
                "element": {"type": "plain_text_input", "action_id": "text"},
            },
            {"type": "actions", "block_id": "more", "elements": [select]},
        ],
        **more,
    }


@pytest.fixture
def bolt(playground: Playground, api: Api) -> Bolt:
    """Give a Bolt app that opens a modal from its global shortcut."""
    playground.app.shortcuts.append(Shortcut("global", "ask", "Ask"))
    app: Any = AsyncApp(client=api.client)

    @app.shortcut("ask")
    async def on_ask(ack: Ack, body: Json, client: Any) -> None:  # noqa: ANN401 - untyped SDK
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal(notify_on_close=True))

    return app


@asynccontextmanager
async def opened(playground: Playground, app: Bolt) -> AsyncGenerator[str]:
    """Run the app and let ann open its modal; gives ann's user id."""
    handler: Any = AsyncSocketModeHandler(app, playground.app_token)
    await handler.connect_async()
    ann = playground.workspace.user_named("ann").id
    try:
        await playground.people.shortcut("ann", "ask")
        await wait_until(lambda: bool(playground.workspace.modals.get(ann)))
        yield ann
    finally:
        await handler.close_async()


def titles(playground: Playground, user: str) -> list[str]:
    return [v.shape["title"]["text"] for v in playground.workspace.modals[user]]


async def test_a_submission_brings_what_was_filled_in(playground: Playground, bolt: Bolt) -> None:
    """The app gets state.values, and an empty acknowledgement closes the modal."""
    heard = list[Json]()

    @bolt.view("change")
    async def on_change(ack: Ack, view: Json) -> None:
        heard.append(view)
        await ack()

    async with opened(playground, bolt) as ann:
        await playground.people.submit("ann", values={"why": {"text": "because"}})
        await wait_until(lambda: not playground.workspace.modals[ann])

    assert heard[0]["state"]["values"]["why"]["text"] == {
        "type": "plain_text_input",
        "value": "because",
    }
    assert heard[0]["state"]["values"]["more"]["risk"]["selected_option"] is None


async def test_a_required_input_is_asked_for(playground: Playground, bolt: Bolt) -> None:
    """Slack itself refuses to submit while a required input is empty."""
    async with opened(playground, bolt):
        with pytest.raises(SlackError) as refused:
            await playground.people.submit("ann")

    assert refused.value.body()["blocks"] == ["why"]


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ({"response_action": "clear"}, []),
        ({"response_action": "update", "view": modal("Again")}, ["Again"]),
        ({"response_action": "push", "view": modal("More")}, ["Change", "More"]),
    ],
)
async def test_the_app_says_what_follows(
    playground: Playground, bolt: Bolt, answer: Json, left: list[str]
) -> None:
    """clear, update and push in the acknowledgement."""

    @bolt.view("change")
    async def on_change(ack: Ack) -> None:
        await ack(answer)

    async with opened(playground, bolt) as ann:
        await playground.people.submit("ann", values={"why": {"text": "because"}})
        await wait_until(lambda: titles(playground, ann) == left)


@pytest.mark.parametrize(
    ("errors", "shown"), [({"why": "too short"}, "too short"), ({"nothing": "?"}, "trouble")]
)
async def test_errors_stand_under_their_input(
    playground: Playground, bolt: Bolt, errors: Json, shown: str
) -> None:
    """The page marks the input; an error for no input is the app's mistake and keeps the modal."""

    @bolt.view("change")
    async def on_change(ack: Ack) -> None:
        await ack({"response_action": "errors", "errors": errors})

    async with opened(playground, bolt) as ann:
        reader = playground.workspace.feed.open(ann, None)
        await playground.people.submit("ann", values={"why": {"text": "no"}})
        await wait_until(lambda: not reader.queue.empty())
        assert shown in str(reader.queue.get_nowait())
        assert titles(playground, ann) == ["Change"]


async def test_a_choice_in_a_modal_reaches_the_app_and_opens_the_next(
    playground: Playground, bolt: Bolt
) -> None:
    """block_actions carries the state; its trigger pushes, three views deep and no deeper."""
    refusals, heard = list[str](), list[Json]()

    @bolt.action("risk")
    async def on_risk(ack: Ack, body: Json, client: Any) -> None:  # noqa: ANN401 - untyped SDK
        await ack()
        heard.append(body)
        try:
            await client.views_push(trigger_id=body["trigger_id"], view=modal("More"))
        except SlackApiError as error:
            refusals.append(str(error))

    async with opened(playground, bolt) as ann:
        for depth in (2, 3, 3):
            await playground.people.select(
                "ann", "risk", value="high", values={"why": {"text": "x"}}
            )
            await wait_until(lambda d=depth: len(heard) > d - 2)
            await wait_until(lambda d=depth: len(titles(playground, ann)) == d)
        await wait_until(lambda: bool(refusals))

    assert "push_limit_reached" in refusals[0]
    assert heard[0]["container"] == {"type": "view", "view_id": heard[0]["view"]["id"]}
    assert heard[0]["actions"][0]["selected_option"]["value"] == "high"
    assert heard[0]["view"]["state"]["values"]["why"]["text"]["value"] == "x"


async def test_a_closed_modal_is_told(playground: Playground, bolt: Bolt) -> None:
    """view_closed comes to an app that asked for it."""
    heard = list[Json]()

    @bolt.view_closed("change")
    async def on_close(ack: Ack, body: Json) -> None:
        await ack()
        heard.append(body)

    async with opened(playground, bolt) as ann:
        await playground.people.close_view("ann")
        await wait_until(lambda: bool(heard))
        assert playground.workspace.modals[ann] == []

    assert (heard[0]["type"], heard[0]["is_cleared"]) == ("view_closed", False)


async def trigger_of(playground: Playground) -> str:
    """Let ann use the shortcut with nobody listening; gives the trigger id of it."""
    playground.app.shortcuts.append(Shortcut("global", "ask", "Ask"))
    await playground.people.shortcut("ann", "ask")
    return list(playground.workspace.triggers)[-1]


async def test_a_trigger_lives_three_seconds_and_once(playground: Playground, api: Api) -> None:
    """expired_trigger_id, exchanged_trigger_id, invalid_trigger_id."""
    late, used = await trigger_of(playground), await trigger_of(playground)
    await api("views.open", trigger_id=used, view=modal())
    again = await api.refused("views.open", trigger_id=used, view=modal())
    playground.workspace.clock.advance(3.1)

    assert again == "exchanged_trigger_id"
    assert await api.refused("views.open", trigger_id=late, view=modal()) == "expired_trigger_id"
    assert await api.refused("views.open", trigger_id="1.2.x", view=modal()) == "invalid_trigger_id"


async def test_an_update_needs_the_hash_it_saw(playground: Playground, api: Api) -> None:
    """A stale hash is hash_conflict; by external_id it is found as well; fields keep their text."""
    trigger = await trigger_of(playground)
    view = (await api("views.open", trigger_id=trigger, view=modal(external_id="one")))["view"]
    await playground.people.select("ann", "text", value="kept")
    updated = await api("views.update", external_id="one", view=modal("New"), hash=view["hash"])

    stale = {"view_id": view["id"], "view": modal(), "hash": view["hash"]}
    assert await api.refused("views.update", **stale) == "hash_conflict"
    assert await api.refused("views.update", view_id="V0", view=modal()) == "not_found"
    assert updated["view"]["title"]["text"] == "New"
    assert updated["view"]["state"]["values"]["why"]["text"]["value"] == "kept"


BROKEN = [
    ({"title": said("x" * 25)}, "/view/title/text"),
    ({"submit": said("x" * 25)}, "/view/submit/text"),
    ({"submit": None}, "missing required field: submit"),
    ({"private_metadata": "x" * 3_001}, "/view/private_metadata"),
    ({"callback_id": "x" * 256}, "/view/callback_id"),
    ({"external_id": "x" * 256}, "/view/external_id"),
    ({"blocks": [{"type": "divider"}] * 101}, "no more than 100"),
    ({"blocks": [{"type": "header"}]}, "/view/blocks/0/text"),
    ({"type": "home"}, "/view/type"),
]


@pytest.mark.parametrize(("change", "pointer"), BROKEN)
async def test_views_slack_does_not_take(
    playground: Playground, api: Api, change: Json, pointer: str
) -> None:
    """Each limit of a view has its pointer."""
    trigger = await trigger_of(playground)

    refusal = await api.refusal("views.open", trigger_id=trigger, view={**modal(), **change})

    assert refusal["error"] == "invalid_arguments"
    assert pointer in str(refusal["response_metadata"]["messages"])


async def test_a_view_has_a_size(playground: Playground, api: Api) -> None:
    """Past 250 kB it is view_too_large."""
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2_900}}
    trigger = await trigger_of(playground)

    view = modal(blocks=[section] * 90)

    assert await api.refused("views.open", trigger_id=trigger, view=view) == "view_too_large"


async def test_home_is_told_of_and_published(playground: Playground, api: Api) -> None:
    """app_home_opened names the tab; what is published stays, hash by hash."""
    ann = playground.workspace.user_named("ann")
    home = {"type": "home", "blocks": [{"type": "divider"}]}
    await playground.people.open_home("ann")
    first = (await api("views.publish", user_id=ann.id, view=home))["view"]
    second = (await api("views.publish", user_id=ann.id, view=home, hash=first["hash"]))["view"]
    await playground.people.open_home("ann")

    opened_twice = playground.journal.of("undelivered", label="app_home_opened", attempt=0)
    assert len(opened_twice) == 2
    assert (first["id"], first["type"]) == (second["id"], "home")
    stale = {"user_id": ann.id, "view": home, "hash": first["hash"]}
    assert await api.refused("views.publish", **stale) == "hash_conflict"
    playground.app.home_tab = False
    assert await api.refused("views.publish", user_id=ann.id, view=home) == "not_enabled"


async def test_a_button_on_home_opens_a_modal(playground: Playground, api: Api) -> None:
    """block_actions from Home name the view as container and carry a trigger."""
    ann = playground.workspace.user_named("ann")
    button = {"type": "button", "action_id": "go", "text": said("Go"), "value": "1"}
    home = {"type": "home", "blocks": [{"type": "actions", "elements": [button]}]}
    view = (await api("views.publish", user_id=ann.id, view=home))["view"]

    await playground.people.select("ann", "go", view=view["id"])

    trigger = list(playground.workspace.triggers)[-1]
    assert await api.refused("views.push", trigger_id=trigger, view=modal()) == "invalid_trigger_id"
    assert playground.journal.of("undelivered", label="go", envelope="interactive")
