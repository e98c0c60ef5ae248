"""What conversations cost, at prices that are loaded when the first one is asked for."""

from collections.abc import Iterable
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from chorus.index.port import Index
from chorus.ledger.rows import Spent

if TYPE_CHECKING:
    from chorus.prices.rates import Prices


class Costs:
    """Prices of Chorus with a person's own laid over them; `ChorusError` when those cannot be understood."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._prices: Prices | None = None

    def cost_of(self, spent: Spent) -> float | None:
        """USD; None when there is no price."""
        if self._prices is None:
            from chorus.finding.pricing import PRICES_FILE, load_prices

            self._prices = load_prices(self._home / PRICES_FILE, may_be_missing=True)
        return self._prices.cost_of(spent)

    def costs(self, index: Index, names: Iterable[str]) -> dict[str, float]:
        """What conversations cost, each message counted once; without those of which a part has no price."""
        known: dict[str, list[float | None]] = {}
        for spent in index.spent(names)[0]:
            known.setdefault(spent.conversation, []).append(self.cost_of(spent))
        return {
            name: fsum(cost for cost in costs if cost is not None) for name, costs in known.items() if None not in costs
        }
