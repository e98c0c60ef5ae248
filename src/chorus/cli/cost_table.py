"""A cost report as a table. Drawing it imports no rendering library."""

from chorus.cli.prose import prose
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, Forms, table
from chorus.core.spending.line_figures import LineFigures
from chorus.core.spending.report_lines import CostRow, Report
from chorus.core.views.counts import count
from chorus.core.views.safe import safe_line

_NUMBERS = (
    Column("Input", drop_rank=1, is_right=True),
    Column("Output", is_right=True),
    Column("Cache write", drop_rank=3, is_right=True),
    Column("Cache read", drop_rank=2, is_right=True),
    Column("Cost", is_right=True),
    Column("Reported", drop_rank=4, is_right=True),
    Column("Difference", drop_rank=5, is_right=True),
)
_LEAST_KEY = 16
_TITLE = Column("Title", min_width=24)


def cost_table(report: Report, *, counted: str = "") -> str:
    """Return the table, followed by `counted` and the notes about its numbers."""
    has_titles = report.by in ("conversation", "commit")
    first = Column(report.by.capitalize(), min_width=None if has_titles else _LEAST_KEY, is_brief=True)
    columns = (first, *_NUMBERS, *([_TITLE] if has_titles else []))
    short = _short(report) if has_titles else {}
    rows = [
        (
            Forms(safe_line(_called(row)), safe_line(short.get(row.key, _called(row)))),
            *_cells(row),
            *([safe_line(row.title or "")] if has_titles else []),
        )
        for row in report.rows
    ]
    total = ("Total", *_cells(report.total), *([""] if has_titles else []))
    below = [*(safe_line(note) for note in report.total.notes), f"Prices of {report.dated} ({report.source})"]
    if report.total.lower_bounds or report.total.unpriced:
        below.insert(0, "≥: lower bound; ?: not known")
    if counted:
        below.insert(0, counted)
    return table(f"Cost by {report.by}", columns, rows, total=total) + "\n" + "".join(map(prose, below))


def _short(report: Report) -> dict[str, str]:
    if report.by == "commit":
        return {row.key: row.key[:12] for row in report.rows}
    return short_ids(row.key for row in report.rows)


def _called(row: CostRow) -> str:
    """Return the label of a row: its key, or for a workspace its name."""
    return row.workspace_name if row.workspace is None and row.workspace_name is not None else row.key


def usd(amount: float, *, sign: bool = False) -> str:
    """Return an amount as `$12.40` or `$0.0018`; with `sign`, as `+$0.10` or `-$0.10`."""
    size = round(abs(amount), 4)
    shown = f"${size:,.2f}" if size == 0 or size >= 0.01 else f"${size:.4f}"
    return shown if size == 0 else f"{'-' if amount < 0 else '+' if sign else ''}{shown}"


def _cells(row: CostRow) -> tuple[Cell, ...]:
    return (
        number_cell(row.input),
        number_cell(row.output, "≥" if row.lower_bounds else ""),
        number_cell(row.cache_creation),
        number_cell(row.cache_read),
        cost_cell(row),
        "" if row.reported_usd is None else usd(row.reported_usd),
        "" if row.difference_usd is None else usd(row.difference_usd, sign=True),
    )


def number_cell(number: int, mark: str = "") -> Forms:
    """Returns a number as a cell with a short form, such as `12k`."""
    return Forms(f"{mark}{number:,}", f"{mark}{count(number)}")


def cost_cell(row: LineFigures) -> str:
    """Returns a cost as a cell: `≥` before a lower bound, `?` if no price is known, and nothing without usage."""
    if row.cost_usd is None:
        return "?" if row.unpriced else ""
    return f"{'≥' if row.is_cost_lower_bound else ''}{usd(row.cost_usd)}"
