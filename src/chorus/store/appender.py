"""One stream file open for appending: one writer, whole lines, a tail that is always good.

A line is visible to readers once it is written and durable once `sync` returns. A write that fails is taken back to the
last good byte; a process that dies in the middle leaves a torn tail, which the next writer cuts off: nothing of it was
acknowledged. An fsync that fails is not tried again as if it could succeed: the file is given up and opened anew.
"""

import os
import stat
from pathlib import Path

from chorus.errors import VaultUnwritable
from chorus.store.line import StoredLine, decode
from chorus.store.port import Tail

_BACK_BYTES = 64 << 10
_WRITE_BYTES = 1 << 20


class Appender:
    """Holds the file's lock until it is closed."""

    def __init__(self, path: Path) -> None:
        """Open (and make) the file; `VaultUnwritable` when that cannot be done."""
        self.path = path
        self.is_dirty = False
        self._fd = -1
        try:
            self._fd = _open(path)
            _lock(self._fd)
            self._size = _cut_torn_tail(self._fd)
            last = _last_line(self._fd, self._size)
        except OSError as error:
            self.close()
            raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
        self.tail = tail_after(last)
        self.follows: int | None = None
        """Set when the next line begins a revision."""

    def write(self, lines: list[bytes]) -> None:
        """Append stored lines; all of them or, with `VaultUnwritable`, none."""
        good = self._size
        try:
            for start in range(0, len(lines), 256):
                _write_all(self._fd, b"".join(lines[start : start + 256]))
            self._size = os.lseek(self._fd, 0, os.SEEK_END)
        except OSError as error:
            self._take_back(good)
            raise VaultUnwritable(
                f"{self.path}: {error.strerror or error}; nothing was lost, free space and go on"
            ) from error
        self.is_dirty = True

    def sync(self) -> None:
        """Make what was written durable."""
        if not self.is_dirty:
            return
        try:
            os.fsync(self._fd)
        except OSError as error:
            # The kernel may have dropped the dirty pages: only a fresh look at the file tells what is there.
            self.close()
            raise VaultUnwritable(f"{self.path}: {error.strerror or error} while making it durable") from error
        self.is_dirty = False

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def is_open(self) -> bool:
        return self._fd >= 0

    def _take_back(self, size: int) -> None:
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            # Then the torn tail stays until the next writer cuts it off.
            self.close()


def tail_after(last: StoredLine | None) -> Tail:
    if last is None:
        return Tail()
    return Tail(last.head.revision, last.head.offset + len(last.bytes), last.head.seq + 1)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    is_new = not path.exists()
    fd = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(None, "not a regular file")
    if is_new:
        sync_folder(path.parent)
    return fd


def _lock(fd: int) -> None:
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view[:_WRITE_BYTES]) :]


def _cut_torn_tail(fd: int) -> int:
    """Cut what follows the last newline; gives the size after that."""
    size = os.lseek(fd, 0, os.SEEK_END)
    end = _find_newline_before(fd, size) + 1
    if end < size:
        os.ftruncate(fd, end)
    return end


def _last_line(fd: int, size: int) -> StoredLine | None:
    """The last line that is whole; damaged ones behind it are kept again by who appends next."""
    end = size
    while end > 0:
        start = _find_newline_before(fd, end - 1) + 1
        try:
            line = decode(os.pread(fd, end - start, start))
        except ValueError:
            end = start
            continue
        if line.is_whole:
            return line
        end = start
    return None


def _find_newline_before(fd: int, end: int) -> int:
    """The last newline before `end`; -1 when there is none."""
    while end > 0:
        start = max(0, end - _BACK_BYTES)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found
        end = start
    return -1
