"""Reads a stored stream once, as `keep.sources.reading` reads a file: pieces in order, lines and bytes counted."""

from collections.abc import Iterator

from chorus.core.conversation.route import Router
from chorus.core.records.place import StreamId
from chorus.core.records.record import Piece, Record
from chorus.core.records.split import Splitter
from chorus.keep.archive.listing import Kept
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Damaged, Vault
from chorus.keep.vault.records import stream_id

_BATCH = 256


class KeptReading:
    """Yields the pieces of a stored stream, every revision once; damaged lines are left out and counted."""

    def __init__(self, vault: Vault, key: StreamKey, kept: Kept | None = None) -> None:
        """With `kept`, only records of that conversation are yielded: a stream may have records of other sessions."""
        self.name = stream_id(key, 0)
        self.size_bytes = 0
        self.lines = 0
        self.damaged = 0
        self._vault = vault
        self._key = key
        self._kept = kept

    def router(self) -> Router:
        """Return the router that assigns its records to sessions."""
        return self._kept.router(self.name) if self._kept else Router(self.name)

    def batches(self) -> Iterator[list[Piece]]:
        if self._kept is None:
            yield from self._batches()
            return
        routers: dict[str, Router] = {}
        for batch in self._batches():
            own: list[Piece] = []
            for piece in batch:
                if isinstance(piece, Record):
                    router = routers.get(piece.stream) or routers.setdefault(
                        piece.stream, self._kept.router(piece.stream)
                    )
                    own += [record for session, record in router.route(piece) if self._kept.holds(session)]
                else:
                    own.append(piece)
            yield own
        for router in routers.values():
            yield [record for session, record in router.close() if self._kept.holds(session)]

    def _batches(self) -> Iterator[list[Piece]]:
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
