"""Which conversations count in a line of a usage report: the answer to the query field `usage:`."""

from datetime import tzinfo

from chorus.core.query.describe import value_text
from chorus.core.query.usage_lines import Grouping, UsageLine
from chorus.core.spending.periods import UNKNOWN
from chorus.find.index.groups import Group
from chorus.find.index.port import Index
from chorus.find.usage.figures import PERIODS
from chorus.find.usage.spans import period_namer, span_of

_UNNAMED = frozenset({"model", "subagent"})
"""Groupings in which a missing name is shown as `unknown`."""


def term_of(line: UsageLine) -> str:
    """Returns the term of a query that selects the conversations of a line."""
    return f"usage:{value_text('usage', line.value)}"


def conversations_of(index: Index, line: UsageLine, zone: tzinfo | None) -> frozenset[str]:
    """Returns the names of the conversations that count in the line."""
    span = span_of(line.since, line.until, zone)
    if line.by == "tool":
        rows = index.done(label=("call", line.key), span=span, is_by_conversation=True)
        return frozenset(each.conversation for each in rows)
    if line.by in PERIODS:
        return index.users("period", line.key, span=span, period_of=period_namer(line.by, zone))
    key = "" if line.by in _UNNAMED and line.key == UNKNOWN else line.key
    return index.users(group_of(line.by), key, span=span)


def group_of(by: Grouping) -> Group:
    """Returns the group of the index for a grouping."""
    match by:
        case "model" | "workspace" | "agent" | "subagent" | "conversation":
            return by
        case _:
            return "period"
