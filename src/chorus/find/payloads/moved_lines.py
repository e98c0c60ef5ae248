"""Lines that are no longer where the index says, because a stream was damaged: found by going through it once."""

from bisect import bisect_right

from chorus.core.records.place import Place
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault


class Elsewhere:
    """Remembers of each stream that was gone through where its lines lie; not what they hold."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._lines: dict[StreamKey, list[tuple[int, int, int, int]]] = {}
        """Revision, first byte, byte after the last, and where it is kept."""

    def line(self, key: StreamKey, revision: int, place: Place) -> StoredLine | None:
        """The line that holds a place; None when there is none any more."""
        known = self._lines.get(key)
        if known is None:
            known = self._lines[key] = sorted(
                (line.head.revision, line.head.offset, line.head.offset + len(line.bytes), line.at)
                for line in self._vault.lines(key)
                if isinstance(line, StoredLine)
            )
        at = bisect_right(known, (revision, place.offset, place.offset + 1, -1))
        # A line without a byte may stand before the one that is meant.
        for held, first, end, where in known[max(0, at - 2) : at + 1]:
            if held == revision and first <= place.offset < end:
                return self._vault.line_at(key, where)
        return None
