"""What conversations cost, at prices that are loaded when the first one is asked for."""

from collections.abc import Iterable
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from chorus.errors import ChorusError
from chorus.index.port import Index
from chorus.ledger.rows import Spent

if TYPE_CHECKING:
    from chorus.prices.rates import Prices

PRICES_FILE = "prices.json"
"""The person's own prices, in Chorus' home."""


class Costs:
    """Prices of Chorus with a person's own laid over them; `ChorusError` when those cannot be understood."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._prices: Prices | None = None

    def cost_of(self, spent: Spent) -> float | None:
        """USD; None when there is no price."""
        if self._prices is None:
            self._prices = _load(self._home / PRICES_FILE)
        return self._prices.cost_of(spent)

    def costs(self, index: Index, names: Iterable[str]) -> dict[str, float]:
        """What conversations cost, each message counted once; without those of which a part has no price."""
        known: dict[str, list[float | None]] = {}
        for spent in index.spent(names)[0]:
            known.setdefault(spent.conversation, []).append(self.cost_of(spent))
        return {
            name: fsum(cost for cost in costs if cost is not None) for name, costs in known.items() if None not in costs
        }


def _load(path: Path) -> "Prices":
    from chorus.prices.rates import Prices

    try:
        return Prices.load().with_overrides(path.read_bytes(), str(path))
    except FileNotFoundError:
        return Prices.load()
    except OSError as error:
        raise ChorusError(f"{path}: {error.strerror or error}") from error
