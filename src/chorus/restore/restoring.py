"""A conversation back where the client finds it: every file as it was, none overwritten unasked."""

from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from chorus.archive.kept import AGENT_PREFIX, Kept
from chorus.errors import ChorusError
from chorus.restore.originals import LeftOut, Original, content_of, plan
from chorus.restore.writing import There, look, touch, write
from chorus.store.keys import StreamKey
from chorus.store.port import Vault


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
    if look(original, b"") is There.NOTHING:
        return There.NOTHING
    data = _content(vault, original)
    return look(original, data) if isinstance(data, bytes) else There.NOTHING


def _give(vault: Vault, original: Original, found: There, done: Restored) -> None:
    data = _content(vault, original)
    if isinstance(data, LeftOut):
        done.left_out.append(data)
        return
    if found is There.IDENTICAL:
        touch(original)
        done.files.append(Given(str(original.path), len(data), "identical"))
        return
    is_new = found is There.NOTHING
    write(original, data, replace=not is_new)
    done.files.append(Given(str(original.path), len(data), "written" if is_new else "replaced"))


def _content(vault: Vault, original: Original) -> bytes | LeftOut:
    """The bytes of a file; of the session itself they must be whole."""
    try:
        data = content_of(vault, original)
    except ValueError as error:
        if isinstance(original.content, StreamKey) and not original.content.stream.startswith(AGENT_PREFIX):
            raise ChorusError(
                f"the vault is damaged: {error}; an earlier --revision may be whole, 'chorus verify' shows all damage"
            ) from error
        return LeftOut(str(original.path), f"the vault is damaged: {error}")
    return LeftOut(str(original.path), "the vault has no content for it") if data is None else data
