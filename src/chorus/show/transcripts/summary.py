"""Summaries of conversations for lists."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from chorus.base import config
from chorus.core.board.ended_runs import status_after
from chorus.core.board.facts import RunFact
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.costs.conversation_costs import Costs, Figures
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.keep.archive.annotations import NOTHING, Annotation, annotations_of
from chorus.show.wire import ConversationSummary, Running
from chorus.show.wire.progress import shown_progress

RunningNow = Mapping[str, Running]
"""Maps session ids to the clients that have them open."""
LastRuns = Mapping[str, RunFact]
"""Maps session ids to the run that works on them, or did last."""


class Summaries:
    """Builds summaries from what is recorded, and from annotations, workspace names, running clients and runs."""

    def __init__(
        self,
        costs: Costs,
        root: Path | None = None,
        running: Callable[[], RunningNow] = dict[str, Running],
        runs: Callable[[], LastRuns] = dict[str, RunFact],
    ) -> None:
        """`root` is the folder of Chorus; its settings name the workspaces."""
        self.costs = costs
        self._root = root
        self._running = running
        self._runs = runs

    def of(self, index: Index, rows: Iterable[ConversationRow]) -> tuple[ConversationSummary, ...]:
        """Returns the summaries of these conversations, in their order."""
        listed = list(rows)
        known = self.costs.figures(index, listed)
        running, runs = self._running(), self._runs()
        names = config.workspace_names(self._root) if self._root else WorkspaceNames({})
        notes = annotations_of(self._root).all() if self._root else {}
        return tuple(
            _summary(row, known[row.name], names, notes.get(row.name, NOTHING), running.get(row.id), runs.get(row.id))
            for row in listed
        )


def _summary(
    row: ConversationRow,
    spent: Figures,
    names: WorkspaceNames,
    annotation: Annotation,
    running: Running | None,
    run: RunFact | None,
) -> ConversationSummary:
    session = row.session
    return ConversationSummary(
        name=row.name,
        id=row.id,
        workspace=row.workspace,
        workspace_name=names.of(row.workspace, session.cwd),
        agent=row.agent,
        title=annotation.title or row.title,
        own_title=row.own_title,
        first_prompt=session.first_prompt,
        is_starred=annotation.is_starred,
        is_archived=annotation.is_archived,
        tags=annotation.tags,
        note=annotation.note,
        status=row.status if running else status_after(run, row.status, session.ended_at),
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
        progress=shown_progress(row.progress),
    )
