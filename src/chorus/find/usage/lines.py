"""Prices the sums of the index: one line for each group."""

from collections.abc import Iterable, Mapping
from math import fsum

from chorus.core.spending.rates import Prices
from chorus.core.spending.rows import Spent
from chorus.find.usage.figures import GroupLine


def line_of(key: str, rows: Iterable[Spent], prices: Prices) -> GroupLine:
    """Returns the line of one group."""
    line = GroupLine(key=key)
    costs: list[float] = []
    add(line, costs, rows, prices)
    line.cost_usd = fsum(costs) if costs else None
    return line


def add(line: GroupLine, costs: list[float], rows: Iterable[Spent], prices: Prices) -> None:
    """Adds usage to a line, and its costs to a list: they are summed exactly and at the end."""
    for spent in rows:
        quote = prices.quote(spent.model, spent.tier, prompt_over=spent.prompt_over, day=spent.quarter[:10])
        cost = quote if isinstance(quote, str) else quote.cost(spent.tokens)
        line.add(spent, cost)
        if not isinstance(cost, str):
            costs.append(cost)


def lines_and_total(groups: Mapping[str, Iterable[Spent]], prices: Prices) -> tuple[list[GroupLine], GroupLine]:
    """Returns the line of each group, and that of all together."""
    total, costs = GroupLine(key="total", label="Total"), list[float]()
    lines: list[GroupLine] = []
    for key, rows in groups.items():
        some = list(rows)
        lines.append(line_of(key, some, prices))
        add(total, costs, some, prices)
    total.cost_usd = fsum(costs) if costs else None
    return lines, total
