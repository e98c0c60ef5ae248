"""Kept lines as records again: what the fold takes, from the vault as from a file."""

from collections.abc import Iterable, Iterator

from chorus.records.place import StreamId
from chorus.records.record import Record
from chorus.records.split import Splitter
from chorus.store.keys import StreamKey
from chorus.store.line import StoredLine
from chorus.store.port import Damaged, Vault


def stored_records(vault: Vault, key: StreamKey) -> Iterator[Record]:
    """The records of a stream, every revision once: a rewritten source adds what it changed.

    Damaged lines are left out here; `vault.lines` tells of them.
    """
    splitter: Splitter | None = None
    revision = -1
    offset = 0
    for line in vault.lines(key):
        if isinstance(line, Damaged):
            continue
        # After damage the offset leaps; what was begun before it is not gone on with.
        if line.head.revision != revision or line.head.offset != offset or splitter is None:
            if splitter is not None:
                yield from _records(splitter.close(), None)
            revision = line.head.revision
            splitter = Splitter(StreamId(stream_id(key, revision)), line.head.offset)
        offset = line.head.offset + len(line.bytes)
        yield from _records(splitter.feed(line.bytes), line)
    if splitter is not None:
        yield from _records(splitter.close(), None)


def stream_id(key: StreamKey, revision: int) -> str:
    """The name of a kept stream among a conversation's: stable wherever the vault lies."""
    name = f"{key.conversation}/{key.stream}"
    return f"{name}#{revision}" if revision else name


def _records(pieces: Iterable[object], line: StoredLine | None) -> Iterator[Record]:
    for piece in pieces:
        if isinstance(piece, Record):
            if line is not None and line.head.seen:
                piece.seen_at = line.head.timestamp
            yield piece
