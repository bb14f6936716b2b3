"""What `deskmate doctor` looks at, one file for each group of checks.

A check asks one thing and returns a `Finding`; it changes nothing. `findings` renders them; the
command in `bot/cli/doctor.py` opens what they look at.
"""
