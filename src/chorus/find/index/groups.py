"""How sums are grouped and limited when they are read."""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from msgspec import structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.conversation.usage import plus
from chorus.core.spending.grouping import SUB_AGENTS
from chorus.core.spending.ownership import Owned
from chorus.core.spending.periods import quarter
from chorus.core.spending.rows import Spent
from chorus.core.spending.sums import Sums

Group = Literal["period", "model", "workspace", "agent", "subagent", "conversation"]
PeriodOf = Callable[[str], str]
"""Returns the period that a quarter of an hour belongs to."""
MAIN_THREAD = "main thread"
"""The group of what no sub-agent used."""


class Span(NamedTuple):
    """Quarters from `since` (inclusive) to `until` (exclusive), as `core.spending.periods` writes them."""

    since: str
    until: str

    def has(self, quarter: str) -> bool:
        return self.since <= quarter < self.until and bool(quarter)


def worker(agent: str, thread: str) -> str:
    """Returns the group of usage by agent: what sub-agents used has a separate one."""
    return f"{agent}/{SUB_AGENTS}" if thread else agent


def merged(rows: list[Spent]) -> Spent:
    """Returns one row for rows that have the same price. Its conversation and thread are ""."""
    first = rows[0]
    tokens = Tokens()
    for row in rows:
        tokens = plus(tokens, structs.replace(row.tokens, cache_creation_5m=written_briefly(row.tokens)))
    return structs.replace(
        first,
        conversation="",
        thread="",
        quarter=first.quarter[:10],
        tokens=tokens,
        messages=sum(row.messages for row in rows),
        lower_bounds=sum(row.lower_bounds for row in rows),
    )


def sums_by_turn(messages: Iterable[Owned]) -> dict[str, list[Spent]]:
    """Returns turn → what its messages used, merged as far as prices allow."""
    sums = Sums()
    for each in messages:
        usage = each.usage
        if usage.turn:
            day = quarter(usage.at)[:10]
            tokens = structs.replace(usage.tokens, cache_creation_5m=written_briefly(usage.tokens))
            alike = structs.replace(usage, thread="", at=f"{day}T00:00" if day else None, tokens=tokens)
            sums.take(usage.turn, alike)
    found: dict[str, list[Spent]] = {}
    for spent in sums.rows():
        found.setdefault(spent.conversation, []).append(
            structs.replace(spent, conversation="", quarter=spent.quarter[:10])
        )
    return found


def written_briefly(tokens: Tokens) -> int:
    """Returns what a price counts as written for five minutes (`core.spending.rates.counts`).

    It is decided before rows are added up: afterwards, the same rule gives the same number.
    """
    return max(tokens.cache_creation - tokens.cache_creation_1h, tokens.cache_creation_5m)
