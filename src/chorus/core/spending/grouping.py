"""Which line of a report a row belongs to."""

from collections.abc import Callable
from datetime import date

from chorus.core.spending import periods
from chorus.core.spending.books import Facts
from chorus.core.spending.rows import Reported, Spent

GROUPINGS = ("day", "week", "month", "model", "workspace", "conversation", "agent")
PERIODS = frozenset({"day", "week", "month"})
UNSHARED = frozenset({"model", "agent", "commit"})
"""Groupings for which the client reports no costs: it reports whole conversations."""
SUB_AGENTS = "sub-agents"


def keys(
    by: str, facts: dict[str, Facts], day: Callable[[str], date | None]
) -> tuple[Callable[[Spent], str], Callable[[Reported], str | None]]:
    """Returns two functions from a row to the key of its line: for usage, and for reported costs.

    Raises `ValueError` for an unknown grouping.
    """
    named = {"day": date.isoformat, "week": periods.week, "month": periods.month}.get(by)
    if named is not None:

        def period(row: Spent | Reported) -> str:
            when = day(row.quarter)
            return periods.UNKNOWN if when is None else named(when)

        return period, period
    match by:
        case "model":
            return lambda spent: spent.model or periods.UNKNOWN, lambda _: None
        case "agent":
            return lambda spent: _worker(spent, facts), lambda _: None
        case "workspace":

            def workspace(row: Spent | Reported) -> str:
                known = facts.get(row.conversation)
                return known.workspace if known else periods.UNKNOWN

            return workspace, workspace
        case "conversation":
            return lambda spent: spent.conversation, lambda figure: figure.conversation
        case _:
            raise ValueError(f"no grouping: {by}")


def _worker(spent: Spent, facts: dict[str, Facts]) -> str:
    """Returns the agent of the conversation. The usage of its sub-agents has a separate line."""
    known = facts.get(spent.conversation)
    agent = known.agent if known else periods.UNKNOWN
    return f"{agent}/{SUB_AGENTS}" if spent.thread else agent
