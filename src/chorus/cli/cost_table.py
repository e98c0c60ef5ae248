"""A cost report as a table of plain text, the same in a terminal and in a pipe: nothing has to be loaded to draw it."""

from chorus.cli.safely import shortened
from chorus.ledger.lines import Report, Row
from chorus.views.safe import safe_line

_HEAD = ("Input", "Output", "Cache write", "Cache read", "Cost", "Reported", "Difference")
_SHORT_ID = 8
_TITLE = 40


def table(report: Report) -> str:
    """The whole table, and below it what has to be said about its numbers."""
    rows = [(key, *_cells(row)) for key, row in zip(_keys(report), report.rows, strict=True)]
    rows = [(report.by.capitalize(), *_HEAD), *rows, ("Total", *_cells(report.total))]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    drawn = [_drawn(row, widths) for row in rows]
    rule = "-" * len(drawn[0])
    below = [*(safe_line(note) for note in report.total.notes), f"Prices of {report.dated} ({report.source})"]
    if report.total.lower_bounds or report.total.unpriced:
        below.insert(0, "≥: at least so much; ?: not known")
    return "\n".join((drawn[0], rule, *drawn[1:-1], rule, drawn[-1], "", *below)) + "\n"


def _drawn(row: tuple[str, ...], widths: list[int]) -> str:
    first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join((first.strip().ljust(widths[0]), *others))


def usd(amount: float, *, sign: bool = False) -> str:
    """`$12.40`, `$0.0018`; with `sign` `+$0.10` and `-$0.10`."""
    size = round(abs(amount), 4)
    shown = f"${size:,.2f}" if size == 0 or size >= 0.01 else f"${size:.4f}"
    return shown if size == 0 else f"{'-' if amount < 0 else '+' if sign else ''}{shown}"


def _cells(row: Row) -> tuple[str, ...]:
    mark = "≥" if row.lower_bounds else ""
    return (
        f"{row.input:,}",
        f"{mark}{row.output:,}",
        f"{row.cache_creation:,}",
        f"{row.cache_read:,}",
        _cost(row),
        "" if row.reported_usd is None else usd(row.reported_usd),
        "" if row.difference_usd is None else usd(row.difference_usd, sign=True),
    )


def _cost(row: Row) -> str:
    if row.cost_usd is None:
        return "?" if row.unpriced else ""
    return f"{'≥' if row.lower_bounds or row.unpriced else ''}{usd(row.cost_usd)}"


def _keys(report: Report) -> list[str]:
    if report.by != "conversation":
        return [safe_line(row.key) for row in report.rows]
    are_short = len({row.key[:_SHORT_ID] for row in report.rows}) == len(report.rows)
    return [
        f"{safe_line(row.key[: _SHORT_ID if are_short else None])}  {shortened(row.title or '', _TITLE)}".rstrip()
        for row in report.rows
    ]
