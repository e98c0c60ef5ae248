"""Find conversations named on the command line by id, number or query, next to files, folders and standard input."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct, field

from chorus.base import config
from chorus.errors import SourceUnreadable
from chorus.find.search.last_search import is_number
from chorus.keep.archive.listing import SHORTEST, Kept, conversations, find
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import is_safe_name

if TYPE_CHECKING:
    from chorus.keep.archive.reading import KeptReading

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ID = re.compile(r"[0-9a-fA-F][0-9a-fA-F-]{7,35}")
_NAMELESS = re.compile(r"-[0-9a-f]{8}")
"""The suffix after the file name in the id of a conversation whose file names no session."""
_MAX_NAMED = 5


class Named(Struct):
    """The meaning of sources: files and folders as typed, and conversations of the vault."""

    files: list[str] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)


def vault_option(command: _Command) -> _Command:
    """Add the option `--vault DIR`."""
    return click.option(
        "--vault",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Home of Chorus; else $CHORUS_HOME, else ~/.chorus.",
    )(command)


def open_vault(vault: str | None) -> FileVault:
    """Return the vault for reading. Creates nothing."""
    return FileVault(config.vault_for(vault, Path.cwd()))


def named(sources: Sequence[str], vault: FileVault) -> Named:
    """Return the meaning of each source: a file or folder, else an id, a number of the last search, or a query.

    Raises `SourceUnreadable` for an unknown id or number, for a query that several conversations answer, and for a word
    that none answers. A path without a file is treated as a file.
    """
    from chorus.keep.sources.files import STDIN

    found = Named()
    for source in sources:
        is_there = source == STDIN or os.path.lexists(source)
        kept = None if is_there else _kept(source, vault)
        if kept is None:
            if not is_there:
                _refuse_word(source, vault)
            found.files.append(source)
        elif kept not in found.kept:
            found.kept.append(kept)
    return found


def is_named(source: str, vault: FileVault) -> bool:
    """Whether a source is, or can only mean, a file, an id or a number; anything else is a query."""
    from chorus.keep.sources.files import STDIN

    if source == STDIN or os.path.lexists(source) or is_number(source) or _ID.fullmatch(source):
        return True
    if _by_id(source, vault) is not None:
        return True
    from chorus.cli.named_by_query import is_path

    return is_path(source)


def the_one(source: str, vault: FileVault) -> Kept:
    """Return the conversation named by the beginning of its id, a number of the last search, or a query.

    Raises `SourceUnreadable` if there is none, or more than one.
    """
    kept = _kept(source, vault)
    if kept is None:
        raise SourceUnreadable(_unknown(source, vault.root))
    return kept


def refuse_without_vault(vault: FileVault) -> None:
    """Raise `SourceUnreadable` if there is no vault; for commands that report on all of it."""
    if not vault.root.is_dir():
        raise SourceUnreadable(
            f"{vault.root}: there is no vault here; `chorus sync` creates one, --vault names another"
        )


def all_kept(vault: FileVault) -> list[Kept]:
    """Return every conversation of the vault. Raises `SourceUnreadable` if there is no vault."""
    refuse_without_vault(vault)
    return list(conversations(vault))


def counted_in_vault(
    vault: FileVault, kept: Sequence[Kept], failures: list[SourceUnreadable]
) -> Iterator["KeptReading"]:
    """Yield each stream of the conversations for the caller to read; then add its damage to `failures`."""
    from chorus.cli.progress import progress
    from chorus.keep.archive.reading import KeptReading

    with progress("Counting", [str(vault.path(key)) for each in kept for key in each.content]) as advance:
        for each in kept:
            sizes = each.sizes
            for key in each.content:
                reading = KeptReading(vault, key, each)
                yield reading
                advance(sizes[key.stream])
                if reading.damaged:
                    failures.append(SourceUnreadable(damage(reading)))


def damage(reading: "KeptReading") -> str:
    """Return the message about a stored stream that was read without its damaged lines."""
    noun = "line" if reading.damaged == 1 else "lines"
    return f"{reading.name}: {reading.damaged} damaged {noun} left out; `chorus doctor --full` lists them"


def _kept(source: str, vault: FileVault) -> Kept | None:
    """Return the conversation that `source` names; None if it must be a file, so that file errors apply."""
    if is_number(source):
        from chorus.cli.named_by_query import by_number

        return by_number(source, vault)
    kept = _by_id(source, vault)
    if kept is not None:
        return kept
    if _ID.fullmatch(source):
        # A conversation that only mentions this id is not the one that was meant.
        raise SourceUnreadable(_unknown(source, vault.root))
    from chorus.cli.named_by_query import by_query, is_path, is_query

    if is_path(source):
        return None
    kept = by_query(source, vault)
    if kept is None and is_query(source):
        raise SourceUnreadable(f"{source}: no file, and no conversation in {vault.root} answers this query")
    return kept


def _refuse_word(source: str, vault: FileVault) -> None:
    """Raise `SourceUnreadable` if the source names nothing and is no path, which the error of its file explains."""
    from chorus.cli.named_by_query import is_path

    if not is_path(source):
        raise SourceUnreadable(f"{source}: no file, and no conversation in {vault.root} answers this")


def _by_id(source: str, vault: FileVault) -> Kept | None:
    """Return the conversation whose id begins with `source` (four characters or more); None if there is none.

    Raises `SourceUnreadable` if there are several.
    """
    if not is_safe_name(source):
        return None
    found = find(vault, source)
    if len(source) < SHORTEST:
        # A file that names no session gives its conversation its own name, which may be short and must be complete.
        found = [kept for kept in found if kept.id == source or _NAMELESS.fullmatch(kept.id[len(source) :])]
    if len(found) > 1:
        ids = ", ".join(kept.id for kept in found[:_MAX_NAMED])
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        raise SourceUnreadable(f"{source}: {len(found)} ids begin with this: {ids}{more}; type more of the id")
    return found[0] if found else None


def _unknown(source: str, root: Path) -> str:
    if len(source) < SHORTEST:
        return (
            f"{source}: type at least {SHORTEST} characters of an id, or a query; `chorus list` lists the conversations"
        )
    return f"{source}: no file, and no conversation with this id in {root}; `chorus list` lists the conversations"
