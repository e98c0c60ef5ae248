"""What conversations used and cost. Prices are loaded on the first request.

One rule applies to tokens and dollars: a conversation's own figures are those of the messages that it owns. History
that a fork copied from its source is counted there, and reported separately here.
"""

from collections.abc import Iterable
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.conversation.usage import plus
from chorus.core.spending.reported_choice import choose_figures
from chorus.core.spending.rows import Spent
from chorus.core.views import figures
from chorus.core.views.safe import safe_line
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow

if TYPE_CHECKING:
    from chorus.core.spending.rates import Prices


class Figures(Struct, frozen=True, kw_only=True):
    """What a conversation used and cost itself."""

    tokens: Tokens = Tokens()
    copied: Tokens | None = None
    """Tokens in its records that were copied from the conversation it was forked from, and are counted there."""
    is_lower_bound: bool = False
    """Whether more tokens may have been used: the end of some message is not recorded."""
    cost_usd: float | None = None
    """At list prices; the sum of everything that has a price."""
    is_partly_priced: bool = False
    """Whether something has no price, in addition to what has one."""
    why_no_cost: str | None = None
    """Why the cost, or a part of it, is unknown."""
    reported_usd: float | None = None
    """The cost according to the client."""

    @property
    def is_at_least(self) -> bool:
        """Whether the cost may be higher."""
        return self.is_lower_bound or self.is_partly_priced

    @property
    def in_short(self) -> str:
        """`$0.12`, `≥$0.12`, `$0.12 reported`, or `?` and why it is unknown; empty if no usage is known."""
        if self.cost_usd is not None:
            return ("≥" if self.is_at_least else "") + figures.cost(self.cost_usd)
        if self.reported_usd is not None:
            return f"{figures.cost(self.reported_usd)} reported"
        return f"? {safe_line(self.why_no_cost)}" if self.why_no_cost else ""


class Costs:
    """The prices of Chorus, overridden by a person's own prices; raises `ChorusError` when those are invalid."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._prices: Prices | None = None

    def cost_of(self, spent: Spent) -> float | None:
        """Returns USD; None when there is no price."""
        return self.prices.cost_of(spent)

    @property
    def prices(self) -> "Prices":
        """The price table."""
        if self._prices is None:
            from chorus.base.prices import PRICES_FILE, load_prices

            self._prices = load_prices(self._home / PRICES_FILE, may_be_missing=True)
        return self._prices

    def figures(self, index: Index, rows: Iterable[ConversationRow]) -> dict[str, Figures]:
        """Returns what each conversation used and cost itself, by its name."""
        listed = {row.name: row for row in rows}
        spent, reported, forks = index.spent(listed)
        sums: dict[str, list[Spent]] = {}
        for each in spent:
            sums.setdefault(each.conversation, []).append(each)
        reported_usd: dict[str, list[float]] = {}
        for figure in choose_figures(reported, forks)[0]:
            reported_usd.setdefault(figure.conversation, []).append(figure.usd)
        return {
            name: self._figures(row, sums.get(name, []), reported_usd.get(name), is_fork=name in forks)
            for name, row in listed.items()
        }

    def _figures(
        self, row: ConversationRow, spent: list[Spent], reported_usd: list[float] | None, *, is_fork: bool
    ) -> Figures:
        own = Tokens()
        priced: list[float] = []
        reasons: list[str] = []
        for each in spent:
            own = plus(own, each.tokens)
            cost = self.cost_of(each)
            if cost is not None:
                priced.append(cost)
            elif (reason := self.why_unknown(each)) not in reasons:
                reasons.append(reason)
        copied = _rest(row.tokens, own) if is_fork else None
        return Figures(
            tokens=own,
            copied=copied,
            is_lower_bound=any(each.lower_bounds for each in spent),
            cost_usd=fsum(priced) if priced or (is_fork and not reasons) else None,
            is_partly_priced=bool(priced and reasons),
            why_no_cost=", ".join(reasons) or None,
            reported_usd=fsum(reported_usd) if reported_usd else None,
        )

    def why_unknown(self, spent: Spent) -> str:
        """Returns why it has no price, as a text."""
        reason = self._prices.why_unknown(spent) if self._prices is not None else None
        return reason or "no price is known"


def _rest(total: Tokens, own: Tokens) -> Tokens | None:
    """Returns `total` minus `own`; None when that is zero."""
    rest = [max(0, all_ - mine) for all_, mine in zip(structs.astuple(total), structs.astuple(own), strict=True)]
    return Tokens(*rest) if any(rest) else None
