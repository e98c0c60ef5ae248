"""Conversations in a line each, as lists show them."""

from collections.abc import Iterable

from chorus.finding.costs import Costs
from chorus.index.port import Index
from chorus.index.rows import ConversationRow
from chorus.wire import ConversationSummary


def summaries(index: Index, costs: Costs, rows: Iterable[ConversationRow]) -> tuple[ConversationSummary, ...]:
    """The lines of these conversations, in their order."""
    listed = list(rows)
    known = costs.costs(index, [row.name for row in listed])
    return tuple(summary(row, known.get(row.name)) for row in listed)


def summary(row: ConversationRow, cost_usd: float | None) -> ConversationSummary:
    """The line of a conversation that costs so much."""
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
        tokens=row.tokens,
        cost_usd=cost_usd,
        reported_usd=row.reported_usd,
        size_bytes=row.size_bytes,
        damaged=row.damaged,
        is_stub=row.is_stub,
    )
