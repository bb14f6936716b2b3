"""What each kind of effect means: which change something that a crash must not repeat.

Neighbours: `models.Effect` (the kinds), `harness.calls` (who asks).
"""

from harness.models import Effect

_CHANGING: frozenset[Effect] = frozenset({"plan", "memory", "write", "run", "external_write"})


def changes(effect: Effect) -> bool:
    """Say whether a call of this kind leaves something changed behind."""
    return effect in _CHANGING
