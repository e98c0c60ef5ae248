"""A usage report as tables with small bars."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from chorus.cli.bars import bar, most_of, week
from chorus.cli.cost_table import cost_cell, number_cell, usd
from chorus.cli.prose import prose
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, Forms, cut, table, terminal_width
from chorus.core.conversation.items import Limit
from chorus.core.query.usage_lines import Grouping
from chorus.core.views import figures
from chorus.core.views.safe import safe_line
from chorus.find.usage.figures import GroupLine, ToolLine, TurnLine
from chorus.find.usage.overview import Overview
from chorus.find.usage.report import Table

_FIGURES = (
    Column("Cost", is_right=True),
    Column("", drop_rank=6),
    Column("Output", is_right=True, drop_rank=1),
    Column("Input", is_right=True, drop_rank=2),
    Column("Cache write", is_right=True, drop_rank=4),
    Column("Cache read", is_right=True, drop_rank=3),
    Column("Cache hits", is_right=True, drop_rank=5),
    Column("Messages", is_right=True, drop_rank=7),
    Column("Reported", is_right=True, drop_rank=8),
)
_CALLS = (
    Column("Calls", is_right=True),
    Column("", drop_rank=5),
    Column("Errors", is_right=True),
    Column("Rate", is_right=True, drop_rank=2),
    Column("Refused", is_right=True, drop_rank=3),
    Column("Open", is_right=True, drop_rank=6),
    Column("p50", is_right=True),
    Column("p95", is_right=True),
    Column("Total", is_right=True, drop_rank=4),
)
_NAMES: dict[Grouping, str] = {"subagent": "sub-agent", "hour": "weekday and hour"}


def overview_text(found: Overview, zone: tzinfo | None) -> str:
    """Return all tables of a report."""
    parts = [lines_table(each) for by, each in found.tables.items() if by != "hour"]
    parts.append(tools_table("Tools", "Tool", found.done.tools))
    parts.append(tools_table("Waiting for people", "For", found.done.waiting))
    if "hour" in found.tables:
        parts.append(week_text(found.tables["hour"]))
    parts.append(_dearest(found))
    parts.append(_turns(found.turns, zone))
    parts.append(_limits(found.limits, zone))
    return "\n".join(filter(None, parts)) + "\n" + notes_text(found)


def lines_table(found: Table) -> str:
    """Return the table of one grouping, with a bar for the cost, or for the output if no cost is known."""
    most = most_of([_measure(line) for line in found.lines])
    name = _NAMES.get(found.by, found.by)
    has_ids = found.by == "conversation"
    short = short_ids(line.key.rpartition("/")[2] for line in found.lines) if has_ids else {}
    first = Column(name.capitalize(), min_width=None if has_ids else 16, is_brief=True)
    columns = (first, *_FIGURES, *([Column("Title", min_width=24)] if has_ids else []))
    rows = [
        (_key(line, short), *_cells(line, most), *([safe_line(line.label)] if has_ids else [])) for line in found.lines
    ]
    total = ("Total", *_cells(found.total, 0.0), *([""] if has_ids else []))
    return table(f"Usage by {name}", columns, rows, total=total)


def tools_table(title: str, name: str, lines: Sequence[ToolLine]) -> str:
    """Return the table of calls, or of waiting."""
    most = most_of([line.calls for line in lines])
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        rate = line.error_rate
        rows.append(
            (
                safe_line(line.name),
                line.calls,
                bar(line.calls, most),
                line.errors,
                "" if rate is None else f"{rate:.1%}",
                line.refused,
                line.without_result,
                _took(line.p50_ms),
                _took(line.p95_ms),
                _took(line.total_ms if line.timed else None),
            )
        )
    return table(title, (Column(name, min_width=16), *_CALLS), rows)


def week_text(found: Table) -> str:
    """Return the messages of each hour of the week as shades."""
    if not found.lines:
        return ""
    width = terminal_width()
    lines = week({line.key: line.messages + line.turns for line in found.lines})
    drawn = [f"  {line}" if width is None else cut(f"  {line}", width) for line in lines]
    return "\n".join(["Messages by weekday and hour", *drawn]) + "\n"


def notes_text(found: Overview) -> str:
    """Return the notes below the tables."""
    total = found.total
    below = []
    if total.is_cost_lower_bound:
        below.append("≥: lower bound; ?: not known")
    below += [
        f"{safe_line(reason)}: {figures.several(number, 'message')} not in the cost"
        for reason, number in sorted(total.unpriced.items())
    ]
    below.append("Durations: p50 and p95 are at most 4.5 % off")
    below.append(f"Prices of {found.prices['dated']} ({found.prices['source']})")
    return "".join(map(prose, below))


def _dearest(found: Overview) -> str:
    short = short_ids(line.key.rpartition("/")[2] for line in found.dearest)
    rows = [(_key(line, short), cost_cell(line), _share(line), safe_line(line.label)) for line in found.dearest]
    columns = (
        Column("Id", is_brief=True),
        Column("Cost", is_right=True),
        Column("Cache hits", is_right=True, drop_rank=1),
        Column("Title", min_width=24),
    )
    return table("Most expensive conversations", columns, rows)


def _turns(turns: Sequence[TurnLine], zone: tzinfo | None) -> str:
    short = short_ids({turn.conversation.rpartition("/")[2] for turn in turns})
    rows = [
        (
            _moment(turn.started_at, zone),
            Forms(own := turn.conversation.rpartition("/")[2], short[own]),
            cost_cell(turn.line),
            safe_line(turn.prompt),
        )
        for turn in turns
    ]
    columns = (
        Column("Time", drop_rank=1),
        Column("Id", is_brief=True),
        Column("Cost", is_right=True),
        Column("Prompt", min_width=24),
    )
    return table("Most expensive turns", columns, rows)


def _limits(limits: Sequence[Limit], zone: tzinfo | None) -> str:
    rows = [
        (
            safe_line(limit.type or "unnamed"),
            safe_line(limit.status or "?"),
            "?" if limit.utilization is None else f"{limit.utilization:.0%}",
            _seconds(limit.resets_at_s, zone),
            _moment(limit.reported_at, zone),
        )
        for limit in limits
    ]
    columns = (
        Column("Limit", min_width=12),
        Column("Status", min_width=8),
        Column("Used", is_right=True),
        Column("Starts again", drop_rank=2),
        Column("Reported", drop_rank=1),
    )
    return table("Limits, as the client reported them last", columns, rows)


def _key(line: GroupLine, short: dict[str, str]) -> Cell:
    own = line.key.rpartition("/")[2]
    if own in short:
        return Forms(safe_line(own), safe_line(short[own]))
    return safe_line(line.label or line.key)


def _measure(line: GroupLine) -> float | None:
    return line.cost_usd if line.cost_usd is not None else None


def _cells(line: GroupLine, most: float) -> tuple[Cell, ...]:
    return (
        cost_cell(line),
        bar(_measure(line), most),
        number_cell(line.output, "≥" if line.lower_bounds else ""),
        number_cell(line.input),
        number_cell(line.cache_creation),
        number_cell(line.cache_read),
        _share(line),
        f"{line.messages + line.turns:,}",
        "" if line.reported_usd is None else usd(line.reported_usd),
    )


def _share(line: GroupLine) -> str:
    rate = line.cache_hit_rate
    return "" if rate is None else f"{rate:.1%}"


def _took(ms: float | None) -> str:
    return "?" if ms is None else figures.duration(ms)


def _moment(time: str | None, zone: tzinfo | None) -> str:
    when = figures.moment(time, zone)
    return f"{when:%Y-%m-%d %H:%M}" if when else "?"


def _seconds(moment_s: float | None, zone: tzinfo | None) -> str:
    if moment_s is None:
        return "?"
    try:
        return f"{datetime.fromtimestamp(moment_s, UTC).astimezone(zone):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "?"
