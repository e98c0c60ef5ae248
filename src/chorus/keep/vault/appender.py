"""One stream file that is open for appending: one writer, complete lines, a tail that is always valid.

A line is visible to readers once it is written, and durable once `sync` returns. After a failed write the file is cut
back to the last valid byte. A process that dies in the middle leaves a torn tail, which the next writer cuts off:
nothing of it was acknowledged. A power cut may leave holes, too: after the acknowledged part, the next writer moves
everything behind the last undamaged line to another file. A failed fsync may have dropped pages that the kernel now
calls clean, so it is never repeated on the same descriptor. The next `sync` writes those bytes again through a new
descriptor, and syncs that one.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from chorus.errors import VaultUnwritable
from chorus.keep.vault import safe_files, sealing
from chorus.keep.vault.digest import Measure, extended, lines_between, measured
from chorus.keep.vault.inventory import InventoryEntry
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.port import Tail

_BACK_BYTES = 64 << 10
_JOIN_BYTES = 1 << 20
_SYNCED_ALONE, _SYNCED_TOGETHER = 4, 16
"""Fewer than `_SYNCED_ALONE` streams are synced one after the other, more of them in `_SYNCED_TOGETHER` threads."""


class Appender:
    """Holds the file's lock until it is closed."""

    def __init__(
        self, path: Path, fd: int, known: InventoryEntry | None = None, acknowledged: int | None = None
    ) -> None:
        """Continue a file that is open for reading and appending, and locked. On VaultUnwritable the file is closed.

        `known` is the entry of the inventory. Bytes after the first `acknowledged` ones are not promised to anyone
        unless they are undamaged; None if the number is not known.
        """
        self.cut = ""
        """A description of what was torn and moved to another file; empty if nothing was."""
        self._fd = self._sync_fd = fd
        self.path = path
        self.known = known
        try:
            self._size = _repair_torn_tail(fd)
            if acknowledged is not None and acknowledged < self._size:
                self._set_torn_lines_aside(acknowledged)
            last = last_line(fd, self._size)
            self._measure, fresh = _accounted(fd, self._size, known)
        except OSError as error:
            self.close()
            raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
        self.tail = tail_after(last)
        self._lost = (known.lost if known else 0) + fresh
        self._taken_again: tuple[int, int, int] | None = None
        """Lines that were just found to be lost: how many, in which revision, and up to which number."""
        if known and fresh:
            self._taken_again = (fresh, self.tail.revision, known.measure.lines)
        # The previous writer may have died before its lines were durable.
        self._is_dirty = self._size > 0
        self._durable_bytes = 0
        self._is_suspect = False
        """Whether an fsync failed since bytes were last known to be durable."""
        self._is_torn = False
        """Whether bytes of a failed write may follow the last valid byte."""

    @property
    def is_empty(self) -> bool:
        """Whether the file has no line, undamaged or damaged."""
        return self._size == 0

    def entry(self, file: str) -> InventoryEntry | None:
        """Return the entry for the inventory now that everything is durable, or None if the inventory has it."""
        known = self.known
        if known and (known.measure, known.lost, known.packed) == (self._measure, self._lost, None):
            return None
        mtime_ns = os.fstat(self._fd).st_mtime_ns
        if known is None:
            return InventoryEntry(file, self._measure, mtime_ns)
        # Lines that were lost since then may belong to any revision.
        whole_from = known.whole_from if known.lost == self._lost else None
        return structs.replace(
            known, measure=self._measure, mtime_ns=mtime_ns, packed=None, lost=self._lost, whole_from=whole_from
        )

    def write(self, lines: list[bytes], tail: Tail) -> None:
        """Append stored lines, after which the stream ends at `tail`.

        Raises VaultUnwritable if it writes none of them.
        """
        try:
            self._cut()
            for block in _blocks(lines):
                self._is_torn = True
                safe_files.write_all(self._fd, block)
            self._size = os.lseek(self._fd, 0, os.SEEK_END)
            self._is_torn = False
        except OSError as error:
            self._take_back()
            raise VaultUnwritable(
                f"{self.path}: {error.strerror or error}; nothing stored was lost; try again after fixing the cause"
            ) from error
        self._is_dirty = True
        self._measure = extended(self._measure, lines)
        self.tail = tail
        if self._taken_again:
            fresh, revision, end = self._taken_again
            if tail.revision == revision and tail.seq >= end:
                # The same part of the source was appended again, up to the end that was lost.
                self._lost -= fresh
                self._taken_again = None

    def sync(self) -> None:
        """Make everything that was written durable."""
        try:
            self._cut()
            if self._is_suspect:
                self._write_again()
            if self._is_dirty:
                os.fsync(self._sync_fd)
        except OSError as error:
            self._is_suspect = True
            raise VaultUnwritable(f"{self.path}: {error.strerror or error} while making it durable") from error
        self._is_dirty = self._is_suspect = False
        self._durable_bytes = self._size

    def close(self) -> None:
        for fd in {self._fd, self._sync_fd} - {-1}:
            os.close(fd)
        self._fd = self._sync_fd = -1

    def __del__(self) -> None:
        # A vault that was dropped without being closed must not block other processes.
        self.close()

    def _set_torn_lines_aside(self, acknowledged: int) -> None:
        """Move everything behind the last line that is undamaged and follows the line before it to another file."""
        before = last_line(self._fd, acknowledged)
        expected = before.head.seq + 1 if before else 0
        end = acknowledged
        for line in lines_between(self._fd, acknowledged, self._size):
            try:
                found = decode(line)
            except ValueError:
                break
            if found.head.seq != expected:
                break
            end, expected = end + len(line), expected + 1
        if end == self._size:
            return
        aside = sealing.set_end_aside(self.path, self._fd, end, self._size)
        os.ftruncate(self._fd, end)
        self.cut = (
            f"{self._size - end:,} bytes at its end were torn before they were acknowledged (a crash or power cut); "
            f"moved to {aside.name}"
        )
        self._size = end

    def _take_back(self) -> None:
        try:
            self._cut()
        except OSError:
            # This process keeps the lock, so no other one reads the rest as lines; the next call cuts it off first.
            return

    def _cut(self) -> None:
        if self._is_torn:
            os.ftruncate(self._fd, self._size)
            self._is_torn = False

    def _write_again(self) -> None:
        """Make every byte since the last successful sync dirty again, through a descriptor that has not failed yet."""
        fresh = safe_files.open_file(self.path, safe_files.CHANGE)
        try:
            os.lseek(fresh, self._durable_bytes, os.SEEK_SET)
            for piece in safe_files.pieces(self._fd, self._durable_bytes, self._size):
                safe_files.write_all(fresh, piece)
        except OSError:
            os.close(fresh)
            raise
        if self._sync_fd != self._fd:
            os.close(self._sync_fd)
        self._sync_fd = fresh
        self._is_dirty = True


def _accounted(fd: int, size: int, known: InventoryEntry | None) -> tuple[Measure, int]:
    """Return the measure of a file that is being continued, and how many lines it lost since it was last measured."""
    if known is None:
        return measured(fd, size), 0
    if known.measure.bytes <= size:
        return measured(fd, size, known.measure), 0
    there = measured(fd, size)
    return there, max(1, known.measure.lines - there.lines)


def tail_after(last: StoredLine | None) -> Tail:
    if last is None:
        return Tail()
    return Tail(last.head.revision, last.head.offset + len(last.bytes), last.head.seq + 1)


def last_line(fd: int, size: int) -> StoredLine | None:
    """Return the last undamaged line; the next append stores damaged lines after it again."""
    end = size
    while end > 0:
        start = _find_newline_before(fd, end - 1) + 1
        try:
            return decode(os.pread(fd, end - start, start))
        except ValueError:
            end = start
    return None


def end_of_lines(fd: int) -> int:
    """Return the offset at which the last complete line ends."""
    return _find_newline_before(fd, os.fstat(fd).st_size) + 1


def _blocks(lines: list[bytes]) -> list[bytes]:
    """Join the lines to writes of a suitable size."""
    blocks: list[bytes] = []
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= _JOIN_BYTES:
            blocks.append(b"".join(waiting))
            waiting, size = [], 0
    return [*blocks, b"".join(waiting)] if waiting else blocks


def _repair_torn_tail(fd: int) -> int:
    """Cut what follows the last newline, and return the new size.

    A last line that only lacks a correct newline was acknowledged once, and stays.
    """
    size = os.fstat(fd).st_size
    end = end_of_lines(fd)
    if end == size:
        return size
    torn = os.pread(fd, size - end, end)
    for line in (torn, torn[:-1]):
        try:
            decode(line + b"\n")
        except ValueError:
            continue
        os.ftruncate(fd, end + len(line))
        safe_files.write_all(fd, b"\n")
        return end + len(line) + 1
    os.ftruncate(fd, end)
    return end


def _find_newline_before(fd: int, end: int) -> int:
    """Return the offset of the last newline before `end`, or -1 if there is none."""
    while end > 0:
        start = max(0, end - _BACK_BYTES)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found
        end = start
    return -1


def sync_all(
    appenders: Sequence[Appender], folders: Sequence[str]
) -> tuple[list[VaultUnwritable | None], list[OSError | None]]:
    """Make streams durable, and the names in folders; return the error of each, or None.

    Many are synced at the same time: the file system then writes its journal once for all of them.
    """
    if len(appenders) < _SYNCED_ALONE:
        return [_failure_to_sync(each) for each in appenders], [_failure_to_name(each) for each in folders]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCED_TOGETHER) as threads:
        # Both are submitted before the first result is waited for.
        synced, named = threads.map(_failure_to_sync, appenders), threads.map(_failure_to_name, folders)
        return list(synced), list(named)


def _failure_to_name(folder: str) -> OSError | None:
    try:
        safe_files.sync_folder(folder)
    except OSError as error:
        return error
    return None


def _failure_to_sync(appender: Appender) -> VaultUnwritable | None:
    try:
        appender.sync()
    except VaultUnwritable as error:
        return error
    return None
