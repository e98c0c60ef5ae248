"""A vault in memory: the reference implementation of the port, and a replacement for the real vault in tests."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from threading import RLock

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.port import Damaged, Tail
from chorus.keep.vault.revisions import encode_all, revised


class MemoryVault:
    """Stores everything as long as the object lives."""

    def __init__(self) -> None:
        self._mutex = RLock()
        self._lines: dict[StreamKey, list[StoredLine]] = {}
        """Each line was decoded when it was stored: an export reads every line several times."""
        self._starts: dict[StreamKey, list[int]] = {}
        """Where each line begins, and where the next one will."""
        self._tails: dict[StreamKey, Tail] = {}
        self._follows: dict[StreamKey, int] = {}
        self._blobs: dict[str, bytes] = {}

    def keys(self) -> Iterator[StreamKey]:
        yield from sorted(self._lines)

    def streams(self, owner: str) -> list[StreamKey]:
        return sorted(key for key in self._lines if key.owner == owner)

    def tail(self, key: StreamKey) -> Tail:
        return self._tails.get(key, Tail())

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        with self._mutex:
            if not data and key not in self._follows:
                return self.tail(key)
            stored, self._tails[key] = encode_all(key, data, self.tail(key), self._follows.pop(key, None), seen_at)
            starts, lines = self._starts.setdefault(key, [0]), self._lines.setdefault(key, [])
            for each in stored:
                line = decode(each, is_trusted=True)
                line.at, line.next_at = starts[-1], starts[-1] + len(each)
                starts.append(line.next_at)
                lines.append(line)
            return self._tails[key]

    def revise(self, key: StreamKey, prefix: int) -> Tail:
        with self._mutex:
            self._tails[key] = revised(self.tail(key), prefix, is_begun=key in self._follows)
            self._follows[key] = prefix
            return self._tails[key]

    def lines(self, key: StreamKey, start: int = 0) -> Iterator[StoredLine | Damaged]:
        yield from self._from(key, start)

    def line_at(self, key: StreamKey, at: int) -> StoredLine | None:
        found = next(self._from(key, at), None)
        return found if found and found.at == at else None

    def _from(self, key: StreamKey, start: int) -> Iterator[StoredLine]:
        lines = self._lines.get(key, [])
        for number in range(bisect_left(self._starts.get(key, [0]), start), len(lines)):
            yield lines[number]

    def missing(self, key: StreamKey, revision: int) -> str | None:
        """Always returns None: no other program can cut off memory."""

    def put_blob(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        self._blobs[name] = data
        return name

    def blob(self, name: str) -> bytes | None:
        return self._blobs.get(name)

    def blob_pieces(self, name: str) -> Iterator[bytes] | None:
        data = self._blobs.get(name)
        return None if data is None else iter([data])

    def flush(self) -> None:
        """Does nothing: memory does not survive a crash."""

    def seal(self, key: StreamKey) -> None:
        """Does nothing: memory is not packed."""

    def seal_all(self, keys: Iterable[StreamKey]) -> set[StreamKey]:
        """Pack nothing: memory is not packed."""
        return set()

    def forget(self, key: StreamKey) -> None:
        for kept in (self._lines, self._starts, self._tails, self._follows):
            kept.pop(key, None)
