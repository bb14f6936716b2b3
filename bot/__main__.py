"""`python -P -m bot` is the same as `deskmate`."""

from bot.cli import main

main()
