"""The proxy of the machine, as its environment names it, and nothing else of that environment.

An HTTP session that trusts the environment would take passwords from ~/.netrc too: meant for other
programs, refused beside our own token, and sent along to whom they do not belong.
"""

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

_SCHEMES = {"wss": "https", "ws": "http"}


def proxy_for(url: str) -> str | None:
    """Return the proxy for an address (http, https, ws or wss), or None for a direct way."""
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(_SCHEMES.get(parts.scheme, parts.scheme))
