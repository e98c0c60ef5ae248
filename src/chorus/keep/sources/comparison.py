"""A kept stream beside its source, line by line as they are read, without holding either."""

import os
from typing import BinaryIO

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault


class Comparison:
    """Takes the lines of a stream in order; earlier revisions count as far as the last one still has them."""

    def __init__(self, file: BinaryIO) -> None:
        self._fd = file.fileno()
        self._revision = 0
        self._differs_at: int | None = None
        self.end = 0
        """How many bytes of the source are kept, be they what it has now or not."""

    def take(self, line: StoredLine) -> None:
        head = line.head
        if head.revision != self._revision:
            self._revision = head.revision
            self.end = head.follows or 0
            if self._differs_at is not None and self._differs_at >= self.end:
                self._differs_at = None
        if self._differs_at is None and (
            head.offset != self.end or os.pread(self._fd, len(line.bytes), head.offset) != line.bytes
        ):
            self._differs_at = self.end
        self.end = head.offset + len(line.bytes)

    @property
    def common(self) -> int:
        """How many bytes of the last revision the source has, up to the end of a line."""
        return self.end if self._differs_at is None else self._differs_at

    @property
    def is_equal(self) -> bool:
        """Whether the source has all of the last revision; there may be more in it."""
        return self._differs_at is None


def compare(vault: Vault, key: StreamKey, file: BinaryIO) -> Comparison:
    """All that is kept of the stream, compared; damaged lines count as what the source does not have."""
    comparison = Comparison(file)
    for line in vault.lines(key):
        if isinstance(line, StoredLine):
            comparison.take(line)
    return comparison
