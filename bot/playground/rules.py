"""What Slack fixes and a test may bend: deadlines, lives and switches, in one frozen value."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rules:
    """Seconds marked *wall* measure the network; the others run on the workspace's clock."""

    ack_seconds: float = 3.0  # wall
    retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0)
    events_per_hour: int = 30_000
    switch_off_events: int = 1_000
    switch_off_share: float = 0.05
    max_sockets: int = 10
    ticket_seconds: float = 30.0  # wall
    ping_seconds: float = 10.0  # wall
    stream_seconds: float = 300.0
    status_seconds: float = 120.0
    file_seconds: float = 0.05
    trigger_seconds: float = 3.0
    response_url_seconds: float = 1800.0
    response_url_uses: int = 5
    rate_limits: bool = True
    unfurl_seconds: float = 1.0
    journal_entries: int = 50_000
    mention_with_file: Literal["bare", "sent", "missed"] = "bare"
