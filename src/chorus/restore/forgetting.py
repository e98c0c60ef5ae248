"""Forgetting a conversation: the one exception to "nothing is dropped", and only when a person asks for it.

The tombstone comes first and is durable before the first byte goes: whatever is killed in between, nothing that was
meant to go is kept again, and forgetting once more finishes the work.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from chorus.errors import VaultTooNew
from chorus.restore.blobs import remove_blob
from chorus.restore.kept import Kept, conversations
from chorus.store.files import FileVault
from chorus.store.port import Damaged, Vault
from chorus.store.tombstones import Tombstone, bury


class Going(Struct, frozen=True):
    """What would go with a conversation."""

    kept: Kept
    lines: int
    size_bytes: int
    """Of its streams, as the sources had them."""
    side_files: int
    sources: tuple[str, ...]
    """Where its streams came from; those files are the client's and stay."""
    blobs: frozenset[str]


def going(vault: Vault, kept: Kept) -> Going:
    """Look at what forgetting a conversation would remove."""
    lines = size = 0
    for key in kept.streams:
        for line in vault.lines(key):
            lines += 1
            size += 0 if isinstance(line, Damaged) else len(line.bytes)
    manifest = kept.manifest(vault)
    sources = tuple(source.path for source in manifest.sources.values())
    return Going(kept, lines, size, len(manifest.side_files), sources, frozenset(manifest.blobs))


def forget(vault: FileVault, leaving: Sequence[Going], *, time: str, pattern: str | None) -> int:
    """Remove the conversations and the contents that nobody else names; gives the number of those contents."""
    if vault.is_too_new:
        raise VaultTooNew(f"{vault.root} was written by a newer Chorus: upgrade Chorus to change it")
    bury(vault.root, [Tombstone(each.kept.id, time, pattern) for each in leaving])
    for each in leaving:
        for key in each.kept.streams:
            vault.forget(key)
        _remove_folder(vault.root, each.kept)
    orphans = frozenset[str]().union(*(each.blobs for each in leaving)) - _named(vault)
    return sum(1 for name in sorted(orphans) if remove_blob(vault.root, name))


def _named(vault: Vault) -> frozenset[str]:
    """Every content that a conversation names."""
    return frozenset[str]().union(*(kept.manifest(vault).blobs for kept in conversations(vault)))


def _remove_folder(root: Path, kept: Kept) -> None:
    # Left behind where something else lies in it; it holds no bytes of the conversation.
    with suppress(OSError):
        (root / "conversations" / kept.workspace / kept.agent / kept.id).rmdir()
