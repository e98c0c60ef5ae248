"""The `Vault` port: the truth. Streams of lines that are only ever appended to, and blobs by their content."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from msgspec import Struct

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine


class Tail(Struct, frozen=True):
    """Where a stream ends: what an appender goes on from."""

    revision: int = 0
    offset: int = 0
    """The byte of the source that comes next."""
    seq: int = 0
    """The number of the line that comes next."""


class Damaged(Struct, frozen=True):
    """A line of the vault that cannot be trusted: kept where it is, named, passed over."""

    key: StreamKey
    number: int
    """Which line of the stream's file, from 1."""
    reason: str


class Vault(Protocol):
    """Where captured bytes are kept. Synchronous; one process may use it from several threads."""

    def keys(self) -> Iterator[StreamKey]:
        """Every stream, in order of its names."""
        ...

    def streams(self, owner: str) -> list[StreamKey]:
        """The streams of one conversation, by its name (`StreamKey.owner`), in order; without looking at all others."""
        ...

    def tail(self, key: StreamKey) -> Tail:
        """Where the stream ends; `Tail()` when nothing was kept of it. No other can append to it until `flush`."""
        ...

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        """Keep `data`, which follows what is kept of the source's present revision; gives the new end.

        `data` is cut at newlines; a last line without one is kept as it is. After return the lines can be read by all;
        they survive a crash only after `flush`. On `VaultUnwritable` nothing of `data` is kept; so it is, too, when the
        end that `tail` gave is no longer the end because another process wrote. Nothing is kept of empty `data`,
        except after `revise`: then it begins the revision, which is what held and nothing more.
        """
        ...

    def revise(self, key: StreamKey, prefix: int) -> Tail:
        """The source was rewritten: of its revision so far `prefix` bytes hold. What is appended next follows those.

        Nothing that was kept is changed. `prefix` must be the end of a line (or 0); ValueError when so much was never
        kept. A revision begins with the next `append`: until then the stream reads as before.
        """
        ...

    def lines(self, key: StreamKey, start: int = 0) -> Iterator[StoredLine | Damaged]:
        """Every line of the stream as it was kept, all revisions in turn; those from the place `start` on.

        A line's place is its `at`; what comes next is at its `next_at`.
        """
        ...

    def line_at(self, key: StreamKey, at: int) -> StoredLine | None:
        """The line that lies there; None when there is none, or it is damaged."""
        ...

    def missing(self, key: StreamKey, revision: int) -> str | None:
        """What was acknowledged of a revision and is gone, beyond what `lines` tells; None when nothing is known of."""
        ...

    def put_blob(self, data: bytes) -> str:
        """Keep `data` by its content; gives its name. The same content is kept once."""
        ...

    def blob(self, name: str) -> bytes | None:
        """The content of that name; None when it is not there or not what its name says."""
        ...

    def blob_pieces(self, name: str) -> Iterator[bytes] | None:
        """The same content in pieces of a bounded size; it is compared with its name before the first one.

        The iterator raises ValueError when the content changes while it is read.
        """
        ...

    def flush(self) -> None:
        """Return when everything appended and put so far would survive a crash, and let others append.

        `VaultUnwritable` when that failed: nothing is lost by it, and calling it again later makes it good.
        """
        ...

    def seal(self, key: StreamKey) -> None:
        """Pack the stream away; it reads as before, and the next append unpacks it."""
        ...

    def seal_all(self, keys: Iterable[StreamKey]) -> set[StreamKey]:
        """Pack many streams; gives those that are packed now. One that somebody writes at that moment is left."""
        ...

    def forget(self, key: StreamKey) -> None:
        """Remove every byte of the stream. The one exception to what this port promises; asked for by a person."""
        ...


class Content:
    """A source as it was in one revision, read from the vault piece by piece."""

    def __init__(self, vault: Vault, key: StreamKey, stretches: list["_Stretch"]) -> None:
        self._vault = vault
        self._key = key
        self._stretches = stretches

    @property
    def size_bytes(self) -> int:
        return self._stretches[-1].end if self._stretches else 0

    def pieces(self) -> Iterator[bytes]:
        """Its bytes, line by line. ValueError when the vault is no longer as it was when this was made."""
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
    """Lines of one revision that follow each other."""

    at: int
    """Where the first of them lies."""
    revision: int
    start: int
    end: int
    """Which bytes of the source they are."""


def content(vault: Vault, key: StreamKey, revision: int | None = None) -> Content:
    """The source as it was in a revision (the last one by default). All lines are looked at, and none is held.

    Raises ValueError at the first gap, and when an end that was acknowledged is gone: a source with a hole is not the
    source.
    """
    kept: list[_Stretch] = []
    size = present = 0
    damage: Damaged | None = None
    hole: str | None = None
    """What is wrong with the present revision; a later one is none the worse if it follows what came before that."""
    for line in vault.lines(key):
        if isinstance(line, Damaged):
            damage = damage or line
            continue
        head = line.head
        if revision is not None and head.revision > revision:
            break
        if head.revision != present:
            present = head.revision
            if head.follows is not None and head.follows <= size:
                size = head.follows
                kept = _cut(kept, size)
                damage = hole = None
            else:
                hole = hole or _hole(key, damage, size)
        if hole is None and head.offset != size:
            hole = _hole(key, damage, size)
        if hole is None:
            # What follows without a gap was kept again after the damage.
            damage = None
            if not kept or kept[-1].revision != present:
                kept.append(_Stretch(line.at, present, size, size))
            size += len(line.bytes)
            kept[-1].end = size
    else:
        hole = hole or ((missing := vault.missing(key, present)) and f"{key.stream}: {missing}")
    if hole is None and damage is not None:
        hole = _hole(key, damage, size)
    if hole is not None:
        raise ValueError(hole)
    return Content(vault, key, kept if revision is None or revision == present else [])


def contents(vault: Vault, key: StreamKey, revision: int | None = None) -> bytes:
    """All bytes of the source as it was in a revision, for those that are known to be small; else see `content`."""
    return b"".join(content(vault, key, revision).pieces())


def _cut(stretches: list[_Stretch], size: int) -> list[_Stretch]:
    """The stretches as far as this many bytes."""
    left = [stretch for stretch in stretches if stretch.start < size]
    if left:
        left[-1].end = min(left[-1].end, size)
    return left


def _hole(key: StreamKey, damage: Damaged | None, offset: int) -> str:
    if damage is None:
        return f"byte {offset} of {key.stream} is missing"
    return f"line {damage.number} of {key.stream}: {damage.reason}"
