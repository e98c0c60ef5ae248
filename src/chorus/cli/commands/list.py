"""`chorus list`: list the recorded conversations, newest first."""

import sys
from datetime import UTC, datetime
from typing import Any

import click
from msgspec import Struct, field, structs

from chorus.base import config
from chorus.cli.age import age
from chorus.cli.output import complain, counted, print_json
from chorus.cli.pager import paged
from chorus.cli.panes import pane_places
from chorus.cli.query_options import ALL, answering, ask, read_query
from chorus.cli.query_words import QUERY_SETTINGS, refuse_mistyped_options
from chorus.cli.run_ends import statuses_after_runs
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, Forms, table
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.conversation.tokens import Tokens
from chorus.core.query.joining import all_of
from chorus.core.query.tree import Field, Node, Query, Sequence, Step
from chorus.core.views import figures
from chorus.core.views.activity import current_status
from chorus.core.views.progress import current_progress, progress_json, progress_line, sub_agent_line
from chorus.core.views.safe import safe_line
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.costs.conversation_costs import Costs, Figures
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.find.search.annotations import Annotations, archived, asks_for_archived, load_annotations
from chorus.keep.archive.annotations import NOTHING, Annotation
from chorus.keep.archive.listing import named
from chorus.keep.vault.files import FileVault

_MANY = 50
_UNTITLED = "(no title)"
_COLUMNS = (
    Column("Id", is_brief=True),
    Column("Age", is_right=True),
    Column("Status", drop_rank=3),
    Column("Cost", drop_rank=1, is_right=True, is_brief=True),
    Column("Workspace", drop_rank=2, min_width=14),
    Column("Messages", drop_rank=12, is_right=True),
    Column("Tokens", drop_rank=11, is_right=True),
    Column("Size", drop_rank=13, is_right=True),
    Column("Progress", drop_rank=1, min_width=20, preferred_width=36),
    Column("Notes", drop_rank=14, min_width=14),
    Column("Title", min_width=33, preferred_width=48),
)
"""What is wanted most stands first: a line of a pipe may be wider than the terminal where it ends up."""


class Listed(Struct):
    """The result of the query."""

    rows: list[ConversationRow] = field(default_factory=list)
    figures: dict[str, Figures] = field(default_factory=dict)
    """Tokens and costs, by the names of conversations."""
    names: WorkspaceNames = field(default_factory=lambda: WorkspaceNames({}))
    annotations: Annotations = field(default_factory=dict)
    """The annotations of conversations, by name."""
    archived: int = 0
    """How many conversations are left out because they are archived."""
    total: int | None = 0
    """How many conversations there are in total; None if that would need a search of everything."""
    statuses: dict[str, str] = field(default_factory=dict)
    """The statuses, by name, that follow from the end of a run and not from the records."""
    panes: dict[str, str] = field(default_factory=dict)
    """The tmux panes of running sessions, by session."""
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


@click.command("list", context_settings=QUERY_SETTINGS)
@click.argument("words", metavar="[QUERY…]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--workspace", metavar="W", help="Only conversations of this workspace: a part of its folder or id.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=_MANY, show_default=True, metavar="N", help="At most N; 0 for all."
)
@vault_option
@click.pass_context
@paged
def list_(
    ctx: click.Context, words: tuple[str, ...], *, as_json: bool, workspace: str | None, limit: int, vault: str | None
) -> None:
    """List the conversations in the vault, newest first; with QUERY, those with an entry that answers it.

    Other commands accept the first four or more characters of an id, if no other id begins with them. Tokens and cost
    are the conversation's own, as in `chorus cost`: what a fork copied is counted in its source. If a cost cannot be
    computed, the cost that the client reported is shown. docs/guide/queries.md explains queries.
    """
    refuse_mistyped_options(ctx, words)
    kept_in = open_vault(vault)
    query = _within(read_query(words), workspace)
    costs = Costs(config.home(vault))
    found = ask(kept_in, lambda index: _listed(index, kept_in, query, limit or ALL, costs), cost_of=costs.cost_of)
    found = found or Listed()
    found.panes = pane_places(vault)
    if as_json:
        print_json(_as_json(found, kept_in))
    else:
        found.statuses = statuses_after_runs(config.home_of(kept_in.root), kept_in.root, found.rows)
        _print(found, is_narrowed=query.root is not None)


def _within(query: Query, workspace: str | None) -> Query:
    """Return the query, restricted to one workspace."""
    if workspace is None:
        return query
    where = Field("workspace", workspace.rstrip("/") or "/")
    root = query.root
    if isinstance(root, Sequence):
        narrowed: Node | Sequence = Sequence(tuple(Step(all_of([where, step.of]), step.within) for step in root.steps))
    else:
        narrowed = all_of([where, root]) if root is not None else where
    return structs.replace(query, root=narrowed)


def _listed(index: Index, vault: FileVault, query: Query, limit: int, costs: Costs) -> Listed:
    rows, has_more = answering(index, vault, query, limit=limit, hides_archived=True)
    annotations = load_annotations(vault)
    hidden = 0 if asks_for_archived(query) else len(archived(annotations).names)
    total = len(rows) if not has_more else len(index.positions()) - hidden if query.root is None else None
    return Listed(rows, costs.figures(index, rows), config.workspace_names(vault.root), annotations, hidden, total)


def _as_json(found: Listed, vault: FileVault) -> dict[str, Any]:
    """Return the documented form of `chorus list --json`."""
    kept = {each.name: each for each in named(vault, (row.name for row in found.rows))}
    streams = {name: [key.stream for key in each.keys] for name, each in kept.items()}
    return {
        "conversations": [_conversation(row, found, streams.get(row.name, [])) for row in found.rows],
        "total": found.total,
        "partial": False,
    }


def _conversation(row: ConversationRow, found: Listed, streams: list[str]) -> dict[str, Any]:
    session, spent, annotation = row.session, found.figures[row.name], found.annotations.get(row.name, NOTHING)
    return {
        "id": row.id,
        "title": row.title,
        "workspace": row.workspace,
        "workspace_name": found.names.of(row.workspace, session.cwd),
        "agent": row.agent,
        "cwd": session.cwd,
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "status": row.status,
        "progress": progress_json(current_progress(row.progress, row.status, session.ended_at, found.now)),
        "messages": session.messages,
        "sub_agents": row.sub_agents,
        "tokens": _tokens(spent.tokens),
        "copied_tokens": _tokens(spent.copied) if spent.copied else None,
        "is_lower_bound": spent.is_at_least,
        "cost_usd": spent.cost_usd,
        "why_no_cost": spent.why_no_cost,
        "reported_usd": spent.reported_usd,
        "size_bytes": row.size_bytes,
        "only_prompts": row.is_stub,
        "streams": streams,
        "first_prompt": session.first_prompt,
        "starred": annotation.is_starred,
        "archived": annotation.is_archived,
        "tags": list(annotation.tags),
        "note": annotation.note,
        "pane": found.panes.get(row.id),
    }


def _tokens(spent: Tokens) -> dict[str, int]:
    return {
        "input": spent.input,
        "output": spent.output,
        "cache_creation": spent.cache_creation,
        "cache_read": spent.cache_read,
    }


def _print(found: Listed, *, is_narrowed: bool) -> None:
    if not found.rows:
        if found.archived and not is_narrowed:
            click.echo(f"All {counted(found.archived, 'conversation')} are archived: `chorus list is:archived`")
            return
        none = "No conversation answers this." if is_narrowed else "Nothing is recorded here yet"
        hint = "" if is_narrowed else ": `chorus sync` records your sessions."
        click.echo(none + hint)
        return
    names = short_ids(row.id for row in found.rows)
    is_terminal = sys.stdout.isatty()
    rows = [
        line
        for row in found.rows
        for line in (_row(row, names[row.id], found), *(_sub_agents(row, found) if is_terminal else ()))
    ]
    click.echo(table("", _COLUMNS, rows), nl=False)
    _end(found)


def _end(found: Listed) -> None:
    """Print how many there are. In a pipe, print only on standard error, and only if rows are missing."""
    is_all = len(found.rows) == found.total
    if found.total is None:
        summary = f"{counted(len(found.rows), 'conversation')}, and there are more; --limit 0 lists all"
    elif is_all:
        summary = counted(found.total, "conversation")
    else:
        summary = f"{len(found.rows):,} of {counted(found.total, 'conversation')}; --limit 0 lists all"
    left_out = f"{counted(found.archived, 'archived conversation')} left out: `chorus list is:archived`"
    if sys.stdout.isatty():
        click.echo(f"\n{summary}")
        if found.archived:
            click.echo(left_out)
    else:
        if not is_all:
            complain(summary)
        if found.archived:
            complain(left_out)


def _row(row: ConversationRow, name: str, found: Listed) -> tuple[Cell, ...]:
    session, spent, now = row.session, found.figures[row.name], found.now
    status = found.statuses.get(row.name, row.status)
    progress = current_progress(row.progress, status, session.ended_at, now)
    return (
        Forms(row.id, name),
        age(session.ended_at, now),
        current_status(status, session.ended_at, now),
        Forms(spent.in_short, "?" if spent.in_short.startswith("?") else spent.in_short),
        safe_line(found.names.of(row.workspace, session.cwd)),
        session.messages,
        figures.tokens(spent.tokens, is_lower_bound=spent.is_lower_bound),
        figures.size(row.size_bytes),
        progress_line(progress.main) if progress and progress.main else "",
        _marks(row, spent, found.annotations.get(row.name, NOTHING), found.panes.get(row.id)),
        _title(row, found.annotations.get(row.name, NOTHING)),
    )


def _title(row: ConversationRow, annotation: Annotation) -> str:
    """Return the title with its star, which is seen at every width there."""
    title = _UNTITLED if row.title == row.id else safe_line(row.title)
    return f"★ {title}" if annotation.is_starred else title


def _sub_agents(row: ConversationRow, found: Listed) -> list[tuple[Cell, ...]]:
    """Return a row for each sub-agent at work, to be shown below its conversation."""
    status = found.statuses.get(row.name, row.status)
    progress = current_progress(row.progress, status, row.session.ended_at, found.now)
    return [
        ("", "", "", "", "", "", "", "", sub_agent_line(each), "", f"↳ {safe_line(each.description)}")
        for each in (progress.sub_agents if progress else ())
    ]


def _marks(row: ConversationRow, spent: Figures, annotation: Annotation, pane: str | None) -> str:
    marks = [f"in pane {safe_line(pane)}"] if pane else []
    marks += ["archived"] if annotation.is_archived else []
    marks += [f"#{safe_line(tag)}" for tag in annotation.tags]
    marks += ["only prompts recorded"] if row.is_stub else []
    if spent.copied:
        marks.append(f"plus {figures.tokens(spent.copied)} copied")
    if row.sub_agents:
        marks.append(counted(row.sub_agents, "sub-agent"))
    if row.damaged:
        marks.append(counted(row.damaged, "damaged line"))
    return ", ".join(marks)
