"""Compares pieces with the bytes they were read from, and finds the first difference."""

from collections.abc import Callable

from chorus.core.records.record import Piece

Take = Callable[[int], bytes]
"""Returns exactly the next n bytes of the original, fewer only at its end."""


class CoverComparison:
    """Compares pieces, in order, with the original. Only one piece is in memory at a time."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._position = 0
        self.different_at: int | None = None
        """The offset of the first difference; None while there is none."""
        self.reason = ""

    def add(self, piece: Piece) -> None:
        """Compares the next piece; after a difference nothing more is compared."""
        if self.different_at is not None:
            return
        if piece.offset != self._position:
            self._report(self._position, f"a piece says that it is at byte {piece.offset}")
            return
        given = piece.raw + piece.tail
        original = self._take(len(given))
        if given != original:
            at = next((n for n, pair in enumerate(zip(given, original, strict=False)) if pair[0] != pair[1]), None)
            if at is None:
                self._report(self._position + len(original), "more bytes were read than the file has")
            else:
                self._report(self._position + at, f"read {_shown(given, at)}, but the file has {_shown(original, at)}")
            return
        self._position += len(given)

    def close(self, size_bytes: int) -> None:
        """Ends the comparison after the last piece; the original has `size_bytes`."""
        if self.different_at is None and self._position < size_bytes:
            self._report(self._position, f"{size_bytes - self._position} bytes at the end were not read")

    def _report(self, offset: int, reason: str) -> None:
        self.different_at, self.reason = offset, reason


class Copy:
    """Keeps the bytes of a pipe until they have been compared, because a pipe cannot be read again."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def keep(self, chunk: bytes) -> None:
        self._bytes += chunk

    def take(self, count: int) -> bytes:
        taken = bytes(self._bytes[:count])
        del self._bytes[:count]
        return taken


def _shown(data: bytes, at: int) -> str:
    return ascii(data[at : at + 12])
