"""The prices that apply to a person: those of Chorus, overridden by the person's own."""

from pathlib import Path

from chorus.base.regular_files import read_regular
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
        # A person who names a file may name a pipe: `--prices <(…)`.
        data = read_regular(path) if may_be_missing else path.read_bytes()
        return prices.with_overrides(data, str(path))
    except OSError as error:
        if may_be_missing and isinstance(error, FileNotFoundError):
            return prices
        raise ChorusError(f"{path}: {error.strerror or error}") from error
