"""What the tests of the core share: a turn to run, and a way to run it to its end."""

from datetime import UTC, datetime

from harness.agent import Agent, TurnWork
from harness.chat.rehearsal import Rehearsal
from harness.chat.script import load_script
from harness.context import Said, TurnInput
from harness.events import Event, TurnFinished
from harness.models import (
    ChannelId,
    Message,
    Project,
    Session,
    SessionKey,
    TeamId,
    UserId,
)
from harness.ports import Journal
from harness.tools import Toolset
from harness.tools.files import FILE_TOOLS

KEY = SessionKey(team=TeamId("T1"), channel=ChannelId("C1"), thread="1700000000.000100")


def asked(text: str, said_before: tuple[Said, ...] = (), who: str = "ann") -> TurnInput:
    return TurnInput(
        who=who,
        text=text,
        said_before=said_before,
        file_names=(),
        now=datetime(2026, 3, 2, 14, 5, tzinfo=UTC),
        zone="UTC",
    )


def work(project: Project, text: str, history: tuple[Message, ...] = ()) -> TurnWork:
    return TurnWork(
        session=Session(key=KEY, history=history),
        input=asked(text),
        project=project,
        requester=UserId("U_ANN"),
        model="rehearsal",
    )


def rehearse(script: str) -> Rehearsal:
    return Rehearsal(load_script(script))


def agent(script: str) -> Agent:
    return Agent(rehearse(script), Toolset(FILE_TOOLS))


async def run(agent: Agent, turn: TurnWork, journal: Journal) -> tuple[list[Event], TurnFinished]:
    """Run a turn; give its events and the last of them."""
    events = [event async for event in agent.run(turn, journal)]
    finished = events[-1]
    assert isinstance(finished, TurnFinished)
    return events, finished
