"""A report as it is printed: its lines, and their documented JSON."""

from typing import Any

from msgspec import Struct, field

from chorus.core.spending.line_figures import LineFigures, rounded


class CostRow(LineFigures, kw_only=True):
    """One line of a report."""

    key: str
    notes: list[str] = field(default_factory=list)
    difference_usd: float | None = None
    """Computed minus reported cost, of the conversations with reported costs; None if one of them is incomplete."""
    title: str | None = None
    workspace: str | None = None
    workspace_name: str | None = None
    """The name of the workspace: of the conversation, or of the line itself."""

    def as_json(self) -> dict[str, Any]:
        """Returns the documented JSON of one row."""
        named = {"name": self.workspace_name} if self.workspace is None and self.workspace_name is not None else {}
        titled = {"title": self.title} if self.workspace is None and self.title is not None else {}
        return {"key": self.key, **named, **titled, **self.figures()}

    def figures(self) -> dict[str, Any]:
        """Returns the documented JSON of the total."""
        shown: dict[str, Any] = {
            "tokens": self.tokens_json(),
            "cost_usd": rounded(self.cost_usd),
            "reported_usd": rounded(self.reported_usd),
            "messages": self.messages,
            "notes": self.notes,
            "difference_usd": rounded(self.difference_usd),
            "lower_bounds": self.lower_bounds,
            "unpriced_messages": sum(self.unpriced.values()),
        }
        if self.workspace is not None:
            shown |= {"title": self.title, "workspace": self.workspace, "workspace_name": self.workspace_name}
        return shown


class Report(Struct, kw_only=True):
    by: str
    rows: list[CostRow]
    total: CostRow
    dated: str | None
    source: str | None

    def as_json(self) -> dict[str, Any]:
        """Returns the documented JSON of `chorus cost --json`."""
        return {
            "rows": [row.as_json() for row in self.rows],
            "total": self.total.figures(),
            "prices": {"dated": self.dated, "source": self.source},
            "by": self.by,
        }
