"""Compares a stored stream with its source, line by line, without holding either in memory."""

import os
from typing import BinaryIO

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault


class StreamComparison:
    """Takes the lines of a stream in order. Earlier revisions count as far as the last one follows them."""

    def __init__(self, file: BinaryIO) -> None:
        self._fd = file.fileno()
        self._revision = 0
        self._differs_at: int | None = None
        self.end = 0
        """How many bytes of the source are stored, whether they are still the same or not."""

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
        """How many bytes of the last revision the source still has, up to the end of a line."""
        return self.end if self._differs_at is None else self._differs_at

    @property
    def is_equal(self) -> bool:
        """Whether the source has all of the last revision; it may have more."""
        return self._differs_at is None


def compare(vault: Vault, key: StreamKey, file: BinaryIO) -> StreamComparison:
    """Compare everything that is stored of the stream with the source; damaged lines count as different."""
    comparison = StreamComparison(file)
    for line in vault.lines(key):
        if isinstance(line, StoredLine):
            comparison.take(line)
    return comparison
