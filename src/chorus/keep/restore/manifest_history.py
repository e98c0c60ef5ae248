"""Reads all lines of a manifest, also those about old contents of side files, which are still stored."""

from collections.abc import Iterator

import msgspec

from chorus.keep.archive.listing import MANIFEST_STREAM
from chorus.keep.archive.manifest import SideFile, Source
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault

_decoder = msgspec.json.Decoder(Source | SideFile)


def manifest_key(key: StreamKey) -> StreamKey:
    """Return the manifest of the conversation that a stream belongs to."""
    return StreamKey(key.workspace, key.agent, key.conversation, MANIFEST_STREAM)


def facts_of(vault: Vault, manifest: StreamKey) -> Iterator[Source | SideFile]:
    """Yield the facts of a manifest in the order in which they were noted; lines that cannot be read are skipped."""
    for line in vault.lines(manifest):
        if not isinstance(line, StoredLine):
            continue
        try:
            yield _decoder.decode(line.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue


def blobs_named(vault: Vault, manifest: StreamKey) -> set[str]:
    """Return every blob that a conversation refers to or referred to."""
    return {fact.blob for fact in facts_of(vault, manifest) if isinstance(fact, SideFile)}
