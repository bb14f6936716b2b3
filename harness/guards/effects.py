"""What each kind of effect means: what may happen unasked, and what a crash must not repeat.

The table is the whole rule; nothing in a prompt or in a model's words changes it.
Neighbours: `models.Effect` (the kinds), `taint` (when a session is tainted), `harness.calls`.
"""

from typing import Literal

from harness.models import Effect

Policy = Literal["allow", "ask", "deny"]

# Rights of the asker, allow-lists and path rules are the tools' own and come on top. A plan, a
# memory and a question change nothing by themselves: people decide about them.
_POLICIES: dict[Effect, tuple[Policy, Policy]] = {
    # effect            clean    tainted
    "read": ("allow", "allow"),
    "read_as_asker": ("allow", "allow"),
    "fetch": ("allow", "ask"),
    "plan": ("allow", "allow"),
    "memory": ("allow", "allow"),
    "ask": ("allow", "allow"),
    "write": ("allow", "allow"),
    "run": ("allow", "allow"),
    "external_write": ("ask", "ask"),
}
_CHANGING: frozenset[Effect] = frozenset({"plan", "memory", "write", "run", "external_write"})


def policy(effect: Effect, *, tainted: bool) -> Policy:
    """Say whether a call of this kind may run, must be asked for, or must not; default deny."""
    clean_policy, tainted_policy = _POLICIES.get(effect, ("deny", "deny"))
    return tainted_policy if tainted else clean_policy


def changes(effect: Effect) -> bool:
    """Say whether a call of this kind leaves something changed behind."""
    return effect in _CHANGING
