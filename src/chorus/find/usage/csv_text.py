"""Usage as comma-separated values (RFC 4180), for spreadsheets.

Names come from transcripts, which are untrusted. A spreadsheet would run a cell that begins like a formula, so such a
cell gets an apostrophe in front.
"""

import csv
import io
from collections.abc import Iterable, Sequence

from chorus.core.spending.line_figures import rounded
from chorus.find.usage.figures import GroupLine, ToolLine

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
Cell = str | int | float | None
LINE_HEAD = (
    "label", "input", "output", "cache_creation", "cache_read", "cache_hit_rate", "messages", "cost_usd",
    "cost_is_lower_bound", "reported_usd", "lower_bounds", "unpriced_messages",
)  # fmt: skip
TOOL_HEAD = (
    "calls", "errors", "error_rate", "refused", "without_result", "p50_ms", "p95_ms", "total_ms", "timed",
)  # fmt: skip


def lines_csv(by: str, lines: Iterable[GroupLine]) -> str:
    """Returns a table of usage. What is not known is an empty cell."""
    return _csv((by, *LINE_HEAD), [(line.key, *_figures(line)) for line in lines])


def tools_csv(by: str, lines: Iterable[ToolLine]) -> str:
    """Returns a table of calls, or of waiting."""
    return _csv((by, *TOOL_HEAD), [(line.name, *_calls(line)) for line in lines])


def _figures(line: GroupLine) -> tuple[Cell, ...]:
    is_lower_bound = None if line.cost_usd is None else str(line.is_cost_lower_bound).lower()
    return (
        line.label or line.key, line.input, line.output, line.cache_creation, line.cache_read,
        _share(line.cache_hit_rate), line.messages, rounded(line.cost_usd), is_lower_bound, rounded(line.reported_usd),
        line.lower_bounds, sum(line.unpriced.values()),
    )  # fmt: skip


def _calls(line: ToolLine) -> tuple[Cell, ...]:
    return (
        line.calls, line.errors, _share(line.error_rate), line.refused, line.without_result, _whole(line.p50_ms),
        _whole(line.p95_ms), line.total_ms if line.timed else None, line.timed,
    )  # fmt: skip


def _csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()


def _inert(cell: Cell) -> Cell:
    if isinstance(cell, str):
        cell = cell.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        return f"'{cell}" if cell.startswith(_FORMULA) else cell
    return cell


def _share(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 6)


def _whole(ms: float | None) -> int | None:
    return None if ms is None else round(ms)
