"""Conversations named on the command line by their ids, beside files, folders and standard input."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct, field

from chorus import config
from chorus.archive.kept import SHORTEST, Kept, find
from chorus.archive.reading import KeptReading
from chorus.capture.files import STDIN
from chorus.errors import SourceUnreadable
from chorus.store.files import FileVault
from chorus.store.keys import is_safe_name

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ID = re.compile(r"[0-9a-fA-F][0-9a-fA-F-]{7,35}")
_MOST_NAMED = 5


class Named(Struct):
    """What sources name: files and folders as they were written, and conversations of the vault."""

    files: list[str] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)


def vault_option(command: _Command) -> _Command:
    """`--vault DIR`: where conversations are kept."""
    return click.option(
        "--vault",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Chorus' home; else $CHORUS_HOME, else ~/.chorus.",
    )(command)


def open_vault(vault: str | None) -> FileVault:
    """The vault in Chorus' home, for reading; nothing is made."""
    return FileVault(config.vault_for(vault, Path.cwd()))


def named(sources: Sequence[str], vault: FileVault) -> Named:
    """What each source means. A file or folder of that name wins; `SourceUnreadable` for an id that is not kept."""
    found = Named()
    for source in sources:
        kept = None if source == STDIN or os.path.lexists(source) else _kept(source, vault)
        if kept is None:
            found.files.append(source)
        elif kept not in found.kept:
            found.kept.append(kept)
    return found


def the_one(prefix: str, vault: FileVault) -> Kept:
    """The one conversation that a person means by the beginning of its id; `SourceUnreadable` when there is none."""
    kept = _kept(prefix, vault)
    if kept is None:
        raise SourceUnreadable(_unknown(prefix, vault.root))
    return kept


def counted_in_vault(vault: FileVault, kept: Sequence[Kept], failures: list[SourceUnreadable]) -> Iterator[KeptReading]:
    """Each stream of the conversations, to be read by who counts; damage found on the way is added to `failures`."""
    for key in (key for each in kept for key in each.content):
        reading = KeptReading(vault, key)
        yield reading
        if reading.damaged:
            failures.append(SourceUnreadable(damage(reading)))


def damage(reading: KeptReading) -> str:
    """What to say of a kept stream that was read without its damaged lines."""
    noun = "line" if reading.damaged == 1 else "lines"
    return f"{reading.name}: {reading.damaged} damaged {noun} left out; `chorus doctor --full` tells which"


def _kept(source: str, vault: FileVault) -> Kept | None:
    """None for what cannot be an id, so that it is looked for among files, with their errors."""
    is_id = _ID.fullmatch(source) is not None
    if not is_safe_name(source):
        return None
    found = find(vault, source)
    if len(source) < SHORTEST:
        # A log that names no session bears the name of its file, however short; a part of it names nothing.
        found = [kept for kept in found if kept.id == source]
    if not found:
        if is_id:
            raise SourceUnreadable(_unknown(source, vault.root))
        return None
    if len(found) > 1:
        ids = ", ".join(kept.id for kept in found[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise SourceUnreadable(f"{source}: {len(found)} conversations begin so: {ids}{more}; write more of the id")
    return found[0]


def _unknown(source: str, root: Path) -> str:
    if len(source) < SHORTEST:
        return f"{source}: write at least {SHORTEST} characters of an id; `chorus list` names those kept"
    return f"{source}: no file, and no conversation of this id in {root}; `chorus list` names those kept"
