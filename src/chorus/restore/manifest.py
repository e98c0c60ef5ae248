"""What the vault knows about a conversation beside its lines: where its streams came from, which files lay beside them.

Its lines are read as any stranger's text: the last one for a name wins, unknown ones are passed over.
"""

from typing import Literal

import msgspec
from msgspec import Struct, field

from chorus.store.keys import StreamKey
from chorus.store.port import Damaged, Vault

MANIFEST = "manifest"
"""The stream that holds it."""


class Source(Struct, frozen=True, tag="source", rename="camel"):
    """Where a stream came from."""

    stream: str
    path: str
    config_dir: str | None = None
    """The client's folder; None for a source that lay elsewhere."""
    project_key: str | None = None


class SideFile(Struct, frozen=True, tag="side-file", rename="camel"):
    """A file that lay beside a stream, kept by its content."""

    base: Literal["session", "config"]
    """What `path` is relative to: the session's own folder, or the client's."""
    path: str
    blob: str
    size: int = 0


class Manifest(Struct):
    """The facts that hold."""

    sources: dict[str, Source] = field(default_factory=dict)
    """By stream."""
    side_files: dict[tuple[str, str], SideFile] = field(default_factory=dict)
    """By base and path."""
    blobs: set[str] = field(default_factory=set)
    """Every content that was ever named, by side files since rewritten, too."""
    damaged: list[Damaged] = field(default_factory=list)


_decoder = msgspec.json.Decoder(Source | SideFile)


def manifest_of(vault: Vault, key: StreamKey) -> Manifest:
    """What the manifest stream `key` says; empty when there is none."""
    found = Manifest()
    for line in vault.lines(key):
        if isinstance(line, Damaged):
            found.damaged.append(line)
            continue
        try:
            fact = _decoder.decode(line.body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        match fact:
            case Source():
                found.sources[fact.stream] = fact
            case SideFile():
                found.side_files[fact.base, fact.path] = fact
                found.blobs.add(fact.blob)
    return found
