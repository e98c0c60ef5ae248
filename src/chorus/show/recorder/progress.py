"""The progress of a first pass, in bytes of its sources: a byte is done when it is recorded, indexed and packed."""

from collections.abc import Callable

Advance = Callable[[int], None]
_KEPT, _INDEXED = 0.45, 0.75
"""The share of the work that is done when everything is recorded, and when it is indexed; the rest is packing."""


class Steps:
    """Reports finished bytes step by step; their sum is the size of the sources."""

    def __init__(self, advance: Advance | None) -> None:
        self._advance = advance or (lambda _size: None)
        self._sources_bytes = 0
        self._reported = 0

    def kept(self, size_bytes: int) -> None:
        """Reports that this many bytes of a source were read, and recorded if they were new."""
        self._sources_bytes += size_bytes
        self._report(_KEPT)

    def indexed(self, done: int, total: int) -> None:
        """Reports how much of the bytes to index is indexed."""
        self._report(_KEPT + (_INDEXED - _KEPT) * min(1.0, done / max(1, total)))

    def packed(self, done: int, total: int) -> None:
        """Reports how much of the bytes to pack is packed."""
        self._report(_INDEXED + (1 - _INDEXED) * min(1.0, done / max(1, total)))

    def end(self) -> None:
        """Reports that everything is done."""
        self._report(1.0)

    def _report(self, share: float) -> None:
        reached = int(self._sources_bytes * share)
        if reached > self._reported:
            more, self._reported = reached - self._reported, reached
            self._advance(more)
        else:
            # The callback may also want to stop the work.
            self._advance(0)
