"""The manifest of a conversation: the sources of its streams, and its side files."""

import msgspec
from msgspec import Struct, field

from chorus.keep.archive.listing import MANIFEST_STREAM, Kept
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault

SESSION_BASE, CONFIG_BASE = "session", "config"


class Source(Struct, frozen=True, kw_only=True, tag="source", rename="camel"):
    """A stream and the file from which it was read."""

    stream: str
    path: str
    config_dir: str | None = None
    project_key: str | None = None
    origin: int | None = None
    """The kind of its location (`core/conversation/authority.py`); None in vaults from before this was noted."""
    is_astray: bool = False
    """Whether it was in the folder of another project than the one it names."""


class Part(Struct, frozen=True, kw_only=True, tag="part", rename="camel"):
    """A stream of records from the source of another conversation."""

    stream: str
    path: str
    origin: int
    is_astray: bool = False


class SideFile(Struct, frozen=True, kw_only=True, tag="side-file", rename="camel"):
    """A side file of the session, stored by its content."""

    path: str
    """Relative to the session's own folder or, with `base` "config", to the client's."""
    base: str = SESSION_BASE
    blob: str
    size: int


class Manifest(Struct):
    """The content of a manifest; if several lines are about the same thing, the last one counts."""

    sources: dict[str, Source] = field(default_factory=dict)
    """By stream."""
    parts: dict[str, Part] = field(default_factory=dict)
    """By stream."""
    kept: dict[str, None] = field(default_factory=dict)
    """Streams in the order in which they were first stored."""
    side_files: dict[tuple[str, str], SideFile] = field(default_factory=dict)
    """By base and path."""
    next_at: int = 0
    """The offset in the vault after its last line."""


_decoder = msgspec.json.Decoder(Source | Part | SideFile)


def manifest_of(vault: Vault, kept: Kept) -> Manifest:
    """Return the manifest of a conversation; lines of other versions of Chorus are skipped."""
    key = next((key for key in kept.keys if key.stream == MANIFEST_STREAM), None)
    return manifest_at(vault, key) if key is not None else Manifest()


def manifest_at(vault: Vault, key: StreamKey) -> Manifest:
    """Return the manifest in this stream; an empty one if there is none."""
    found = Manifest()
    for line in vault.lines(key):
        if isinstance(line, StoredLine):
            found.next_at = line.next_at
            _add(found, line.body)
    return found


def _add(found: Manifest, text: bytes) -> None:
    try:
        fact = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    match fact:
        case Source():
            found.kept[fact.stream] = None
            found.sources[fact.stream] = fact
        case Part():
            found.kept[fact.stream] = None
            found.parts[fact.stream] = fact
        case SideFile():
            found.side_files[fact.base, fact.path] = fact
