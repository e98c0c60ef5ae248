"""Calls of tools, and waiting for people, from the sums of the index."""

from collections.abc import Iterable

from msgspec import Struct

from chorus.core.conversation.tool_facts import facts_of
from chorus.find.index.activities import Done, Kind
from chorus.find.index.durations import NO_CLASS, percentile_ms
from chorus.find.usage.figures import ToolLine

PERMISSIONS = "permission requests"


class UsageSummary(Struct):
    """What was done besides messages."""

    tools: list[ToolLine]
    """The most used first."""
    waiting: list[ToolLine]
    """What waited for a person: permission requests, questions and plans, the longest in total first."""
    turns: ToolLine
    """Ends of turns; `calls` is their number."""
    prompts: int


def summed(rows: Iterable[Done]) -> UsageSummary:
    """Returns the lines of what was done."""
    by_label: dict[tuple[Kind, str], list[Done]] = {}
    for each in rows:
        by_label.setdefault((each.kind, each.name), []).append(each)
    tools = [_line(name, found) for (kind, name), found in by_label.items() if kind == "call"]
    waits = [_line(PERMISSIONS, found) for (kind, _), found in by_label.items() if kind == "wait"]
    for line in tools:
        line.waits_for_person = facts_of(line.name).waits_for_person
    waits += [line for line in tools if line.waits_for_person]
    return UsageSummary(
        sorted(tools, key=lambda line: (-line.calls, line.name)),
        sorted(waits, key=lambda line: (-line.total_ms, line.name)),
        _line("turns", by_label.get(("turn", ""), ())),
        sum(each.count for each in by_label.get(("prompt", ""), ())),
    )


def _line(name: str, rows: Iterable[Done]) -> ToolLine:
    line = ToolLine(name=name)
    counts: dict[int, int] = {}
    for each in rows:
        line.calls += each.count
        line.errors += each.count if each.outcome == "failed" else 0
        line.refused += each.count if each.outcome == "refused" else 0
        line.without_result += each.count if each.outcome == "open" else 0
        line.total_ms += each.total_ms
        counts[each.duration_class] = counts.get(each.duration_class, 0) + each.count
    line.timed = sum(count for number, count in counts.items() if number != NO_CLASS)
    line.p50_ms, line.p95_ms = percentile_ms(counts, 0.5), percentile_ms(counts, 0.95)
    return line
