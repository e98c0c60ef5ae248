"""What commands that take a query share: how it is typed, read and answered."""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

import click

from chorus.base.zone import local_zone
from chorus.cli.output import complain
from chorus.core.query.parse import parse
from chorus.core.query.tree import Query
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.find.index.sqlite.searching import CostOf
from chorus.find.search.opening import PATIENCE_S, BuildOptions
from chorus.find.search.opening import ask as ask_index
from chorus.find.search.query_forms import conversations
from chorus.keep.vault.files import FileVault

QUERY_SETTINGS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""In a query, `-word` asks for entries without the word: nothing that begins with a dash is an option by its looks."""
PIECE_S = 0.5
"""How long a query looks at entries one by one before what it found is shown. It goes on then, until it is done."""
ALL = 1 << 40
"""More conversations than there are."""
_LIKE_AN_OPTION = 0.8
_Found = TypeVar("_Found")


class Deadline:
    """Says when it is time to show what was found."""

    def __init__(self) -> None:
        self._end = time.monotonic() + PIECE_S

    def __call__(self) -> bool:
        return time.monotonic() > self._end


class Answering(NamedTuple):
    """Conversations that answer a query."""

    rows: list[ConversationRow]
    has_more: bool = False


def answering(index: Index, vault: FileVault, query: Query, *, limit: int, hides_archived: bool = False) -> Answering:
    """The conversations that answer a query, in the order of the index; all of it is looked at."""
    return Answering(*conversations(index, vault, query, limit=limit, hides_archived=hides_archived))


def read_query(words: Sequence[str]) -> Query:
    """The query that a person typed in one or more words; `QueryError` points at what makes no sense."""
    return parse(" ".join(words), now=datetime.now(local_zone()))


def refuse_mistyped_options(ctx: click.Context, words: Sequence[str]) -> None:
    """What looks like an option of the command, and is none, is not taken for a word to search for."""
    options = [name for option in ctx.command.params for name in option.opts if name.startswith("--")]
    for word in words:
        if not word.startswith("--"):
            continue
        from difflib import get_close_matches

        meant = get_close_matches(word.partition("=")[0], options, cutoff=_LIKE_AN_OPTION)
        if meant:
            raise click.NoSuchOption(word, possibilities=meant, ctx=ctx)
    if list(words) == ["-h"]:
        click.echo(ctx.get_help())
        ctx.exit()


def ask(vault: FileVault, act: Callable[[Index], _Found], *, cost_of: CostOf | None = None) -> _Found | None:
    """What `act` finds in the index, which is made if need be; None when nothing is kept."""

    @contextmanager
    def bar() -> Generator[Callable[[int], None], None, None]:
        from chorus.cli.progress import progress
        from chorus.keep.archive.listing import conversations

        kept = conversations(vault) if sys.stderr.isatty() else ()
        with progress("Indexing", [str(vault.path(key)) for each in kept for key in each.content]) as advance:
            yield advance

    return ask_index(vault, act, BuildOptions(datetime.now(UTC), bar, complain, PATIENCE_S), cost_of=cost_of)
