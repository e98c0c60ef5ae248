"""Read stored lines as records, which the fold takes from the vault in the same way as from a file."""

from collections.abc import Iterable, Iterator

from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Damaged, Vault


def stored_records(vault: Vault, key: StreamKey) -> Iterator[Record]:
    """Yield the records of a stream, each revision once: a rewritten source adds only what it changed.

    Damaged lines are left out; `vault.lines` reports them.
    """
    yield from StreamReading(vault, key)


class StreamReading:
    """Yields the records of a stream from an offset on, and knows where the last yielded record is stored."""

    def __init__(self, vault: Vault, key: StreamKey, start: int = 0) -> None:
        """`start` is the offset in the vault of a line at which a record begins."""
        self._vault = vault
        self._key = key
        self._begun: list[tuple[int, int]] = []
        """The lines in which records may still begin: offset in the source, offset in the vault."""
        self.at = self.next_at = start
        """`at`: vault offset of the line in which the last record begins; `next_at`: the end of all that was read."""
        self.revision = 0
        self.next_seq = 0
        self.damaged = 0
        self.is_unfinished = False
        """Whether the stream ends in the middle of a record: bytes that follow may change how its end is read."""

    def __iter__(self) -> Iterator[Record]:
        splitter: Splitter | None = None
        revision = -1
        offset = 0
        for line in self._vault.lines(self._key, self.next_at):
            if isinstance(line, Damaged):
                self.damaged += 1
                continue
            head = line.head
            # The offset jumps after damage; a record that began before it is not continued.
            if head.revision != revision or head.offset != offset or splitter is None:
                if splitter is not None:
                    yield from self._located(splitter.close(), None)
                self.revision = revision = head.revision
                splitter = Splitter(StreamId(stream_id(self._key, revision)), head.offset)
                self._begun = []
            offset = head.offset + len(line.body) + len(head.end)
            self.next_at, self.next_seq = line.next_at, head.seq + 1
            record = splitter.feed_line(line.body, head.end.encode(), is_utf8=line.is_utf8)
            if record is not None:
                self._begun.clear()
                self.at = line.at
                record.seen_at = head.timestamp if head.seen else None
                yield record
                continue
            self._begun.append((head.offset, line.at))
            yield from self._located(splitter.feed(line.bytes), line)
        if splitter is not None:
            for record in self._located(splitter.close(), None):
                self.is_unfinished = True
                yield record

    def _located(self, pieces: Iterable[object], line: StoredLine | None) -> Iterator[Record]:
        for piece in pieces:
            if not isinstance(piece, Record):
                continue
            while len(self._begun) > 1 and self._begun[1][0] <= piece.offset:
                del self._begun[0]
            self.at = self._begun[0][1] if self._begun else self.at
            if line is not None and line.head.seen:
                piece.seen_at = line.head.timestamp
            yield piece


def stream_id(key: StreamKey, revision: int) -> str:
    """Return the name of a stored stream within its conversation. It does not depend on where the vault is located."""
    name = f"{key.conversation}/{key.stream}"
    return f"{name}#{revision}" if revision else name


def stream_of(name: str) -> tuple[str, int]:
    """Return the stream and the revision of a name that `stream_id` built."""
    stream, _, revision = name.rpartition("/")[2].partition("#")
    return stream, int(revision) if revision.isdecimal() else 0
