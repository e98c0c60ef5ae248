"""The prices that hold for a person: those of Chorus, with their own laid over them."""

from pathlib import Path

from chorus.core.spending.rates import Prices
from chorus.errors import ChorusError

PRICES_FILE = "prices.json"
"""The person's own prices, in Chorus' home."""


def load_prices(path: Path, *, may_be_missing: bool) -> Prices:
    """Prices with those of a file laid over them; `ChorusError` when it cannot be read or understood."""
    prices = Prices.load()
    try:
        return prices.with_overrides(path.read_bytes(), str(path))
    except OSError as error:
        if may_be_missing and isinstance(error, FileNotFoundError):
            return prices
        raise ChorusError(f"{path}: {error.strerror or error}") from error
