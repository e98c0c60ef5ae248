"""A kept stream read once, as `capture.reading` reads a file: pieces in order, lines and bytes counted."""

from collections.abc import Iterator

from chorus.records.place import StreamId
from chorus.records.record import Piece
from chorus.records.split import Splitter
from chorus.store.keys import StreamKey
from chorus.store.port import Damaged, Vault
from chorus.store.records import stream_id

_BATCH = 256


class KeptReading:
    """The pieces of a kept stream, every revision once; damaged lines are left out and counted."""

    def __init__(self, vault: Vault, key: StreamKey) -> None:
        self.name = stream_id(key, 0)
        self.size_bytes = 0
        self.lines = 0
        self.damaged = 0
        self._vault = vault
        self._key = key

    def batches(self) -> Iterator[list[Piece]]:
        splitter = Splitter(StreamId(self.name))
        revision = 0
        batch: list[Piece] = []
        for line in self._vault.lines(self._key):
            if isinstance(line, Damaged):
                self.damaged += 1
                continue
            if line.head.revision != revision:
                batch += self._close(splitter)
                revision = line.head.revision
                splitter = Splitter(StreamId(stream_id(self._key, revision)), line.head.offset)
            self.size_bytes += len(line.bytes)
            batch += splitter.feed(line.bytes)
            if len(batch) >= _BATCH:
                yield batch
                batch = []
        yield batch + self._close(splitter)

    def _close(self, splitter: Splitter) -> list[Piece]:
        pieces = list(splitter.close())
        self.lines += splitter.lines
        return pieces
