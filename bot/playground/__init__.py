"""A Slack-compatible workspace in one process, for the demo and the tests.

Imports nothing else of ours. Web API and Socket Mode as Slack speaks them, people to act as, a
web page to watch, and faults on demand. Start with `server`; `methods` is the Web API.
"""

from bot.playground.chaos import LEVELS
from bot.playground.clock import Clock
from bot.playground.errors import SlackError
from bot.playground.faults import Fault
from bot.playground.rules import Rules
from bot.playground.server import Playground

__all__ = ["LEVELS", "Clock", "Fault", "Playground", "Rules", "SlackError"]
