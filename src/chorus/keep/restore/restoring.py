"""A conversation back where the client finds it: every file as it was, none overwritten unasked."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from chorus.errors import ChorusError
from chorus.keep.archive.listing import AGENT_PREFIX, Kept
from chorus.keep.restore.originals import LeftOut, Original, pieces_of, plan
from chorus.keep.restore.writing import There, look, touch, write
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault


class Given(Struct, frozen=True):
    """One file that is now as it was."""

    path: str
    size_bytes: int
    outcome: Literal["written", "identical", "replaced"]


class Restored(Struct):
    """What a restore did."""

    session: str
    """The id for `claude --resume`."""
    config_dir: Path
    cwd: str | None
    """The folder to start the client in, when the session tells."""
    files: list[Given] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    """What could not be given back."""


def restore(vault: Vault, kept: Kept, *, to: Path | None, revision: int | None, is_forced: bool) -> Restored:
    """Write the files of a conversation, byte for byte, with the time of now.

    Raises `ChorusError` before anything is written when the session itself cannot be given back, or when a file that
    is there differs and `is_forced` is not set. What else the vault lacks is left out and told.
    """
    planned = plan(vault, kept, to=to, revision=revision)
    done = Restored(planned.session, planned.config_dir, planned.cwd, left_out=list(planned.left_out))
    there = [(original, _look(vault, original)) for original in planned.originals]
    in_the_way = [(original, found) for original, found in there if found not in (There.NOTHING, There.IDENTICAL)]
    if in_the_way and not is_forced:
        original, found = in_the_way[0]
        more = f" (and {len(in_the_way) - 1} more)" if len(in_the_way) > 1 else ""
        raise ChorusError(
            f"{original.path}: {found.value}{more}; nothing was written: pass --force to replace it, or --to a folder"
        )
    for original, found in there:
        _give(vault, original, found, done)
    return done


def _look(vault: Vault, original: Original) -> There:
    # Without content the kind of what lies there is enough; bytes are compared only where there are some.
    if look(original, ()) is There.NOTHING:
        return There.NOTHING
    try:
        return look(original, _pieces(vault, original))
    except _Lacking:
        return There.NOTHING


def _give(vault: Vault, original: Original, found: There, done: Restored) -> None:
    path = str(original.path)
    try:
        pieces = _pieces(vault, original)
        if found is There.IDENTICAL:
            size_bytes = sum(map(len, pieces))
            touch(original)
            done.files.append(Given(path, size_bytes, "identical"))
            return
        is_new = found is There.NOTHING
        size_bytes = write(original, pieces, replace=not is_new)
        done.files.append(Given(path, size_bytes, "written" if is_new else "replaced"))
    except _Lacking as lacking:
        done.left_out.append(LeftOut(path, str(lacking)))


class _Lacking(Exception):  # noqa: N818 - told, not raised to anybody else
    """The vault does not have all of a file; its text says why."""


def _pieces(vault: Vault, original: Original) -> Iterator[bytes]:
    """The bytes of a file, piece by piece; of the session itself they must be whole."""
    try:
        found = pieces_of(vault, original)
    except ValueError as error:
        raise _damaged(original, error) from error
    if found is None:
        raise _Lacking("the vault has no content for it")
    return _whole(original, found)


def _whole(original: Original, pieces: Iterable[bytes]) -> Iterator[bytes]:
    try:
        yield from pieces
    except ValueError as error:
        raise _damaged(original, error) from error


def _damaged(original: Original, error: ValueError) -> ChorusError | _Lacking:
    if isinstance(original.content, StreamKey) and not original.content.stream.startswith(AGENT_PREFIX):
        return ChorusError(
            f"the vault is damaged: {error}; an earlier --revision may be whole, 'chorus verify' shows all damage"
        )
    return _Lacking(f"the vault is damaged: {error}")
