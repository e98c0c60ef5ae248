"""Costs for lists: a price file that makes no sense is said once, and is no reason to show nothing."""

from collections.abc import Callable
from pathlib import Path

from chorus.core.spending.rows import Spent
from chorus.errors import ChorusError
from chorus.find.costs.conversation_costs import Costs


class KnownCosts(Costs):
    """Costs as far as they are known; never raises."""

    def __init__(self, home: Path, says: Callable[[str], None]) -> None:
        """`says` is told what is wrong with the person's own prices."""
        super().__init__(home)
        self._says = says
        self._is_lost = False

    def cost_of(self, spent: Spent) -> float | None:
        if self._is_lost:
            return None
        try:
            return super().cost_of(spent)
        except ChorusError as error:
            self._is_lost = True
            self._says(f"costs are not known: {error}")
            return None
