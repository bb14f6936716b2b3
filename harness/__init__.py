"""The core: what a turn is and how it is worked through.

Knows nothing of Slack, Redis or the environment; `bot` and `storage` are built on it.
"""
