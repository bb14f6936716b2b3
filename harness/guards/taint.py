"""Where a session's text came from: outside text taints it, for good.

Taint is kept on the stored messages, so it lasts as long as the session and survives restarts;
what a summary stands for taints the summary. Neighbours: `effects` (what a taint forbids),
`harness.context` and `harness.calls` (who mark the messages).
"""

from collections.abc import Iterable

from harness.models import Message


def taint_of(messages: Iterable[Message]) -> frozenset[str]:
    """Name all sources of outside text in these messages."""
    return frozenset(source for message in messages for source in message.taint)
