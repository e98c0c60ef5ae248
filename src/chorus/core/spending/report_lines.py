"""A report as it is printed: its lines, and their documented JSON."""

from typing import Any

from msgspec import Struct, field

_DIGITS = 9
"""Decimal places of a dollar. One token costs far more than the last one."""


class Row(Struct, kw_only=True):
    """One line of a report."""

    key: str
    input: int = 0
    output: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    cost_usd: float | None = None
    """The cost of all usage with a price; None if no usage has one."""
    reported_usd: float | None = None
    messages: int = 0
    notes: list[str] = field(default_factory=list)
    difference_usd: float | None = None
    """Computed minus reported cost, of the conversations with reported costs; None if one of them is incomplete."""
    lower_bounds: int = 0
    """Number of messages whose output is only a lower bound. The cost is a lower bound then, too."""
    unpriced: dict[str, int] = field(default_factory=dict)
    """Reason why a price is not known → number of messages."""
    title: str | None = None
    workspace: str | None = None
    workspace_name: str | None = None
    """The name of the workspace: of the conversation, or of the line itself."""

    def as_json(self) -> dict[str, Any]:
        """Returns the documented JSON of one row."""
        named = {"name": self.workspace_name} if self.workspace is None and self.workspace_name is not None else {}
        return {"key": self.key, **named, **self.figures()}

    def figures(self) -> dict[str, Any]:
        """Returns the documented JSON of the total."""
        shown: dict[str, Any] = {
            "tokens": {
                "input": self.input,
                "output": self.output,
                "cache_creation": self.cache_creation,
                "cache_read": self.cache_read,
            },
            "cost_usd": _rounded(self.cost_usd),
            "reported_usd": _rounded(self.reported_usd),
            "messages": self.messages,
            "notes": self.notes,
            "difference_usd": _rounded(self.difference_usd),
            "lower_bounds": self.lower_bounds,
            "unpriced_messages": sum(self.unpriced.values()),
        }
        if self.workspace is not None:
            shown |= {"title": self.title, "workspace": self.workspace, "workspace_name": self.workspace_name}
        return shown


class Report(Struct, kw_only=True):
    by: str
    rows: list[Row]
    total: Row
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


def _rounded(usd: float | None) -> float | None:
    return None if usd is None else round(usd, _DIGITS)
