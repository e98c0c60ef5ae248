"""Shared code of commands that take a query: options, parsing and execution."""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from chorus.base.zone import local_zone
from chorus.cli.output import complain
from chorus.core.query.parse import parse
from chorus.core.query.tree import Query
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.find.index.sqlite.searching import CostOf
from chorus.find.provenance.commit_field import with_commits
from chorus.find.search.opening import PATIENCE_S, BuildOptions
from chorus.find.search.opening import ask as ask_index
from chorus.find.search.query_forms import conversations
from chorus.keep.vault.files import FileVault

PIECE_S = 0.5
"""How long a query examines entries before its hits so far are shown. Then it continues."""
ALL = 1 << 40
"""A limit above any number of conversations."""
_Found = TypeVar("_Found")


class Deadline:
    """Returns true once it is time to show the hits found so far."""

    def __init__(self) -> None:
        self._end = time.monotonic() + PIECE_S

    def __call__(self) -> bool:
        return time.monotonic() > self._end


class Answering(NamedTuple):
    """Conversations that answer a query."""

    rows: list[ConversationRow]
    has_more: bool = False


def answering(index: Index, vault: FileVault, query: Query, *, limit: int, hides_archived: bool = False) -> Answering:
    """Return the conversations that answer a query, in the order of the index."""
    asked = with_commits(query, index, vault)
    return Answering(*conversations(index, vault, asked, limit=limit, hides_archived=hides_archived))


def read_query(words: Sequence[str]) -> Query:
    """Parse a query that was typed as one or more words. Raises `QueryError`, which points at the mistake."""
    return parse(" ".join(words), now=datetime.now(local_zone()))


def ask(vault: FileVault, act: Callable[[Index], _Found], *, cost_of: CostOf | None = None) -> _Found | None:
    """Return what `act` finds in the index, which is built first if needed; None if the vault is empty."""

    @contextmanager
    def bar() -> Generator[Callable[[int], None], None, None]:
        from chorus.cli.progress import progress
        from chorus.keep.archive.listing import conversations

        kept = conversations(vault) if sys.stderr.isatty() else ()
        with progress("Indexing", [str(vault.path(key)) for each in kept for key in each.content]) as advance:
            yield advance

    return ask_index(vault, act, BuildOptions(datetime.now(UTC), bar, complain, PATIENCE_S), cost_of=cost_of)
