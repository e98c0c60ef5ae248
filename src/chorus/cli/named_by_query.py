"""Find the conversation that a person names with a query, or with the number of a hit of the last search."""

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
    Column("Workspace", drop_rank=1, min_width=14),
    Column("Title", min_width=34, preferred_width=48),
)
_FIELD = re.compile(
    rf"[-(]*(?:(?:{'|'.join(HINTS)}):|[A-Za-z]{{2,}}:[^\s:/\\]|(?:{'|'.join(MEASURES)})\s*[<>=])", re.IGNORECASE
)
"""A field of a query, or a text that the parser treats as a mistyped field."""
_NAMELESS = re.compile(r"-[0-9a-f]{8}")
"""The suffix after the file name in the id of a conversation whose file names no session."""
_PATH = re.compile(r"~|\.{0,2}/|[A-Za-z]:\\")


def is_query(source: str) -> bool:
    """Whether the source looks like a query: it has a field, a space, a quote or a parenthesis."""
    return _FIELD.match(source) is not None or (not is_path(source) and any(char in source for char in ' "()'))


def is_path(source: str) -> bool:
    """Whether the source can only mean a file, so that a mistyped path never opens a conversation."""
    if _FIELD.match(source):
        return False
    has_folders = "/" in source and " " not in source
    return has_folders or _PATH.match(source) is not None or source.endswith((".jsonl", ".json"))


def by_number(source: str, vault: FileVault) -> Kept:
    """Return the conversation of the n-th hit of the last search; a conversation whose id is the number wins.

    Raises `SourceUnreadable` if there is neither.
    """
    own = own_number(source, vault)
    if own is not None:
        return own
    found = named(vault, [recalled(source, vault).conversation])
    if not found:
        raise SourceUnreadable(
            f"{source}: the conversation that the last search found under this number is no longer in the vault"
        )
    return found[0]


def own_number(source: str, vault: FileVault) -> Kept | None:
    """Return the conversation whose id, or whose file name if its file names no session, is this number; else None."""
    found = [kept for kept in find(vault, source) if kept.id == source or _NAMELESS.fullmatch(kept.id[len(source) :])]
    return found[0] if found else None


def recalled(source: str, vault: FileVault) -> Remembered:
    """Return the hit of the last search with this number. Raises `SourceUnreadable` if there is none."""
    hit = recall(vault.root).hit(int(source))
    if hit is None:
        raise SourceUnreadable(
            f"{source}: no file, no id, and no hit of the last search has this number; `chorus search` numbers its hits"
        )
    return hit


def by_query(source: str, vault: FileVault) -> Kept | None:
    """Return the only conversation that answers the query; None if there is none.

    Raises `SourceUnreadable` if several answer it: the newest are listed, and can then be named by their numbers.
    Raises `QueryError` only for a source that looks like a query; any other invalid query returns None, because the
    person meant something else.
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
    """Return the names of all conversations that answer the query."""
    query = read_query(words)
    return [row.name for row in _answering(query, vault, ALL).rows]


def _answering(query: Query, vault: FileVault, limit: int) -> Answering:
    costs = Costs(config.home_of(vault.root))
    found = ask(vault, lambda index: answering(index, vault, query, limit=limit), cost_of=costs.cost_of)
    return found or Answering([])


def _refuse(source: str, rows: list[ConversationRow], vault: FileVault, *, has_more: bool) -> None:
    remember(vault.root, LastSearch(query=source, hits=[Remembered(row.name) for row in rows]))
    now = datetime.now(UTC)
    names, workspaces = short_ids(row.id for row in rows), config.workspace_names(vault.root)
    cells = [
        (
            number,
            Forms(row.id, names[row.id]),
            age(row.session.ended_at, now),
            safe_line(workspaces.of(row.workspace, row.session.cwd)),
            safe_line(row.title),
        )
        for number, row in enumerate(rows, 1)
    ]
    click.echo(table("Candidates", _COLUMNS, cells, on=sys.stderr), err=True, nl=False)
    command = click.get_current_context().command_path
    many = f"more than {len(rows)}" if has_more else str(len(rows))
    raise SourceUnreadable(
        f"{source}: {many} conversations answer this; write a longer query, or choose one by its number: {command} 2"
    )
