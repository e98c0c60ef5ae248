"""What rows of usage amount to, in dollars and tokens. Pure."""

from collections.abc import Callable, Sequence
from math import fsum
from typing import NamedTuple

from chorus.core.spending.rows import Spent


class Totals(NamedTuple):
    """Dollars and tokens."""

    usd: float
    tokens: int
    is_at_least: bool
    """Whether more may have been used: a price or the end of a message is not known."""


def totals(rows: Sequence[Spent], cost_of: Callable[[Spent], float | None], reported_usd: float = 0.0) -> Totals:
    """Returns the sums. What the client reported stands in only where no price is known."""
    costs = [cost_of(each) for each in rows]
    known = [cost for cost in costs if cost is not None]
    return Totals(
        usd=fsum(known) if known or not reported_usd else reported_usd,
        tokens=sum(each.tokens.total for each in rows),
        is_at_least=len(known) < len(costs) or any(each.lower_bounds for each in rows),
    )
