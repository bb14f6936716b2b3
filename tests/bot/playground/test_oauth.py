"""Installing by OAuth: consent, codes, tokens that last or rotate, a second workspace, an org."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import aiohttp
import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.token_rotation.rotator import TokenRotator

from bot.playground import Playground, SlackError
from tests.bot.playground.clients import Api, Json, events, listening
from tests.support import wait_until

BACK = "http://127.0.0.1:9/back"
SCOPES = (
    "app_mentions:read,chat:write,channels:read,users:read,channels:join,channels:history,im:write"
)


def address(playground: Playground, **more: str) -> str:
    query = {"client_id": playground.app.client_id, "scope": SCOPES, "redirect_uri": BACK}
    return f"{playground.page_url}oauth/v2/authorize?{urlencode({**query, 'state': 'x1', **more})}"


def code_in(redirect: str) -> str:
    return parse_qs(urlsplit(redirect).query)["code"][0]


async def access(playground: Playground, **arguments: str) -> Json:
    """Call oauth.v2.access as slack_sdk does: form, and HTTP Basic.

    By its synchronous client: the other one uses a part of aiohttp that warns of its end.
    """
    return await sync_call(playground, "oauth_v2_access", **arguments)


async def sync_call(playground: Playground, method: str, **arguments: str) -> Json:
    client: Any = WebClient(base_url=playground.api_url)
    secrets = {
        "client_id": playground.app.client_id,
        "client_secret": playground.app.client_secret,
    }
    return (await asyncio.to_thread(getattr(client, method), **{**secrets, **arguments})).data


async def refused(playground: Playground, **arguments: str) -> str:
    """Call oauth.v2.access, expecting a refusal; gives Slack's error name."""
    try:
        await access(playground, **arguments)
    except SlackApiError as error:
        response: Any = error.response  # pyright: ignore[reportUnknownMemberType] - untyped SDK
        return response["error"]
    raise AssertionError("not refused")


async def installed(playground: Playground, who: str = "dora", **choice: Any) -> Json:  # noqa: ANN401
    """Let a person allow the app, and give what the app gets for the code."""
    people = playground.second_people if who in {"dora", "eli"} else playground.people
    redirect = await people.allow(who, address(playground), **choice)
    return await access(playground, code=code_in(redirect), redirect_uri=BACK)


@pytest.fixture
async def browser(playground: Playground) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(playground.page_url) as session:
        yield session


async def test_a_person_clicks_allow(
    playground: Playground, browser: aiohttp.ClientSession
) -> None:
    """The page names app and scopes; Allow sends the browser back with code and state."""
    dora = playground.second.user_named("dora")
    page = await (await browser.get(address(playground))).text()
    nonce = page.partition('name="nonce" value="')[2].partition('"')[0]
    form = {"nonce": nonce, "person": dora.id, "decision": "allow"}
    back = await browser.post("oauth/v2/authorize", data=form, allow_redirects=False)
    again = await browser.post("oauth/v2/authorize", data=form, allow_redirects=False)

    answer = await access(playground, code=code_in(back.headers["Location"]), redirect_uri=BACK)

    assert "Deskmate asks" in page
    assert "channels:join" in page
    assert parse_qs(urlsplit(back.headers["Location"]).query)["state"] == ["x1"]
    assert answer["team"] == {"id": playground.second.team.id, "name": "Harbour"}
    assert answer["authed_user"]["id"] == dora.id
    assert again.status == 400


async def test_a_person_clicks_cancel(
    playground: Playground, browser: aiohttp.ClientSession
) -> None:
    """The app gets access_denied, and its state."""
    page = await (await browser.get(address(playground))).text()
    nonce = page.partition('name="nonce" value="')[2].partition('"')[0]
    form = {"nonce": nonce, "decision": "cancel"}
    back = await browser.post("oauth/v2/authorize", data=form, allow_redirects=False)

    query = parse_qs(urlsplit(back.headers["Location"]).query)
    assert query == {"error": ["access_denied"], "state": ["x1"]}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"client_id": "1.2"}, "invalid_client_id"),
        ({"scope": ""}, "invalid_scope"),
        ({"redirect_uri": "http://evil.example/x"}, "bad_redirect_uri"),
        ({"team": "T1"}, "invalid_team"),
    ],
)
async def test_addresses_slack_shows_no_page_for(
    playground: Playground, browser: aiohttp.ClientSession, change: dict[str, str], error: str
) -> None:
    """Each mistake has its name."""
    response = await browser.get(address(playground, **change))

    assert (response.status, await response.text()) == (400, error)


async def test_guests_allow_nothing(playground: Playground) -> None:
    """Installing is for full members, the whole organisation for admins."""
    with pytest.raises(SlackError, match="restricted_action"):
        await playground.people.allow("gil", address(playground))
    with pytest.raises(SlackError, match="restricted_action"):
        await playground.people.allow("ben", address(playground), everywhere=True)


async def test_a_code_is_good_once_and_ten_minutes(playground: Playground) -> None:
    """Used, late, for another address, with another secret: each refusal has its name."""
    codes = [
        code_in(await playground.second_people.allow("dora", address(playground))) for _ in range(3)
    ]
    await access(playground, code=codes[0])

    assert await refused(playground, code=codes[0]) == "code_already_used"
    elsewhere = "http://127.0.0.1:9/else"
    assert await refused(playground, code=codes[1], redirect_uri=elsewhere) == "bad_redirect_uri"
    playground.workspace.clock.advance(601)
    assert await refused(playground, code=codes[2]) == "invalid_code"
    guess = {"code": codes[1], "client_secret": "guess"}
    assert await refused(playground, **guess) == "bad_client_secret"


async def test_secrets_stay_out_of_the_journal(playground: Playground) -> None:
    """Neither code nor secret nor token of an installation is written down."""
    answer = await installed(playground)

    record = str(list(playground.journal))
    assert playground.app.client_secret not in record
    assert answer["access_token"] not in record


async def test_the_second_workspace_is_a_world_of_its_own(playground: Playground) -> None:
    """Its token sees its own people and channels, and events name its team and its bot user."""
    answer = await installed(playground)
    api = Api(playground, answer["access_token"])
    general = playground.second.channel_named("general")
    await api("conversations.join", channel=general.id)
    names = [channel["name"] for channel in (await api("conversations.list"))["channels"]]
    async with listening(playground) as heard:
        await playground.second_people.post("eli", "#general", "@Deskmate hello")
        await wait_until(lambda: bool(events(heard, "app_mention")))
        posted = await api("chat.postMessage", channel=general.id, text="here")

    body = next(b for b in heard if b["event"]["type"] == "app_mention")
    assert names == ["general", "harbour"]
    assert body["team_id"] == body["authorizations"][0]["team_id"] == playground.second.team.id
    assert body["authorizations"][0]["user_id"] == answer["bot_user_id"]
    assert body["api_app_id"] == playground.app.id
    assert posted["message"]["text"] == "here"
    home = playground.channel("api").id
    assert await api.refused("conversations.info", channel=home) == "channel_not_found"


async def test_installing_again_keeps_the_token(playground: Playground) -> None:
    """A second consent widens the scopes; the token stays the same."""
    answer = await installed(playground, "ann")

    assert answer["access_token"] == playground.bot_token
    assert set(SCOPES.split(",")) <= set(answer["scope"].split(","))


async def test_an_uninstalled_app_is_told_and_hears_no_more(playground: Playground) -> None:
    """tokens_revoked and app_uninstalled come; the token is account_inactive; others stay."""
    answer = await installed(playground)
    api = Api(playground, answer["access_token"])
    await api("conversations.join", channel=playground.second.channel_named("general").id)
    async with listening(playground) as heard:
        await playground.second_people.uninstall("dora")
        await playground.second_people.post("eli", "#general", "anybody?")
        await playground.people.post("ann", "#general", "still there?")
        await wait_until(lambda: bool(events(heard, "message")))

    ours = [body for body in heard if body["team_id"] == playground.second.team.id]
    kinds = {body["event"]["type"] for body in ours if body["event"]["type"] != "message"}
    assert {"tokens_revoked", "app_uninstalled"} <= kinds
    assert all(body["event"].get("text") != "anybody?" for body in ours)
    revoked = events(heard, "tokens_revoked")[0]
    assert revoked["tokens"] == {"oauth": [], "bot": [answer["bot_user_id"]]}
    assert await api.refused("auth.test") == "account_inactive"
    assert (await Api(playground)("auth.test"))["ok"]


async def test_a_rotating_token_ends_after_twelve_hours(playground: Playground) -> None:
    """token_expired; the refresh token renews it, once."""
    playground.app.rotates = True
    first = await installed(playground)
    renewal = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    playground.workspace.clock.advance(first["expires_in"] + 1)
    expired = await Api(playground, first["access_token"]).refused("auth.test")
    second = await access(playground, **renewal)

    assert (expired, first["expires_in"]) == ("token_expired", 43_200)
    assert second["refresh_token"] != first["refresh_token"]
    assert (await Api(playground, second["access_token"])("auth.test"))["ok"]
    assert await refused(playground, **renewal) == "invalid_refresh_token"


async def test_slack_sdk_rotates(playground: Playground) -> None:
    """The SDK's own rotator renews what will expire soon."""
    playground.app.rotates = True
    first = await installed(playground)
    rotator = TokenRotator(
        client_id=playground.app.client_id,
        client_secret=playground.app.client_secret,
        client=WebClient(base_url=playground.api_url),
    )
    installation = Installation(
        user_id="U1",
        bot_token=first["access_token"],
        bot_refresh_token=first["refresh_token"],
        bot_token_expires_in=1,
    )

    renewed = await asyncio.to_thread(
        rotator.perform_token_rotation,
        installation=installation,
        minutes_before_expiration=60,
    )

    assert renewed is not None
    assert (await Api(playground, renewed.bot_token)("auth.test"))["ok"]


async def test_a_lasting_token_can_be_exchanged(playground: Playground) -> None:
    """oauth.v2.exchange gives a rotating pair and ends the old token."""
    first = await installed(playground)
    playground.app.rotates = True
    playground.second.apps[playground.app.id].rotates = True
    pair = await sync_call(playground, "oauth_v2_exchange", token=first["access_token"])

    assert pair["expires_in"] == 43_200
    assert await Api(playground, first["access_token"]).refused("auth.test") == "token_revoked"


async def test_an_organisation_s_token_needs_a_team(playground: Playground) -> None:
    """team is null, enterprise is named; lists need team_id, a channel speaks for itself."""
    answer = await installed(playground, "ann", everywhere=True)
    api = Api(playground, answer["access_token"])
    second = playground.second
    general = second.channel_named("general")
    teams = [team["id"] for team in (await api("auth.teams.list"))["teams"]]

    assert (answer["team"], answer["is_enterprise_install"]) == (None, True)
    assert answer["enterprise"]["id"].startswith("E")
    assert teams == [playground.workspace.team.id, second.team.id]
    assert await api.refused("conversations.list") == "missing_argument"
    assert await api.refused("users.list", team_id="T0") == "team_access_not_granted"
    users = (await api("users.list", team_id=second.team.id))["members"]
    assert {"dora", "eli"} <= {user["name"] for user in users}
    joined = await api("conversations.join", channel=general.id)
    assert joined["channel"]["id"] == general.id


async def test_an_organisation_s_events_say_so(playground: Playground) -> None:
    """is_enterprise_install and enterprise_id, the team where it happened, in events and clicks."""
    answer = await installed(playground, "ann", everywhere=True)
    async with listening(playground) as heard:
        await playground.people.post("ann", "#general", "hello")
        await wait_until(lambda: bool(events(heard, "message")))
        await playground.people.command("ann", "#general", "/deskmate")
        await wait_until(lambda: any("command" in body for body in heard))

    event = next(body for body in heard if "event" in body)
    command = next(body for body in heard if "command" in body)
    org = answer["enterprise"]["id"]
    assert (event["enterprise_id"], event["authorizations"][0]["enterprise_id"]) == (org, org)
    assert event["authorizations"][0]["is_enterprise_install"]
    assert event["team_id"] == playground.workspace.team.id
    assert (command["is_enterprise_install"], command["enterprise_id"]) == ("true", org)


async def test_an_incoming_webhook_posts_without_a_token(
    playground: Playground, browser: aiohttp.ClientSession
) -> None:
    """Its address comes with the installation; nonsense and strangers are refused in words."""
    asked = address(playground, scope="incoming-webhook")
    redirect = await playground.people.allow("ann", asked, webhook="api")
    hook = (await access(playground, code=code_in(redirect)))["incoming_webhook"]
    good = await browser.post(hook["url"], json={"text": "deployed"})
    empty = await browser.post(hook["url"], json={"text": ""})
    unknown = await browser.post(f"{hook['url']}x", json={"text": "hi"})

    assert (hook["channel"], await good.text()) == ("#api", "ok")
    assert (empty.status, await empty.text()) == (400, "no_text")
    assert (unknown.status, await unknown.text()) == (404, "no_service")
    message = list(playground.channel("api").messages.values())[-1]
    assert (message.text, message.subtype) == ("deployed", "bot_message")


async def test_the_page_acts_as_people_of_both_workspaces(
    playground: Playground, browser: aiohttp.ClientSession
) -> None:
    """The state of dora's page is her workspace; the control API finds her too."""
    headers = {"Authorization": f"Bearer {playground.control_token}"}
    state = await (await browser.get("_playground/state?as=dora", headers=headers)).json()
    act = {"user": "dora", "channel": "#harbour", "text": "ahoy"}
    posted = await browser.post("_playground/post", json=act, headers=headers)

    assert state["team"]["name"] == "Harbour"
    assert [channel["name"] for channel in state["channels"]] == ["general", "harbour"]
    assert (await posted.json())["ts"] in playground.second.channel_named("harbour").messages


async def test_an_app_may_take_itself_away(playground: Playground) -> None:
    """apps.uninstall needs the app's own secret and ends its token there."""
    api = Api(playground, (await installed(playground))["access_token"])
    app = playground.app
    client = {"client_id": app.client_id, "client_secret": app.client_secret}
    guess = {**client, "client_secret": "guess"}

    assert await api.refused("apps.uninstall", **guess) == "bad_client_secret"
    assert (await api("apps.uninstall", **client))["ok"]
    assert await api.refused("auth.test") == "account_inactive"
