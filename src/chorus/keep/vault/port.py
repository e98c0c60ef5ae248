"""The `Vault` port: the source of truth. It has append-only streams of lines, and blobs addressed by their content."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from msgspec import Struct

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine


class Tail(Struct, frozen=True):
    """Where a stream ends, and an append continues."""

    revision: int = 0
    offset: int = 0
    """The offset of the next byte of the source."""
    seq: int = 0
    """The number of the next line."""


class Damaged(Struct, frozen=True):
    """A damaged or missing line of the vault. It is left where it is, reported and skipped."""

    key: StreamKey
    number: int
    """The number of the line in the stream's file, from 1."""
    reason: str


class Vault(Protocol):
    """Where captured bytes are stored. Synchronous; one process may use it from several threads."""

    def keys(self) -> Iterator[StreamKey]:
        """Yield every stream, sorted by name."""
        ...

    def streams(self, owner: str) -> list[StreamKey]:
        """Return the sorted streams of one conversation (`StreamKey.owner`), without reading the others."""
        ...

    def tail(self, key: StreamKey) -> Tail:
        """Return where the stream ends; `Tail()` if it is empty. No other process can append to it until `flush`."""
        ...

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        """Store `data`, which follows the stored part of the source's current revision, and return the new end.

        `data` is split at newlines; a last line without a newline is stored as it is. After the return all readers see
        the lines; they survive a crash only after `flush`. Raises VaultUnwritable, and stores nothing of `data`, if
        that fails or if another process wrote since `tail` returned the end. Nothing is stored for empty `data`, except
        after `revise`: then it begins the revision, which consists of the valid prefix alone.
        """
        ...

    def revise(self, key: StreamKey, prefix: int) -> Tail:
        """Announce a rewritten source of which `prefix` bytes are still valid. The next append follows them.

        Nothing that was stored is changed. `prefix` must be the end of a line (or 0). Raises ValueError if fewer bytes
        were stored. The revision begins with the next `append`: until then the stream reads as before.
        """
        ...

    def lines(self, key: StreamKey, start: int = 0) -> Iterator[StoredLine | Damaged]:
        """Yield every line of the stream as it was stored, all revisions in turn, from the offset `start` on.

        The offset of a line is its `at`; the next line is at its `next_at`.
        """
        ...

    def line_at(self, key: StreamKey, at: int) -> StoredLine | None:
        """Return the line at this offset, or None if there is none or it is damaged."""
        ...

    def missing(self, key: StreamKey, revision: int) -> str | None:
        """Return what was acknowledged of a revision and is gone, beyond what `lines` reports; None if nothing is."""
        ...

    def put_blob(self, data: bytes) -> str:
        """Store `data` by its content, and return its name. The same content is stored once."""
        ...

    def blob(self, name: str) -> bytes | None:
        """Return the content of that name, or None if it does not exist or does not match its name."""
        ...

    def blob_pieces(self, name: str) -> Iterator[bytes] | None:
        """Return the same content in pieces of limited size, or None. It is compared with its name first.

        The iterator raises ValueError if the content changes while it is read.
        """
        ...

    def flush(self) -> None:
        """Return when everything appended and put so far would survive a crash, and let other processes append.

        Raises VaultUnwritable if that failed. Nothing is lost then, and a later call can succeed.
        """
        ...

    def seal(self, key: StreamKey) -> None:
        """Pack the stream; it reads as before, and the next append unpacks it."""
        ...

    def seal_all(self, keys: Iterable[StreamKey]) -> set[StreamKey]:
        """Pack many streams, and return those that are packed now. A stream that is being written is left as it is."""
        ...

    def forget(self, key: StreamKey) -> None:
        """Remove every byte of the stream.

        This is the one exception to an append-only vault, and only a person requests it.
        """
        ...


class Content:
    """The source in one revision, read from the vault in pieces."""

    def __init__(self, vault: Vault, key: StreamKey, stretches: list["_Stretch"]) -> None:
        self._vault = vault
        self._key = key
        self._stretches = stretches

    @property
    def size_bytes(self) -> int:
        return self._stretches[-1].end if self._stretches else 0

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes line by line. Raises ValueError if the vault changed after this object was created."""
        offset = 0
        for stretch in self._stretches:
            for line in self._vault.lines(self._key, stretch.at):
                if isinstance(line, Damaged):
                    continue
                if line.head.revision != stretch.revision or line.head.offset != offset:
                    break
                piece = line.bytes[: stretch.end - offset]
                offset += len(piece)
                yield piece
                if offset == stretch.end:
                    break
            if offset != stretch.end:
                raise ValueError(_hole(self._key, None, offset))


class _Stretch(Struct):
    """Consecutive lines of one revision."""

    at: int
    """The vault offset of the first line."""
    revision: int
    start: int
    end: int
    """`start` and `end` are the range of bytes in the source."""


def content(vault: Vault, key: StreamKey, revision: int | None = None) -> Content:
    """Return the source in a revision (by default the last one). All lines are checked; none is held in memory.

    Raises ValueError at the first gap, and if an acknowledged end is missing: incomplete bytes are not the source.
    """
    kept: list[_Stretch] = []
    size = current = 0
    damage: Damaged | None = None
    hole: str | None = None
    """What is wrong with the current revision.

    A later revision is not affected if it follows only what comes before that.
    """
    for line in vault.lines(key):
        if isinstance(line, Damaged):
            damage = damage or line
            continue
        head = line.head
        if revision is not None and head.revision > revision:
            break
        if head.revision != current:
            current = head.revision
            if head.follows is not None and head.follows <= size:
                size = head.follows
                kept = _cut(kept, size)
                damage = hole = None
            else:
                hole = hole or _hole(key, damage, size)
        if hole is None and head.offset != size:
            hole = _hole(key, damage, size)
        if hole is None:
            # Lines that follow without a gap were stored again after the damage.
            damage = None
            if not kept or kept[-1].revision != current:
                kept.append(_Stretch(line.at, current, size, size))
            size += len(line.bytes)
            kept[-1].end = size
    else:
        hole = hole or ((missing := vault.missing(key, current)) and f"{key.stream}: {missing}")
    if hole is None and damage is not None:
        hole = _hole(key, damage, size)
    if hole is not None:
        raise ValueError(hole)
    return Content(vault, key, kept if revision is None or revision == current else [])


def contents(vault: Vault, key: StreamKey, revision: int | None = None) -> bytes:
    """Return all bytes of the source in a revision. Only for sources that are known to be small; else use `content`."""
    return b"".join(content(vault, key, revision).pieces())


def _cut(stretches: list[_Stretch], size: int) -> list[_Stretch]:
    """Return the stretches up to this many bytes."""
    left = [stretch for stretch in stretches if stretch.start < size]
    if left:
        left[-1].end = min(left[-1].end, size)
    return left


def _hole(key: StreamKey, damage: Damaged | None, offset: int) -> str:
    if damage is None:
        return f"byte {offset} of {key.stream} is missing"
    return f"line {damage.number} of {key.stream}: {damage.reason}"
