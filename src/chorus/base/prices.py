"""The prices that apply to a person: those of Chorus, overridden by the person's own."""

from pathlib import Path

from chorus.core.spending.rates import Prices
from chorus.errors import ChorusError

PRICES_FILE = "prices.json"
"""The person's own prices, in the home of Chorus."""


def load_prices(path: Path, *, may_be_missing: bool) -> Prices:
    """Return the prices of Chorus with those of a file on top.

    Raises ChorusError if it cannot be read or understood.
    """
    prices = Prices.load()
    try:
        return prices.with_overrides(path.read_bytes(), str(path))
    except OSError as error:
        if may_be_missing and isinstance(error, FileNotFoundError):
            return prices
        raise ChorusError(f"{path}: {error.strerror or error}") from error
