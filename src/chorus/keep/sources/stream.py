"""Stores one source: new bytes are appended, a rewritten source becomes a revision, stored bytes are never changed."""

import hashlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from chorus.core.records.decode import Refused, decode
from chorus.core.records.split import MAX_RECORD_BYTES
from chorus.core.records.times import wire_time
from chorus.keep.sources.comparison import compare
from chorus.keep.sources.parts import names_others
from chorus.keep.sources.taken_notes import Taken
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Tail, Vault

_MARK_BYTES = 4096
_CHUNK_BYTES = 4 << 20
_OVERLAP_BYTES = 1 << 10
"""Longer than any session id."""
_FIRST_CLIENT_S = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
"""Before this time there was no client, so a file that is said to be older has lost its time of change."""


class Outcome(Struct):
    """What one look at a source did."""

    note: Taken
    appended_bytes: int = 0
    is_revised: bool = False
    has_others: bool = False
    """Whether the bytes since the last note may name other sessions than the stream's own."""


def take(
    vault: Vault,
    key: StreamKey,
    path: Path,
    file: BinaryIO,
    known: Taken | None,
    *,
    seen_at: str,
    is_ended: bool = False,
) -> Outcome:
    """Store what is new in the source. The note in the outcome is valid once the vault was flushed.

    `is_ended`: nothing more will be written, so the last line is stored in any case. `seen_at` is the time now. Records
    without a time of their own get the time at which the file was changed last, if that was earlier.
    """
    status = os.fstat(file.fileno())
    seen_at = _written_by(status, seen_at)
    tail = vault.tail(key)
    is_revised = False
    if not _has_only_grown(file, status, known, tail):
        common = compare(vault, key, file).common
        if common < tail.offset:
            tail = vault.revise(key, common)
            is_revised = True
    start = tail.offset
    appended = 0
    if status.st_size > tail.offset:
        tail, appended = _append(vault, key, file, tail, seen_at, is_ended=is_ended)
    # A process that was killed before it wrote the note may not have stored the parts, either.
    routed = known.offset if known and known.is_routed and not is_revised else 0
    has_others = any(names_others(piece, key.conversation) for piece in _overlapping(file, routed, tail.offset))
    if is_revised and not appended:
        tail = vault.append(key, b"", seen_at=seen_at)
    note = Taken(
        str(path),
        status.st_dev,
        status.st_ino,
        # An incomplete last line was left: the next look must not regard the file as unchanged.
        status.st_size if start + appended >= status.st_size else -1,
        status.st_mtime_ns,
        (key.workspace, key.agent, key.conversation, key.stream),
        tail.revision,
        tail.offset,
        _marks(file, tail.offset),
        is_routed=True,
    )
    return Outcome(note, appended, is_revised, has_others)


def _written_by(status: os.stat_result, now: str) -> str:
    """Return a time by which everything in the file was written: its last change, or now if that is not credible."""
    if status.st_mtime < _FIRST_CLIENT_S:
        return now
    try:
        return min(now, wire_time(datetime.fromtimestamp(status.st_mtime, UTC)))
    except (ValueError, OverflowError, OSError):
        return now


def _has_only_grown(file: BinaryIO, status: os.stat_result, known: Taken | None, tail: Tail) -> bool:
    """Return whether the source only grew: the same file, with the same first and last bytes of what was taken."""
    if tail.offset == 0 and tail.revision == 0:
        return True
    return (
        known is not None
        and (known.device, known.inode) == (status.st_dev, status.st_ino)
        and (known.revision, known.offset) == (tail.revision, tail.offset)
        and status.st_size > known.size_bytes
        and status.st_size >= tail.offset
        and _marks(file, tail.offset) == known.marks
    )


def _marks(file: BinaryIO, offset: int) -> tuple[str, str]:
    head = os.pread(file.fileno(), min(_MARK_BYTES, offset), 0)
    last = os.pread(file.fileno(), min(_MARK_BYTES, offset), max(0, offset - _MARK_BYTES))
    return _digest(head), _digest(last)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _append(
    vault: Vault, key: StreamKey, file: BinaryIO, tail: Tail, seen_at: str, *, is_ended: bool
) -> tuple[Tail, int]:
    """Append complete lines from `tail.offset` on; a last line without a newline only if it is a complete record.

    A line that is too long to be a record is appended in pieces, as it is read.
    """
    start = position = tail.offset
    waiting: list[bytes] = []
    """The beginning of a line."""
    waiting_bytes = 0
    is_too_long = False
    while chunk := os.pread(file.fileno(), _CHUNK_BYTES, position):
        position += len(chunk)
        end = chunk.rfind(b"\n") + 1
        waiting.append(chunk[:end] if end else chunk)
        waiting_bytes += len(waiting[-1])
        is_too_long = not end and (is_too_long or waiting_bytes > MAX_RECORD_BYTES)
        if end or is_too_long:
            for data in waiting if waiting_bytes > MAX_RECORD_BYTES else (b"".join(waiting),):
                tail = vault.append(key, data, seen_at=seen_at)
            waiting = [chunk[end:]] if end else []
            waiting_bytes = len(chunk) - end if end else 0
    rest = b"".join(waiting)
    if rest and (is_ended or _is_whole(rest)):
        tail = vault.append(key, rest, seen_at=seen_at)
    return tail, tail.offset - start


def _overlapping(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes between two offsets in pieces that end at a newline; pieces of a long line overlap instead."""
    rest = b""
    while start < end and (chunk := os.pread(file.fileno(), min(_CHUNK_BYTES, end - start), start)):
        start += len(chunk)
        at = chunk.rfind(b"\n") + 1 or len(chunk)
        yield rest + chunk[:at]
        rest = chunk[at:] if at < len(chunk) or chunk.endswith(b"\n") else chunk[-_OVERLAP_BYTES:]
    yield rest


def _is_whole(line: bytes) -> bool:
    try:
        decode(line)
    except Refused:
        return False
    return True
