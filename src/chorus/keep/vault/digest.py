"""The size of a file, and a digest that can be extended when the file grows.

Each line is hashed together with the digest of all lines before it, so the digest of a file that grew is computed from
the new lines alone.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator

from msgspec import Struct

from chorus.keep.vault import safe_files

_START = "0" * 64


class Measure(Struct, frozen=True, array_like=True):
    """The first `bytes` bytes of a file: the number of their lines, and the digest of these lines."""

    bytes: int = 0
    lines: int = 0
    digest: str = _START


def extended(before: Measure, lines: Iterable[bytes]) -> Measure:
    """Return the measure of a file after these lines were appended."""
    size, count, digest = before.bytes, before.lines, bytes.fromhex(before.digest)
    for line in lines:
        hasher = hashlib.sha256(digest)
        hasher.update(line)
        digest = hasher.digest()
        size += len(line)
        count += 1
    return Measure(size, count, digest.hex())


def measured(fd: int, end: int, start: Measure | None = None) -> Measure:
    """Return the measure of the first `end` bytes of an open file, or of all of it if it is shorter.

    `start` is the measure of its beginning, if that is known.
    """
    start = start or Measure()
    return extended(start, lines_between(fd, start.bytes, end))


def lines_between(fd: int, start: int, end: int) -> Iterator[bytes]:
    """Yield the lines of a file from `start` to `end` with their newlines; the last one may have none."""
    begun: list[bytes] = []
    for piece in safe_files.pieces(fd, start, end):
        *whole, rest = piece.split(b"\n")
        for part in whole:
            yield b"".join([*begun, part, b"\n"])
            begun = []
        if rest:
            begun.append(rest)
    if begun:
        yield b"".join(begun)


def file_digest(fd: int) -> tuple[int, str]:
    """Return the size of a file and the SHA-256 of its bytes."""
    hasher = hashlib.sha256()
    size = os.fstat(fd).st_size
    for piece in safe_files.pieces(fd, 0, size):
        hasher.update(piece)
    return size, hasher.hexdigest()
