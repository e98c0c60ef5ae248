"""Computes a cost report from usage and prices, next to the costs that the client reported."""

from collections.abc import Iterable
from datetime import date, tzinfo
from math import fsum

from chorus.core.spending import periods
from chorus.core.spending.books import Books, Facts
from chorus.core.spending.grouping import PERIODS, UNSHARED, keys
from chorus.core.spending.rates import Prices
from chorus.core.spending.report_lines import CostRow, Report
from chorus.core.spending.reported_choice import choose_figures, group_of
from chorus.core.spending.rows import Reported, Spent


def report(
    books: Books,
    prices: Prices,
    *,
    by: str,
    zone: tzinfo | None = None,
    since: date | None = None,
    until: date | None = None,
) -> Report:
    """Returns the report for the days from `since` to `until`, both inclusive, in `zone` (None: the system's).

    Days, weeks and months are in order of time; everything else is sorted by cost, the highest first. Usage without a
    time is in no period, so it is left out if a period is given.
    """
    day = periods.day_in(zone)

    def is_wanted(quarter: str) -> bool:
        if since is None and until is None:
            return True
        when = day(quarter)
        return when is not None and (since or when) <= when <= (until or when)

    forks = frozenset(name for name, fact in books.facts.items() if fact.is_fork)
    figures, cut = choose_figures(books.reported, forks)
    comparable = frozenset(figure.conversation for figure in figures) - cut
    spent_key, reported_key = (None, _no_line) if books.groups is not None else keys(by, books.facts, day)
    grouped = (
        ((key, spent) for key, some in (books.groups or {}).items() for spent in some)
        if spent_key is None
        else ((spent_key(spent), spent) for spent in books.spent)
    )
    sums: dict[str, _Sum] = {}
    total = _Sum("total")
    for key, spent in grouped:
        if is_wanted(spent.quarter):
            quote = prices.quote(spent.model, spent.tier, prompt_over=spent.prompt_over, day=spent.quarter[:10])
            cost = quote if isinstance(quote, str) else quote.cost(spent.tokens)
            is_compared, is_cut = spent.conversation in comparable, spent.conversation in cut
            for into in (total, sums.get(key) or sums.setdefault(key, _Sum(key))):
                into.add_spent(spent, cost, is_compared=is_compared, is_cut=is_cut)
    for figure in figures:
        if is_wanted(figure.quarter):
            key, is_compared = reported_key(figure), figure.conversation in comparable
            total.add_reported(figure, is_compared=is_compared)
            if key is not None:
                (sums.get(key) or sums.setdefault(key, _Sum(key))).add_reported(figure, is_compared=is_compared)
    return Report(
        by=by,
        rows=_in_order([each.row(by) for each in sums.values()], by, books),
        total=total.row(),
        dated=prices.dated,
        source=prices.source,
    )


def _in_order(rows: list[CostRow], by: str, books: Books) -> list[CostRow]:
    facts = books.facts
    if by in PERIODS:
        return sorted(rows, key=lambda row: row.key)
    rows.sort(key=lambda row: (-(row.cost_usd or 0.0), -row.output, row.key))
    if by == "conversation":
        return [_described(row, facts.get(row.key)) for row in rows]
    for row in rows:
        row.title = (books.titles or {}).get(row.key)
    if by == "workspace":
        names = {each.workspace: each.workspace_name for each in facts.values()}
        for row in rows:
            row.workspace_name = names.get(row.key)
    return rows


def _no_line(_: Reported) -> None:
    """The client reports no costs of single commits."""


def _described(row: CostRow, facts: Facts | None) -> CostRow:
    """Returns a conversation's row with its title and workspace, under the id that other commands use."""
    if facts is not None:
        row.key, row.title, row.workspace = facts.id, facts.title, facts.workspace
        row.workspace_name = facts.workspace_name
    return row


class _Sum:
    """The sum for one row. Costs are added exactly and at the end, so that their order makes no difference."""

    def __init__(self, key: str) -> None:
        self._row = CostRow(key=key)
        self._costs: list[float] = []
        self._reported: list[float] = []
        self._differences: list[float] = []
        """Costs, and reported costs as negative numbers, of the conversations for which both are of the same work."""
        self._is_comparable = False
        self._sources: dict[str, set[str]] = {}
        self._cut: set[str] = set()
        self._has_gap = False

    def add_spent(self, spent: Spent, cost: float | str, *, is_compared: bool, is_cut: bool) -> None:
        """Adds usage with its cost, or with the reason why the cost is not known."""
        self._row.add(spent, cost)
        if is_cut:
            self._cut.add(spent.conversation)
        if isinstance(cost, str):
            self._has_gap = self._has_gap or is_compared
            return
        self._costs.append(cost)
        if is_compared:
            self._differences.append(cost)

    def add_reported(self, figure: Reported, *, is_compared: bool) -> None:
        """Adds a cost that the client reported."""
        self._reported.append(figure.usd)
        self._sources.setdefault(group_of(figure.source), set()).add(figure.conversation)
        if is_compared:
            self._is_comparable = True
            self._differences.append(-figure.usd)

    def row(self, by: str = "") -> CostRow:
        row = self._row
        row.cost_usd = fsum(self._costs) if self._costs else None
        row.reported_usd = fsum(self._reported) if self._reported else None
        if self._is_comparable and not self._has_gap:
            row.difference_usd = fsum(self._differences)
        row.notes = list(self._notes(by))
        return row

    def _notes(self, by: str) -> Iterable[str]:
        row = self._row
        for reason, number in sorted(row.unpriced.items()):
            yield f"{reason}: {_plural(number, 'message')} not in the cost"
        if row.lower_bounds:
            yield f"{_plural(row.lower_bounds, 'message')} with an output count that is a lower bound"
        if row.turns:
            yield f"{_plural(row.turns, 'turn')} counted from their results"
        for source, conversations in sorted(self._sources.items()):
            yield f"reported by {source} of {_plural(len(conversations), 'conversation')}"
        if self._cut:
            yield f"{_plural(len(self._cut), 'fork')}: a reported total that includes its source's cost is left out"
        if by in UNSHARED:
            yield f"the client reports no share of one {by}"


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
