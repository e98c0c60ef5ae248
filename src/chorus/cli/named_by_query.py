"""Conversations named by what they hold: a query that one of them answers, or a number of the last search."""

import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from chorus.base import config
from chorus.cli.age import age
from chorus.cli.query_options import ALL, Answering, answering, ask, read_query
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Column, Forms, table
from chorus.core.query.keys import HINTS
from chorus.core.query.tree import MEASURES, Query
from chorus.core.views.safe import safe_line
from chorus.errors import QueryError, SourceUnreadable
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.rows import ConversationRow
from chorus.find.search.last_search import LastSearch, Remembered, recall, remember
from chorus.keep.archive.listing import Kept, find, named
from chorus.keep.vault.files import FileVault

_FEW = 5
_COLUMNS = (
    "Number",
    Column("Id", is_brief=True),
    Column("Age", is_right=True),
    Column("Workspace", leaves=1, least=14),
    Column("Title", least=34, wants=48),
)
_FIELD = re.compile(
    rf"[-(]*(?:(?:{'|'.join(HINTS)}):|[A-Za-z]{{2,}}:[^\s:/\\]|(?:{'|'.join(MEASURES)})\s*[<>=])", re.IGNORECASE
)
"""A field as a query has it, or what the parser takes for a mistyped one."""
_NAMELESS = re.compile(r"-[0-9a-f]{8}")
"""What follows the file's name in the id of a conversation that has no other."""
_PATH = re.compile(r"~|\.{0,2}/|[A-Za-z]:\\")


def is_query(source: str) -> bool:
    """Whether it has the form of a query: a field, a blank, a quote, a parenthesis."""
    return _FIELD.match(source) is not None or (not is_path(source) and any(char in source for char in ' "()'))


def is_path(source: str) -> bool:
    """Whether it can only be meant as a file: people who look for one by mistake are not shown a conversation."""
    if _FIELD.match(source):
        return False
    has_folders = "/" in source and " " not in source
    return has_folders or _PATH.match(source) is not None or source.endswith((".jsonl", ".json"))


def by_number(source: str, vault: FileVault) -> Kept:
    """The conversation of the n-th hit of the last search; one that has the number for an id wins.

    `SourceUnreadable` when there is neither.
    """
    own = own_number(source, vault)
    if own is not None:
        return own
    found = named(vault, [recalled(source, vault).conversation])
    if not found:
        raise SourceUnreadable(f"{source}: what the last search found under this number is not kept any more")
    return found[0]


def own_number(source: str, vault: FileVault) -> Kept | None:
    """The conversation that has the number for an id, or for the name of its file where it has no other."""
    found = [kept for kept in find(vault, source) if kept.id == source or _NAMELESS.fullmatch(kept.id[len(source) :])]
    return found[0] if found else None


def recalled(source: str, vault: FileVault) -> Remembered:
    """What the number stands for since the last search; `SourceUnreadable` when there is no such hit."""
    hit = recall(vault.root).hit(int(source))
    if hit is None:
        raise SourceUnreadable(
            f"{source}: no file, no id, and no hit of the last search has this number; `chorus search` numbers its hits"
        )
    return hit


def by_query(source: str, vault: FileVault) -> Kept | None:
    """The one conversation that answers the query; None when none does.

    `SourceUnreadable` when several do: the newest are listed, and can then be named by their numbers. What has not the
    form of a query may be one, but its mistakes are not told: it was meant as something else.
    """
    try:
        query = read_query([source])
    except QueryError:
        if is_query(source):
            raise
        return None
    if query.root is None:
        return None

    found = _answering(query, vault, _FEW)
    if len(found.rows) > 1:
        _refuse(source, found.rows, vault, has_more=found.has_more)
    return next(iter(named(vault, [row.name for row in found.rows])), None)


def all_by_query(words: Sequence[str], vault: FileVault) -> list[str]:
    """The names of all conversations that answer the query."""
    query = read_query(words)
    return [row.name for row in _answering(query, vault, ALL).rows]


def _answering(query: Query, vault: FileVault, limit: int) -> Answering:
    costs = Costs(config.home_of(vault.root))
    found = ask(vault, lambda index: answering(index, vault, query, limit=limit), cost_of=costs.cost_of)
    return found or Answering([])


def _refuse(source: str, rows: list[ConversationRow], vault: FileVault, *, has_more: bool) -> None:
    remember(vault.root, LastSearch(query=source, hits=[Remembered(row.name) for row in rows]))
    now = datetime.now(UTC)
    names, called = short_ids(row.id for row in rows), config.workspace_names(vault.root)
    cells = [
        (
            number,
            Forms(row.id, names[row.id]),
            age(row.session.ended_at, now),
            safe_line(called.of(row.workspace, row.session.cwd)),
            safe_line(row.title),
        )
        for number, row in enumerate(rows, 1)
    ]
    click.echo(table("Candidates", _COLUMNS, cells, on=sys.stderr), err=True, nl=False)
    command = click.get_current_context().command_path
    many = f"more than {len(rows)}" if has_more else str(len(rows))
    raise SourceUnreadable(
        f"{source}: {many} conversations answer this; write more, or take one by its number: {command} 2"
    )
