"""Usage reports: what conversations used and did, from the sums of the index alone.

A report is about whole conversations, and about the days from `since` to `until`. It counts what `chorus cost` counts
for the same conversations and days, and calls as `chorus stats` does.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, tzinfo
from heapq import nlargest
from math import fsum
from typing import Any

from msgspec import Struct

from chorus.core.conversation.items import Limit
from chorus.core.query.usage_lines import Grouping, UsageLine
from chorus.core.spending.periods import UNKNOWN
from chorus.core.spending.rates import Prices
from chorus.core.spending.reported_choice import choose_figures
from chorus.core.spending.rows import Reported
from chorus.find.index.port import Index
from chorus.find.usage.figures import PERIODS, GroupLine, TurnLine
from chorus.find.usage.lines import line_of, lines_and_total
from chorus.find.usage.selecting import group_of, term_of
from chorus.find.usage.spans import WEEKDAYS, period_namer, span_of
from chorus.find.usage.tools import UsageSummary, summed

TOP = 10
"""How many of the most expensive conversations and turns are listed."""
MAX_LOOKED_AT = 200
"""The turns of this many of the most expensive conversations are compared."""


class Selection(Struct, frozen=True, kw_only=True):
    """What a report is about."""

    names: Sequence[str] | None = None
    """Names of conversations; None for all."""
    since: date | None = None
    until: date | None = None
    zone: tzinfo | None = None


class Table(Struct, kw_only=True):
    """The lines of one grouping."""

    by: Grouping
    lines: list[GroupLine]
    total: GroupLine

    def as_json(self) -> dict[str, Any]:
        total = self.total.as_json()
        del total["key"], total["label"], total["query"]
        return {"by": self.by, "rows": [line.as_json() for line in self.lines], "total": total}


class UsageReports:
    """Answers about one index, with the prices of a person."""

    def __init__(self, index: Index, prices: Prices, selection: Selection) -> None:
        self._index = index
        self._prices = prices
        self._selection = selection
        self._span = span_of(selection.since, selection.until, selection.zone)
        self._reported: list[Reported] | None = None

    def table(self, by: Grouping) -> Table:
        """Returns the lines of a grouping; of `tool`, use `done`.

        Periods are in order of time; everything else is sorted by cost, the highest first, as `chorus cost` does.
        """
        group = group_of(by)
        namer: Callable[[str], str] = period_namer(by, self._selection.zone) if group == "period" else str
        used = self._index.used(group, names=self._selection.names, span=self._span, period_of=namer)
        lines, total = lines_and_total(used, self._prices)
        self._add_reported(by, namer, lines, total)
        for line in lines:
            line.key = line.key or UNKNOWN
            line.label = label_of(by, line.key)
        if by in PERIODS:
            lines.sort(key=lambda line: _hour_rank(line.key) if by == "hour" else (0, line.key))
        else:
            lines.sort(key=lambda line: (-(line.cost_usd or 0.0), -line.output, line.key))
        return Table(by=by, lines=lines, total=total)

    def done(self) -> UsageSummary:
        """Returns calls, waiting, turns and prompts."""
        found = summed(self._index.done(names=self._selection.names, span=self._span))
        for line in found.tools:
            line.term = self._term("tool", line.name)
        return found

    def dearest_turns(self, conversations: Iterable[GroupLine]) -> list[TurnLine]:
        """Returns the most expensive turns. `conversations` are all lines by conversation, the most expensive first.

        The turns of the first `MAX_LOOKED_AT` conversations are compared. A turn costs no more than its conversation,
        so the search may end earlier. Turns without a price cannot be compared and are left out. With days given, a
        turn counts as a whole if it began in them.
        """
        found: list[tuple[float, TurnLine]] = []
        for line in list(conversations)[:MAX_LOOKED_AT]:
            is_settled = self._span is None and len(found) >= TOP and (line.cost_usd or 0.0) <= found[-1][0]
            if line.cost_usd is None or is_settled:
                break
            for turn, rows in self._index.turn_sums(line.key).items():
                started_at, _, item = turn.partition(" ")
                if self._span is not None and not self._span.has(started_at[:16]):
                    continue
                priced = line_of(turn, rows, self._prices)
                if priced.cost_usd is not None:
                    found.append(
                        (
                            priced.cost_usd,
                            TurnLine(conversation=line.key, started_at=started_at, item=item, line=priced),
                        )
                    )
            found = nlargest(TOP, found, key=lambda each: (each[0], each[1].conversation, each[1].started_at))
        return [each for _, each in found]

    def limits(self) -> list[Limit]:
        """Returns the limits of the account. They do not depend on the selection."""
        return self._index.limits()

    def with_terms(self, by: Grouping, lines: list[GroupLine]) -> list[GroupLine]:
        """Gives lines the terms that select their conversations within these days."""
        for line in lines:
            line.term = self._term(by, line.key)
        return lines

    def _term(self, by: Grouping, key: str) -> str:
        return term_of(UsageLine(by, key, self._selection.since, self._selection.until))

    def prices_json(self) -> dict[str, Any]:
        return {"dated": self._prices.dated, "source": self._prices.source}

    def _add_reported(
        self, by: Grouping, namer: Callable[[str], str], lines: list[GroupLine], total: GroupLine
    ) -> None:
        """Adds what the client reported, where it reports a share."""
        if self._reported is None:
            rows, forks = self._index.reported(self._selection.names)
            self._reported = [
                row for row in choose_figures(rows, forks)[0] if self._span is None or self._span.has(row.quarter)
            ]
        sums: dict[str, list[float]] = {}
        for row in self._reported:
            if (key := _reported_key(by, row, namer)) is not None:
                sums.setdefault(key, []).append(row.usd)
        known = {line.key for line in lines}
        lines += [GroupLine(key=key) for key in sums if key not in known]
        for line in lines:
            if line.key in sums:
                line.reported_usd = fsum(sums[line.key])
        total.reported_usd = fsum(row.usd for row in self._reported) if self._reported else None


def label_of(by: Grouping, key: str) -> str:
    """Returns a key as people read it, as far as the key itself says."""
    if by == "hour" and "-" in key:
        day, _, hour = key.partition("-")
        return f"{day.capitalize()} {hour}:00"
    return key


def limit_json(limit: Limit) -> dict[str, Any]:
    """Returns the documented JSON of a limit."""
    return {
        "type": limit.type,
        "status": limit.status,
        "utilization": limit.utilization,
        "resets_at_s": limit.resets_at_s,
        "reported_at": limit.reported_at,
    }


def _reported_key(by: Grouping, row: Reported, namer: Callable[[str], str]) -> str | None:
    match by:
        case "day" | "week" | "month" | "hour":
            return namer(row.quarter)
        case "workspace":
            return row.conversation.split("/", 1)[0]
        case "conversation":
            return row.conversation
        case _:
            return None


def _hour_rank(key: str) -> tuple[int, str]:
    day, _, hour = key.partition("-")
    return (WEEKDAYS.index(day), hour) if day in WEEKDAYS else (len(WEEKDAYS), key)
