"""Costs for lists. An invalid price file is reported once; lists are then shown without costs."""

from collections.abc import Callable
from pathlib import Path

from chorus.core.spending.rows import Spent
from chorus.errors import ChorusError
from chorus.find.costs.conversation_costs import Costs


class KnownCosts(Costs):
    """Costs, or None where they are not known; never raises."""

    def __init__(self, home: Path, report: Callable[[str], None]) -> None:
        """`report` is called with what is wrong with the user's price file."""
        super().__init__(home)
        self._report = report
        self._has_failed = False

    def cost_of(self, spent: Spent) -> float | None:
        if self._has_failed:
            return None
        try:
            return super().cost_of(spent)
        except ChorusError as error:
            self._has_failed = True
            self._report(f"costs are not known: {error}")
            return None
