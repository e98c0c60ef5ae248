"""The contents of all versions of a file, stored as differences, so that many versions of a large file need little."""

from typing import NamedTuple

_MAX_DEPTH = 64
"""After this many differences, a whole content is stored again."""


class _Stored(NamedTuple):
    base: int | None
    """The version that this one differs from; None if `middle` is the whole content."""
    start: int
    end: int
    """How many bytes at the start and at the end are those of the base."""
    middle: bytes
    depth: int


class Contents:
    """Version number → content. A version without an entry has no known content."""

    def __init__(self) -> None:
        self._stored: dict[int, _Stored] = {}
        self._latest: tuple[int, bytes] | None = None

    def add(self, number: int, content: bytes) -> None:
        """Stores the content of a version, as the difference to the one that was stored last if that is smaller."""
        known = self._latest if self._latest and self._latest[0] != number else None
        self._latest = (number, content)
        if known is not None and (depth := self._stored[known[0]].depth + 1) < _MAX_DEPTH:
            start = common_start(known[1], content)
            end = common_start(known[1][start:][::-1], content[start:][::-1])
            if 2 * (start + end) > len(content):
                self._stored[number] = _Stored(known[0], start, end, content[start : len(content) - end], depth)
                return
        self._stored[number] = _Stored(None, 0, 0, content, 0)

    def of(self, number: int) -> bytes | None:
        """Returns the content of a version, or None."""
        if self._latest is not None and self._latest[0] == number:
            return self._latest[1]
        chain: list[_Stored] = []
        at: int | None = number
        while at is not None:
            stored = self._stored.get(at)
            if stored is None:
                return None
            chain.append(stored)
            at = stored.base
        content = chain.pop().middle
        while chain:
            stored = chain.pop()
            content = content[: stored.start] + stored.middle + content[len(content) - stored.end :]
        return content


def common_start(one: bytes, other: bytes) -> int:
    """Returns how many bytes at the start are equal."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        half = (low + high + 1) // 2
        if one[low:half] == other[low:half]:
            low = half
        else:
            high = half - 1
    return low
