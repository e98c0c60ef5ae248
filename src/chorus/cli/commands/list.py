"""`chorus list`: the conversations that are kept, newest first."""

import sys
from datetime import UTC, datetime
from typing import Any

import click
from msgspec import Struct, field, structs

from chorus.base import config
from chorus.cli.age import age
from chorus.cli.output import complain, counted, print_json
from chorus.cli.pager import paged
from chorus.cli.query_options import ALL, QUERY_SETTINGS, answering, ask, read_query, refuse_mistyped_options
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, Forms, table
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.conversation.tokens import Tokens
from chorus.core.query.joining import all_of
from chorus.core.query.tree import Field, Node, Query, Sequence, Step
from chorus.core.views import figures
from chorus.core.views.activity import current_status
from chorus.core.views.safe import safe_line
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.costs.conversation_costs import Costs, Figures
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.find.search.annotations import Said, archived, asks_for_archived, said_of
from chorus.keep.archive.annotations import NOTHING, Annotation
from chorus.keep.archive.listing import named
from chorus.keep.vault.files import FileVault

_MANY = 50
_UNTITLED = "(no title)"
_COLUMNS = (
    Column("Id", is_brief=True),
    Column("Age", is_right=True),
    Column("Messages", leaves=12),
    Column("Status", leaves=3),
    Column("Tokens", leaves=11, is_right=True),
    Column("Cost", leaves=1, is_right=True, is_brief=True),
    Column("Size", leaves=13, is_right=True),
    Column("Workspace", leaves=2, least=14),
    Column("Notes", leaves=14, least=14),
    Column("Title", least=34, wants=48),
)


class Listed(Struct):
    """What there is to list."""

    rows: list[ConversationRow] = field(default_factory=list)
    figures: dict[str, Figures] = field(default_factory=dict)
    """By the names of conversations."""
    names: WorkspaceNames = field(default_factory=lambda: WorkspaceNames({}))
    said: Said = field(default_factory=dict)
    """What the person said about conversations."""
    archived: int = 0
    """Conversations that are left out because they were archived."""
    total: int | None = 0
    """How many there are in all; None when that would take a look at everything."""


@click.command("list", context_settings=QUERY_SETTINGS)
@click.argument("words", metavar="[QUERY…]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--workspace", metavar="W", help="Only those of one workspace: a part of its folder or of its id.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=_MANY, show_default=True, metavar="N", help="At most N; 0 for all."
)
@vault_option
@click.pass_context
@paged
def list_(
    ctx: click.Context, words: tuple[str, ...], *, as_json: bool, workspace: str | None, limit: int, vault: str | None
) -> None:
    """List the conversations in the vault, newest first; with QUERY, those that have an entry which answers it.

    Four characters of an id are enough to name it to other commands where no other begins so. Tokens and cost are the
    conversation's own, as `chorus cost` has them: what a fork copied from its source is counted there. Where a cost
    cannot be computed, what the client reported stands for it. docs/guide/queries.md tells what a QUERY can ask.
    """
    refuse_mistyped_options(ctx, words)
    kept_in = open_vault(vault)
    query = _within(read_query(words), workspace)
    costs = Costs(config.home(vault))
    found = ask(kept_in, lambda index: _listed(index, kept_in, query, limit or ALL, costs), cost_of=costs.cost_of)
    found = found or Listed()
    if as_json:
        print_json(_as_json(found, kept_in))
    else:
        _print(found, datetime.now(UTC), is_narrowed=query.root is not None)


def _within(query: Query, workspace: str | None) -> Query:
    """The query asked of one workspace only."""
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
    said = said_of(vault)
    hidden = 0 if asks_for_archived(query) else len(archived(said).names)
    total = len(rows) if not has_more else len(index.positions()) - hidden if query.root is None else None
    return Listed(rows, costs.figures(index, rows), config.workspace_names(vault.root), said, hidden, total)


def _as_json(found: Listed, vault: FileVault) -> dict[str, Any]:
    """The documented shape of `chorus list --json`."""
    kept = {each.name: each for each in named(vault, (row.name for row in found.rows))}
    streams = {name: [key.stream for key in each.keys] for name, each in kept.items()}
    return {
        "conversations": [_conversation(row, found, streams.get(row.name, [])) for row in found.rows],
        "total": found.total,
        "partial": False,
    }


def _conversation(row: ConversationRow, found: Listed, streams: list[str]) -> dict[str, Any]:
    session, spent, said = row.session, found.figures[row.name], found.said.get(row.name, NOTHING)
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
        "starred": said.is_starred,
        "archived": said.is_archived,
        "tags": list(said.tags),
        "note": said.note,
    }


def _tokens(spent: Tokens) -> dict[str, int]:
    return {
        "input": spent.input,
        "output": spent.output,
        "cache_creation": spent.cache_creation,
        "cache_read": spent.cache_read,
    }


def _print(found: Listed, now: datetime, *, is_narrowed: bool) -> None:
    if not found.rows:
        if found.archived and not is_narrowed:
            click.echo(f"All {counted(found.archived, 'conversation')} are archived: `chorus list is:archived`")
            return
        none = "No conversation answers this." if is_narrowed else "Nothing is kept here yet"
        hint = "" if is_narrowed else ": `chorus sync` brings your sessions in."
        click.echo(none + hint)
        return
    names = short_ids(row.id for row in found.rows)
    rows = [_row(row, names[row.id], found, now) for row in found.rows]
    click.echo(table("", _COLUMNS, rows), nl=False)
    _end(found)


def _end(found: Listed) -> None:
    """How many there are; in a pipe, rows are all there is, and only that some are missing is said beside it."""
    is_all = len(found.rows) == found.total
    if found.total is None:
        said = f"{counted(len(found.rows), 'conversation')}, and there are more; --limit 0 lists all"
    elif is_all:
        said = counted(found.total, "conversation")
    else:
        said = f"{len(found.rows):,} of {counted(found.total, 'conversation')}; --limit 0 lists all"
    left_out = f"{counted(found.archived, 'archived conversation')} left out: `chorus list is:archived`"
    if sys.stdout.isatty():
        click.echo(f"\n{said}")
        if found.archived:
            click.echo(left_out)
    else:
        if not is_all:
            complain(said)
        if found.archived:
            complain(left_out)


def _row(row: ConversationRow, name: str, found: Listed, now: datetime) -> tuple[Cell, ...]:
    session, spent = row.session, found.figures[row.name]
    return (
        Forms(row.id, name),
        age(session.ended_at, now),
        session.messages,
        current_status(row.status, session.ended_at, now),
        figures.tokens(spent.tokens, is_lower_bound=spent.is_lower_bound),
        Forms(spent.in_short, "?" if spent.in_short.startswith("?") else spent.in_short),
        figures.size(row.size_bytes),
        safe_line(found.names.of(row.workspace, session.cwd)),
        _marks(row, spent, found.said.get(row.name, NOTHING)),
        _UNTITLED if row.title == row.id else safe_line(row.title),
    )


def _marks(row: ConversationRow, spent: Figures, said: Annotation) -> str:
    marks = ["★"] if said.is_starred else []
    marks += ["archived"] if said.is_archived else []
    marks += [f"#{safe_line(tag)}" for tag in said.tags]
    marks += ["only prompts kept"] if row.is_stub else []
    if spent.copied:
        marks.append(f"plus {figures.tokens(spent.copied)} copied")
    if row.sub_agents:
        marks.append(counted(row.sub_agents, "sub-agent"))
    if row.damaged:
        marks.append(counted(row.damaged, "damaged line"))
    return ", ".join(marks)
