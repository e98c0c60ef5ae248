"""Finds lines that are no longer where the index says, because a stream was damaged. Scans the stream once."""

from bisect import bisect_right

from chorus.core.records.place import Place
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault


class MovedLines:
    """Remembers the positions of all lines of each stream that was scanned, but not their content."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._lines: dict[StreamKey, list[tuple[int, int, int, int]]] = {}
        """Revision, first byte, byte after the last, and position in the vault."""

    def line(self, key: StreamKey, revision: int, place: Place) -> StoredLine | None:
        """Returns the line that contains a place; None when there is none any more."""
        known = self._lines.get(key)
        if known is None:
            known = self._lines[key] = sorted(
                (line.head.revision, line.head.offset, line.head.offset + len(line.bytes), line.at)
                for line in self._vault.lines(key)
                if isinstance(line, StoredLine)
            )
        at = bisect_right(known, (revision, place.offset, place.offset + 1, -1))
        # An empty line may precede the wanted one.
        for line_revision, first, end, position in known[max(0, at - 2) : at + 1]:
            if line_revision == revision and first <= place.offset < end:
                return self._vault.line_at(key, position)
        return None
