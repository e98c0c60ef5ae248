"""Forgets a conversation: the one exception to "nothing is dropped", and only if a person asks for it.

The tombstone is written first, and is durable before the first byte is removed. If the process is killed in between,
nothing that was meant to be forgotten is stored again, and forgetting it again finishes the work.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from chorus.errors import ChorusError, VaultTooNew
from chorus.keep.archive.annotations import forget_annotations
from chorus.keep.archive.listing import Kept, conversations
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.restore.blobs import is_blob_name
from chorus.keep.restore.manifest_history import blobs_named, manifest_key
from chorus.keep.restore.traces import remove_traces
from chorus.keep.snapshots.retention import forget_everywhere
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import Damaged, Vault
from chorus.keep.vault.tombstones import Tombstone, add_tombstones


class Removal(Struct, frozen=True):
    """What would be removed with a conversation."""

    kept: Kept
    lines: int
    size_bytes: int
    """The size of its streams in their sources."""
    side_files: int
    sources: tuple[str, ...]
    """The sources of its streams; these files belong to the client and stay."""
    blobs: frozenset[str]


def is_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def matching(vault: Vault, pattern: str) -> list[Kept]:
    """Return the conversations whose source path, id or name matches a shell pattern (`*` also matches `/`)."""
    return [kept for kept in conversations(vault) if any(fnmatchcase(name, pattern) for name in _names(vault, kept))]


def _names(vault: Vault, kept: Kept) -> list[str]:
    return [kept.id, kept.name, *(source.path for source in manifest_of(vault, kept).sources.values())]


def planned_removal(vault: Vault, kept: Kept) -> Removal:
    """Return what forgetting a conversation would remove."""
    lines = size = 0
    for key in kept.keys:
        for line in vault.lines(key):
            lines += 1
            size += 0 if isinstance(line, Damaged) else len(line.bytes)
    manifest = manifest_of(vault, kept)
    sources = tuple(source.path for source in manifest.sources.values())
    blobs = frozenset(blobs_named(vault, manifest_key(kept.keys[0])))
    return Removal(kept, lines, size, len(manifest.side_files), sources, blobs)


class RunsOfSessions(Protocol):
    """What forgetting needs to know about runs."""

    def working_on(self, sessions: AbstractSet[str]) -> tuple[str, str] | None:
        """Return the ids of one of these sessions and of a live run that works on it, if there is one."""

    def forget(self, sessions: AbstractSet[str]) -> None:
        """Remove everything that is stored about the runs of these sessions."""


def forget(
    vault: FileVault,
    removals: Sequence[Removal],
    runs: RunsOfSessions,
    *,
    time: str,
    pattern: str | None,
    home: Path | None = None,
) -> int:
    """Remove the conversations, their snapshots, and the blobs that only they refer to. Returns the number of blobs.

    `home` is the home of Chorus, if the vault is that of a workspace.

    No sync may run at the same time: it would bring back what it is about to write. Raises ChorusError, and removes
    nothing, while a run works on one of the conversations.
    """
    if vault.is_too_new:
        raise VaultTooNew(f"{vault.root} was written by a newer Chorus: upgrade Chorus to change it")
    sessions = {each.kept.id for each in removals}
    if working := runs.working_on(sessions):
        session, run = working
        raise ChorusError(f"{session}: run {run} works on it; `chorus stop {run}` first")
    # First: if this is interrupted, the conversations are still there to be forgotten again.
    forget_everywhere(home or vault.root, sessions)
    add_tombstones(vault.root, [Tombstone(each.kept.id, time, pattern) for each in removals])
    for each in removals:
        for key in each.kept.keys:
            vault.forget(key)
        _remove_folder(vault.root, each.kept)
    blobs = frozenset[str]().union(*(each.blobs for each in removals))
    removed = vault.forget_blobs(sorted(name for name in blobs - _named(vault) if is_blob_name(name)))
    vault.forget_traces()
    remove_traces(vault.root, sessions, blobs)
    forget_annotations(vault.root, sessions)
    runs.forget(sessions)
    return removed


def _named(vault: Vault) -> frozenset[str]:
    """Return every blob that a conversation of the vault refers to."""
    manifests = {manifest_key(key) for key in list(vault.keys())}
    return frozenset[str]().union(*(blobs_named(vault, key) for key in manifests))


def _remove_folder(root: Path, kept: Kept) -> None:
    # The folder stays if it contains anything else; it has no bytes of the conversation.
    with suppress(OSError):
        (root / "conversations" / kept.workspace / kept.agent / kept.id).rmdir()
