"""Restores a conversation where the client finds it: every file as it was, and none overwritten without permission."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from chorus.errors import ChorusError
from chorus.keep.archive.listing import AGENT_PREFIX, Kept
from chorus.keep.restore.originals import LeftOut, Original, pieces_of, plan
from chorus.keep.restore.writing import ExistingFile, compare_existing, touch, write
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault

Outcome = Literal["written", "identical", "replaced"]


class RestoredFile(Struct, frozen=True):
    """One restored file."""

    path: str
    size_bytes: int
    outcome: Outcome


class Restored(Struct):
    """What a restore did."""

    session: str
    """The id for `claude --resume`."""
    config_dir: Path
    cwd: str | None
    """The folder in which to start the client, if the session states it."""
    files: list[RestoredFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    """What could not be restored."""


def restore(vault: Vault, kept: Kept, *, to: Path | None, revision: int | None, is_forced: bool) -> Restored:
    """Write the files of a conversation, byte for byte, with the current time.

    Raises ChorusError before anything is written if the session itself cannot be restored, or if an existing file
    differs and `is_forced` is not set. Everything else that the vault does not have is listed in `left_out`.
    """
    planned = plan(vault, kept, to=to, revision=revision)
    done = Restored(planned.session, planned.config_dir, planned.cwd, left_out=list(planned.left_out))
    there = [(original, _look(vault, original)) for original in planned.originals]
    conflicts = [
        (original, found) for original, found in there if found not in (ExistingFile.NOTHING, ExistingFile.IDENTICAL)
    ]
    if conflicts and not is_forced:
        original, found = conflicts[0]
        more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
        raise ChorusError(
            f"{original.path}: {found.value}{more}; nothing was written: pass --force to replace it, or --to a folder"
        )
    for original, found in there:
        _restore_file(vault, original, found, done)
    return done


def _look(vault: Vault, original: Original) -> ExistingFile:
    # First check without content whether anything exists; bytes are read from the vault only if it does.
    if compare_existing(original, ()) is ExistingFile.NOTHING:
        return ExistingFile.NOTHING
    try:
        return compare_existing(original, whole_pieces(vault, original))
    except Missing:
        return ExistingFile.NOTHING


def _restore_file(vault: Vault, original: Original, found: ExistingFile, done: Restored) -> None:
    path = str(original.path)
    try:
        pieces = whole_pieces(vault, original)
        if found is ExistingFile.IDENTICAL:
            size_bytes = sum(map(len, pieces))
            touch(original)
            done.files.append(RestoredFile(path, size_bytes, "identical"))
            return
        is_new = found is ExistingFile.NOTHING
        size_bytes = write(original, pieces, replace=not is_new)
        done.files.append(RestoredFile(path, size_bytes, "written" if is_new else "replaced"))
    except Missing as missing:
        done.left_out.append(LeftOut(path, str(missing)))


class Missing(Exception):  # noqa: N818 - no error that people see: a caller lists the file as left out
    """The vault does not have all of a file; the message says why."""


def whole_pieces(vault: Vault, original: Original) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces.

    Raises Missing if the vault does not have all of them, and ChorusError if they are those of the session itself.
    """
    try:
        found = pieces_of(vault, original)
    except ValueError as error:
        raise _damaged(original, error) from error
    if found is None:
        raise Missing("the vault has no content for it")
    return _whole(original, found)


def _whole(original: Original, pieces: Iterable[bytes]) -> Iterator[bytes]:
    try:
        yield from pieces
    except ValueError as error:
        raise _damaged(original, error) from error


def _damaged(original: Original, error: ValueError) -> ChorusError | Missing:
    if isinstance(original.content, StreamKey) and not original.content.stream.startswith(AGENT_PREFIX):
        return ChorusError(
            f"the vault is damaged: {error}; an earlier --revision may be undamaged, 'chorus verify' shows all damage"
        )
    return Missing(f"the vault is damaged: {error}")
