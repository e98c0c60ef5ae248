"""How far a first pass is, in bytes of its sources: a byte is done when it is kept, can be found, and is packed."""

from collections.abc import Callable

Advance = Callable[[int], None]
_KEPT, _INDEXED = 0.45, 0.75
"""How much of the work is done when everything is kept, and when all of it is in the index; the rest is packing."""


class Steps:
    """Tells bytes that are done, step by step; all of them together are those of the sources."""

    def __init__(self, advance: Advance | None) -> None:
        self._advance = advance or (lambda _size: None)
        self._sources_bytes = 0
        self._told = 0

    def kept(self, size_bytes: int) -> None:
        """So many bytes of a source were looked at, and kept where they were new."""
        self._sources_bytes += size_bytes
        self._tell(_KEPT)

    def indexed(self, done: int, total: int) -> None:
        """So much of what has to be taken into the index is in it."""
        self._tell(_KEPT + (_INDEXED - _KEPT) * min(1.0, done / max(1, total)))

    def packed(self, done: int, total: int) -> None:
        """So much of what has to be packed is packed."""
        self._tell(_INDEXED + (1 - _INDEXED) * min(1.0, done / max(1, total)))

    def end(self) -> None:
        """Everything is done."""
        self._tell(1.0)

    def _tell(self, share: float) -> None:
        reached = int(self._sources_bytes * share)
        if reached > self._told:
            more, self._told = reached - self._told, reached
            self._advance(more)
        else:
            # Whoever counts may also want to stop the work.
            self._advance(0)
