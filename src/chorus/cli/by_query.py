"""Conversations named by what they hold: a query that one of them answers, or a number of the last search."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from chorus.archive.kept import Kept, find, named
from chorus.cli.age import age
from chorus.cli.asking import Deadline, ask, read_query
from chorus.cli.output import printable
from chorus.cli.safely import shortened
from chorus.errors import QueryError, SourceUnreadable
from chorus.finding.answers import looks_at_each
from chorus.finding.costs import Costs
from chorus.finding.remembered import LastSearch, Remembered, recall, remember
from chorus.finding.texts import Texts
from chorus.index.port import Index
from chorus.index.rows import ConversationRow
from chorus.query.keys import HINTS
from chorus.query.tree import MEASURES
from chorus.store.files import FileVault

_FEW, _ALL = 5, 1 << 30
_TITLE = 60
_FIELD = re.compile(
    rf"[-(]*(?:(?:{'|'.join(HINTS)}):|[A-Za-z]{{2,}}:[^\s:/\\]|(?:{'|'.join(MEASURES)})\s*[<>=])", re.IGNORECASE
)
"""A field as a query has it, or what the parser takes for a mistyped one."""
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
    hit = recall(vault.root).hit(int(source))
    own = [kept for kept in find(vault, source) if kept.id == source]
    if own:
        return own[0]
    if hit is None:
        raise SourceUnreadable(_no_such_number(source))
    found = named(vault, [hit.conversation])
    if not found:
        raise SourceUnreadable(f"{source}: what the last search found under this number is not kept any more")
    return found[0]


def recalled(source: str, vault: FileVault) -> Remembered:
    """What the number stands for since the last search; `SourceUnreadable` when there is no such hit."""
    hit = recall(vault.root).hit(int(source))
    if hit is None:
        raise SourceUnreadable(_no_such_number(source))
    return hit


def _no_such_number(source: str) -> str:
    return f"{source}: no file, no id, and no hit of the last search has this number; `chorus search` numbers its hits"


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

    def act(index: Index) -> tuple[list[ConversationRow], bool]:
        late = Deadline() if looks_at_each(query.root) else None
        found = index.conversations(query, limit=_FEW, text_of=Texts(index, vault).text, is_late=late)
        if late is not None and late.has_passed and len(found[0]) < 2:
            raise SourceUnreadable(f"{source}: time ran out before all was looked at; narrow it down, as with after:7d")
        return found

    rows, has_more = ask(vault, act, cost_of=Costs(vault.root).cost_of) or ([], False)
    if len(rows) > 1:
        _refuse(source, rows, vault, has_more=has_more)
    return next(iter(named(vault, [rows[0].name])), None) if rows else None


def all_by_query(words: Sequence[str], vault: FileVault) -> list[str]:
    """The names of all conversations that answer the query; `SourceUnreadable` when not all could be looked at."""
    query = read_query(words)

    def act(index: Index) -> list[str]:
        late = Deadline() if looks_at_each(query.root) else None
        rows, _ = index.conversations(query, limit=_ALL, text_of=Texts(index, vault).text, is_late=late)
        if late is not None and late.has_passed:
            raise SourceUnreadable(f"{query.text}: time ran out before all was looked at; narrow it, as with after:7d")
        return [row.name for row in rows]

    return ask(vault, act, cost_of=Costs(vault.root).cost_of) or []


def _refuse(source: str, rows: list[ConversationRow], vault: FileVault, *, has_more: bool) -> None:
    remember(vault.root, LastSearch(query=source, hits=[Remembered(row.name) for row in rows]))
    now = datetime.now(UTC)
    for number, row in enumerate(rows, 1):
        facts = f"{age(row.session.ended_at, now):>5}  {printable(row.workspace)}  {row.id[:8]}"
        click.echo(f"  {number}  {shortened(row.title, _TITLE):{_TITLE}}  {facts}", err=True)
    command = click.get_current_context().command_path
    many = f"more than {len(rows)}" if has_more else str(len(rows))
    raise SourceUnreadable(
        f"{source}: {many} conversations answer this; write more, or take one by its number: {command} 2"
    )
