"""Ids in Slack's shapes, repeatable from one seed, and the dice for what Slack leaves open."""

import random
import string

_LETTERS = string.ascii_uppercase + string.digits


class Ids:
    """Draws ids, and the choices Slack makes no promise about (which socket, which twin first)."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._names = random.Random(f"ids {seed}")  # noqa: S311 - repeatable on purpose
        self.dice = random.Random(f"dice {seed}")  # noqa: S311 - repeatable on purpose

    def make(self, prefix: str) -> str:
        """Make an id such as `C04KX1Q9Z7A`: the prefix, a zero, nine letters."""
        return f"{prefix}0{''.join(self._names.choices(_LETTERS, k=9))}"

    def named(self, prefix: str, key: str) -> str:
        """Make the id that belongs to `key`: the same whenever this seed is asked for it."""
        own = random.Random(f"{self._seed} {key}")  # noqa: S311 - repeatable on purpose
        return f"{prefix}0{''.join(own.choices(_LETTERS, k=9))}"

    def number(self, key: str) -> str:
        """Make the long number that belongs to `key`, as in a client id."""
        own = random.Random(f"{self._seed} {key}")  # noqa: S311 - repeatable on purpose
        return str(own.randrange(10**12, 10**13))

    def renew(self, salt: float) -> None:
        """Draw other ids from here on, unless the salt is the same.

        People and channels come back with the seed, so that a bot's data still fits; events and
        files must not, since a bot remembers their ids for a day.
        """
        self._names.seed(f"ids {self._seed} {salt}")

    def token(self, length: int) -> str:
        """Make a short lower-case name, as Slack gives to blocks and triggers."""
        return "".join(self._names.choices(string.ascii_lowercase + string.digits, k=length))

    def uuid(self) -> str:
        digits = f"{self._names.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
