"""The Web API by group: a table of contents. A method is what is listed here and nothing else."""

from bot.playground.methods import (
    agents,
    auth,
    channels,
    chat,
    conversations,
    files,
    oauth,
    people,
    pins,
    reactions,
    search,
    streams,
    views,
)
from bot.playground.methods.table import Method

TABLE: dict[str, Method] = {
    method.name: method
    for group in (
        auth.METHODS,
        oauth.METHODS,
        chat.METHODS,
        streams.METHODS,
        conversations.METHODS,
        people.METHODS,
        reactions.METHODS,
        files.METHODS,
        agents.METHODS,
        views.METHODS,
        channels.METHODS,
        pins.METHODS,
        search.METHODS,
    )
    for method in group
}

__all__ = ["TABLE", "Method"]
