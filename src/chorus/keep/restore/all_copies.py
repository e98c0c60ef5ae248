"""Lists and writes every copy and every revision of a conversation's sources, each as a separate file."""

from pathlib import Path

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.archive.listing import NOTES, Kept
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.restore.originals import LeftOut, Original
from chorus.keep.restore.restoring import RestoredFile
from chorus.keep.restore.writing import ExistingFile, compare_existing, write
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Content, Vault, content


class Version(Struct, frozen=True):
    """A source as it was in one revision."""

    stream: str
    revision: int
    is_last: bool
    size_bytes: int | None
    """None if it cannot be restored."""
    source: str | None
    """The path from which it was read, if it was a file."""
    reason: str = ""
    """Why it cannot be restored."""

    @property
    def file(self) -> str:
        """The name under which it is written."""
        return f"{self.stream}.jsonl" if self.is_last else f"{self.stream}.revision-{self.revision}.jsonl"


def versions(vault: Vault, kept: Kept) -> list[Version]:
    """Return every version of every source of a conversation; all of it is read."""
    sources = manifest_of(vault, kept).sources
    found: list[Version] = []
    for key in kept.keys:
        if key.stream in NOTES:
            continue
        last = max((line.head.revision for line in vault.lines(key) if isinstance(line, StoredLine)), default=0)
        source = sources.get(key.stream)
        for revision in range(last + 1):
            whole = _content(vault, key, revision)
            size, reason = (whole.size_bytes, "") if isinstance(whole, Content) else (None, whole)
            path = source.path if source else None
            found.append(Version(key.stream, revision, revision == last, size, path, reason))
    return found


def restore_all_versions(
    vault: Vault, kept: Kept, to: Path, *, is_forced: bool
) -> tuple[list[RestoredFile], list[LeftOut]]:
    """Write every version below `to`, in a folder named after the conversation. Returns what was written and what not.

    Raises ChorusError, and writes nothing, if an existing file differs and `is_forced` is not set.
    """
    written: list[RestoredFile] = []
    left_out: list[LeftOut] = []
    planned: list[tuple[Original, Content, ExistingFile]] = []
    for each in versions(vault, kept):
        key = StreamKey(kept.workspace, kept.agent, kept.id, each.stream)
        original = Original(to, (kept.id, each.file), key, each.revision)
        whole = _content(vault, key, each.revision)
        if isinstance(whole, str):
            left_out.append(LeftOut(str(original.path), f"the vault is damaged: {whole}"))
            continue
        try:
            there = compare_existing(original, whole.pieces())
        except ValueError as error:
            left_out.append(LeftOut(str(original.path), f"the vault is damaged: {error}"))
            continue
        if there not in (ExistingFile.NOTHING, ExistingFile.IDENTICAL) and not is_forced:
            raise ChorusError(f"{original.path}: {there.value}; nothing was written: pass --force to replace it")
        planned.append((original, whole, there))
    for original, whole, there in planned:
        size_bytes = whole.size_bytes
        if there is not ExistingFile.IDENTICAL:
            try:
                size_bytes = write(original, whole.pieces(), replace=there is not ExistingFile.NOTHING)
            except ValueError as error:
                left_out.append(LeftOut(str(original.path), f"the vault is damaged: {error}"))
                continue
        is_new, is_same = there is ExistingFile.NOTHING, there is ExistingFile.IDENTICAL
        outcome = "identical" if is_same else "written" if is_new else "replaced"
        written.append(RestoredFile(str(original.path), size_bytes, outcome))
    return written, left_out


def _content(vault: Vault, key: StreamKey, revision: int) -> Content | str:
    """Return a version, to be read in pieces, or what is wrong with it."""
    try:
        return content(vault, key, revision)
    except ValueError as error:
        return str(error)
