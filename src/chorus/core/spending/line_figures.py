"""The figures that every line of a report on usage has, and how they are summed."""

from typing import Any

from msgspec import Struct, field

from chorus.core.spending.rows import Spent

_DIGITS = 9
"""Decimal places of a dollar. One token costs far more than the last one."""


class LineFigures(Struct, kw_only=True):
    """What one group used and cost."""

    input: int = 0
    output: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    messages: int = 0
    turns: int = 0
    """Number of turns that were counted in place of messages."""
    cost_usd: float | None = None
    """The cost of all usage with a price; None if no usage has one."""
    reported_usd: float | None = None
    lower_bounds: int = 0
    """Number of messages whose output is only a lower bound. The cost is a lower bound then, too."""
    unpriced: dict[str, int] = field(default_factory=dict)
    """Reason why a price is not known → number of messages."""

    @property
    def is_cost_lower_bound(self) -> bool:
        return bool(self.lower_bounds or self.unpriced)

    def add(self, spent: Spent, cost: float | str) -> None:
        """Adds usage, and the reason why its cost is not known. A known cost is summed by the caller, exactly."""
        self.input += spent.tokens.input
        self.output += spent.tokens.output
        self.cache_creation += spent.tokens.cache_creation
        self.cache_read += spent.tokens.cache_read
        self.lower_bounds += spent.lower_bounds
        if spent.is_per_turn:
            self.turns += spent.messages
        else:
            self.messages += spent.messages
        if isinstance(cost, str):
            self.unpriced[cost] = self.unpriced.get(cost, 0) + spent.messages

    def tokens_json(self) -> dict[str, Any]:
        """Returns the documented JSON of the tokens."""
        return {
            "input": self.input,
            "output": self.output,
            "cache_creation": self.cache_creation,
            "cache_read": self.cache_read,
        }


def rounded(usd: float | None) -> float | None:
    """Returns dollars without the noise of binary fractions."""
    return None if usd is None else round(usd, _DIGITS)
