"""Tokens and cost of a conversation, kept up to date message by message, by the rules of `core.spending`."""

from collections.abc import Iterable
from math import fsum

from msgspec import structs

from chorus.core.conversation.fold import Fold
from chorus.core.conversation.tokens import Tokens
from chorus.core.replay.panel import PanelSpent
from chorus.core.spending.counting import usage_of
from chorus.core.spending.rates import Prices
from chorus.core.spending.rows import Spent, Usage
from chorus.core.spending.sums import Group, Sums, group_of

_ONE = ""
"""There is only one conversation, so it needs no name in the groups."""


def spent_on(usages: Iterable[Usage], prices: Prices) -> PanelSpent:
    """Returns tokens and cost of these usages; each message must be among them once."""
    sums = Sums()
    for usage in usages:
        sums.take(_ONE, usage)
    rows = sums.rows()
    costs = [prices.cost_of(row) for row in rows]
    reasons = {prices.why_unknown(row) for row, cost in zip(rows, costs, strict=True) if cost is None}
    return _figures(sum((row.tokens for row in rows), Tokens()), sum(row.lower_bounds for row in rows), costs, reasons)


class SpentSoFar:
    """Tokens and cost of the messages of a fold. A message may be counted again when more of it is known."""

    def __init__(self, fold: Fold, prices: Prices) -> None:
        self._fold = fold
        self._prices = prices
        self._usages: dict[str, Usage] = {}
        self._groups: dict[Group, list[int]] = {}
        """Tokens of each group, then the numbers of messages and of lower bounds."""
        self._costs: dict[Group, float | None] = {}
        self._reasons: dict[Group, str | None] = {}
        self._total = Tokens()
        self._lower_bounds = 0

    def update(self, messages: Iterable[str]) -> bool:
        """Counts messages again, by their names in the fold's `api_messages`; returns whether anything changed."""
        is_changed = False
        for message in messages:
            before, now = self._usages.get(message), usage_of(self._fold, _ONE, message)
            if before == now:
                continue
            is_changed = True
            groups = {group_of(_ONE, usage) for usage in (before, now) if usage is not None}
            if before is not None:
                self._add(before, -1)
                del self._usages[message]
            if now is not None:
                self._add(now, 1)
                self._usages[message] = now
            for group in groups:
                self._price(group)
        return is_changed

    def figures(self) -> PanelSpent:
        """Returns tokens and cost of all messages."""
        reasons = set(self._reasons.values()) - {None}
        return _figures(self._total, self._lower_bounds, self._costs.values(), reasons)

    def _add(self, usage: Usage, sign: int) -> None:
        numbers = self._groups.setdefault(group_of(_ONE, usage), [0] * (len(Tokens.__struct_fields__) + 2))
        added = (*structs.astuple(usage.tokens), 1, int(usage.is_lower_bound))
        for position, number in enumerate(added):
            numbers[position] += sign * number
        self._total = Tokens(
            *(have + sign * more for have, more in zip(structs.astuple(self._total), added, strict=False))
        )
        self._lower_bounds += sign * usage.is_lower_bound

    def _price(self, group: Group) -> None:
        *tokens, messages, lower_bounds = self._groups[group]
        if not messages:
            for table in (self._groups, self._costs, self._reasons):
                table.pop(group, None)
            return
        row = Spent(*group, tokens=Tokens(*tokens), messages=messages, lower_bounds=lower_bounds)
        cost = self._costs[group] = self._prices.cost_of(row)
        self._reasons[group] = self._prices.why_unknown(row) if cost is None else None


def _figures(
    tokens: Tokens, lower_bounds: int, costs: Iterable[float | None], reasons: Iterable[str | None]
) -> PanelSpent:
    known = [cost for cost in costs if cost is not None]
    why = ", ".join(sorted(reason for reason in reasons if reason))
    return PanelSpent(
        tokens=tokens,
        is_lower_bound=lower_bounds > 0,
        cost_usd=fsum(known) if known else None,
        why_no_cost=why or None,
    )
