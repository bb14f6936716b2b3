"""The Deskmate that runs beside the doctor, or what listens in its place.

A running one is asked for real in `tests/bot/cli/test_doctor.py`.
"""

import pytest
from aiohttp import web

from bot.doctor.findings import Finding
from bot.doctor.neighbour import check_process
from bot.settings import HttpAddress


async def found_beside(body: str, status: int = 200) -> Finding:
    """What the doctor finds where a page says so."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text=body, status=status)

    app = web.Application()
    app.router.add_get("/readyz", page)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        return await check_process(HttpAddress(host="127.0.0.1", port=runner.addresses[0][1]))
    finally:
        await runner.cleanup()


async def test_what_runs_says_how_it_is():
    """Ready, or the reasons why not."""
    assert (await found_beside('{"ok": true, "reasons": []}')).level == "ok"
    red = await found_beside('{"ok": false, "reasons": ["No connection to Slack is open."]}', 503)
    assert (red.level, "No connection to Slack is open." in red.text) == ("fail", True)


async def test_nobody_runs():
    """That is no fault: the doctor is often asked before the first start."""
    assert "No Deskmate runs" in (await check_process(HttpAddress(host="127.0.0.1", port=1))).text
    assert (await check_process(None)).level == "ok"


@pytest.mark.parametrize("body", ["hello", "[]", '{"status": "up"}', '{"ok": false}'])
async def test_something_else_listens_there(body: str):
    """The address is taken: `deskmate run` would not start."""
    found = await found_beside(body)
    assert (found.level, "is no Deskmate" in found.text) == ("warn", True)
