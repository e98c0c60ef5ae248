"""Conversations in a line each, as lists show them."""

from collections.abc import Iterable, Mapping

from chorus.finding.costs import Costs, Figures
from chorus.index.port import Index
from chorus.index.rows import ConversationRow
from chorus.wire import ConversationSummary, Running

RunningNow = Mapping[str, Running]
"""The sessions that clients have open, by their ids."""
NOTHING_RUNS: RunningNow = {}


def summaries(
    index: Index, costs: Costs, rows: Iterable[ConversationRow], running: RunningNow = NOTHING_RUNS
) -> tuple[ConversationSummary, ...]:
    """The lines of these conversations, in their order."""
    listed = list(rows)
    known = costs.figures(index, listed)
    return tuple(summary(row, known[row.name], running.get(row.id)) for row in listed)


def summary(row: ConversationRow, spent: Figures, running: Running | None) -> ConversationSummary:
    """The line of a conversation that used and cost so much itself, and is open in that client."""
    session = row.session
    return ConversationSummary(
        name=row.name,
        id=row.id,
        workspace=row.workspace,
        agent=row.agent,
        title=row.title,
        status=row.status,
        folder=session.cwd,
        branch=session.git_branch,
        models=session.models,
        started_at=session.started_at,
        ended_at=session.ended_at,
        messages=session.messages,
        calls=row.calls,
        sub_agents=row.sub_agents,
        sub_agents_at_work=row.sub_agents_at_work,
        tokens=spent.tokens,
        copied=spent.copied,
        is_lower_bound=spent.is_at_least,
        cost_usd=spent.cost_usd,
        why_no_cost=spent.why_no_cost,
        reported_usd=spent.reported_usd,
        size_bytes=row.size_bytes,
        damaged=row.damaged,
        is_stub=row.is_stub,
        running=running,
    )
