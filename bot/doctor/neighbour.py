"""The Deskmate that runs at this address now, if one does: what it says of itself."""

from typing import Any

import aiohttp

from bot.doctor.findings import Finding, fail, ok, warn
from bot.settings import HttpAddress

PROCESS = "process"
PATIENCE = aiohttp.ClientTimeout(total=5)


async def check_process(address: HttpAddress | None) -> Finding:
    """Ask `/readyz` of whatever listens on `DESKMATE_HTTP`."""
    if address is None:
        return ok(PROCESS, "DESKMATE_HTTP is off, so a running Deskmate cannot be asked")
    where = f"{address.host}:{address.port}"
    try:
        async with (
            aiohttp.ClientSession(timeout=PATIENCE) as http,
            http.get(f"http://{where}/readyz") as answer,
        ):
            said: dict[str, Any] = await answer.json(content_type=None)
            return _judge(where, said)
    except aiohttp.ClientConnectorError:
        return ok(PROCESS, f"No Deskmate runs at {where} now")
    except (aiohttp.ClientError, TimeoutError, ValueError, LookupError, TypeError):
        return warn(
            PROCESS,
            f"What listens at {where} is no Deskmate",
            "End it, or set DESKMATE_HTTP to another HOST:PORT.",
        )


def _judge(where: str, said: dict[str, Any]) -> Finding:
    if said["ok"]:
        return ok(PROCESS, f"The Deskmate at {where} is ready")
    reasons = " ".join(str(reason) for reason in said["reasons"])
    return fail(PROCESS, f"The Deskmate at {where} is not ready: {reasons}")
