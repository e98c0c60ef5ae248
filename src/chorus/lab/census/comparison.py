"""Pieces against the bytes they were read from: the first place where the two depart."""

from collections.abc import Callable

from chorus.core.records.record import Piece

Take = Callable[[int], bytes]
"""Gives exactly the next n bytes of the original, fewer only at its end."""


class Comparison:
    """Compares pieces, in order, with the original they came from. Bytes are held one piece at a time."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._position = 0
        self.departed_at: int | None = None
        """Offset of the first difference; None while there is none."""
        self.reason = ""

    def add(self, piece: Piece) -> None:
        """Take the next piece; nothing more is compared after a difference."""
        if self.departed_at is not None:
            return
        if piece.offset != self._position:
            self._depart(self._position, f"a piece says it stands at byte {piece.offset}")
            return
        given = piece.raw + piece.tail
        original = self._take(len(given))
        if given != original:
            at = next((n for n, pair in enumerate(zip(given, original, strict=False)) if pair[0] != pair[1]), None)
            if at is None:
                self._depart(self._position + len(original), "more bytes were read than are there")
            else:
                self._depart(self._position + at, f"read {_shown(given, at)}, but there stands {_shown(original, at)}")
            return
        self._position += len(given)

    def close(self, size_bytes: int) -> None:
        """All pieces were given; the original has `size_bytes`."""
        if self.departed_at is None and self._position < size_bytes:
            self._depart(self._position, f"{size_bytes - self._position} bytes at the end were not read")

    def _depart(self, offset: int, reason: str) -> None:
        self.departed_at, self.reason = offset, reason


class Copy:
    """What came through a pipe, kept until it has been compared: a pipe cannot be read again."""

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
