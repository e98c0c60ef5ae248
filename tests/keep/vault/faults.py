"""A layer below the store in which the calls of `os` fail as on a failing disk.

It also tracks which bytes are durable: bytes are durable only after a successful fsync, and a failed fsync loses them
forever (the kernel marks their pages as clean). `undurable` returns what a power cut would lose now.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CALLS = ("write", "fsync", "ftruncate", "open", "replace", "link", "mkdir")
ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR}


@dataclass
class Faults:
    """Fails the `nth` use of a call below `root`, and with `is_lasting` every later one."""

    root: Path
    call: str
    nth: int
    error: str
    is_lasting: bool = False
    is_on: bool = True
    uses: int = 0
    hits: int = 0
    repeats: list[int] = field(default_factory=list)
    """Descriptors that were synced again after an fsync of them had failed."""
    _dirty: dict[int, set[int]] = field(default_factory=dict)
    _lost: dict[int, set[int]] = field(default_factory=dict)
    _dirty_folders: set[str] = field(default_factory=set)
    _failed: set[int] = field(default_factory=set)
    _real: dict[str, Callable] = field(default_factory=dict)

    def undurable(self) -> list[str]:
        """Returns the files and names that a power cut would lose.

        The inventory is left out, because it may be a second late.
        """
        found = []
        for path in self.root.rglob("*"):
            if "state" in path.relative_to(self.root).parts:
                continue
            if path.suffix in (".jsonl", ".zst") or "blobs" in path.parts:
                inode = path.lstat().st_ino
                if path.is_file() and (self._dirty.get(inode) or self._lost.get(inode)):
                    found.append(f"bytes of {path.name}")
                if str(path.parent) in self._dirty_folders:
                    found.append(f"the name {path.name}")
        return found

    def _is_hit(self, call: str) -> bool:
        if not self.is_on or call != self.call:
            return False
        self.uses += 1
        is_hit = self.uses >= self.nth if self.is_lasting else self.uses == self.nth
        self.hits += is_hit
        return is_hit

    def _fail(self) -> None:
        number = ERRORS[self.error]
        raise OSError(number, os.strerror(number))

    def write(self, fd, data):
        if not self._is_hit("write"):
            return self._write(fd, data)
        # A full disk writes a part first, and the next write fails.
        done = self._write(fd, data[: max(1, len(data) // 2)])
        if self.error != "short":
            self._fail()
        return done

    def _write(self, fd, data):
        start = os.fstat(fd).st_size if self._appends(fd) else os.lseek(fd, 0, os.SEEK_CUR)
        done = self._real["write"](fd, data)
        written = set(range(start, start + done))
        inode = os.fstat(fd).st_ino
        self._dirty.setdefault(inode, set()).update(written)
        self._lost.get(inode, set()).difference_update(written)
        return done

    def fsync(self, fd):
        inode = os.fstat(fd).st_ino
        if fd in self._failed:
            self.repeats.append(fd)
        if self._is_hit("fsync"):
            self._lost.setdefault(inode, set()).update(self._dirty.pop(inode, set()))
            self._failed.add(fd)
            self._fail()
        self._real["fsync"](fd)
        self._dirty.pop(inode, None)
        self._dirty_folders.discard(str(Path(f"/proc/self/fd/{fd}").readlink()))

    def ftruncate(self, fd, size):
        if self._is_hit("ftruncate"):
            self._fail()
        self._real["ftruncate"](fd, size)
        inode = os.fstat(fd).st_ino
        for books in (self._dirty, self._lost):
            books[inode] = {place for place in books.get(inode, ()) if place < size}

    def open(self, path, flags, mode=0o777, **rest):
        is_ours = str(path).startswith(str(self.root))
        if is_ours and self._is_hit("open"):
            self._fail()
        is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
        fd = self._real["open"](path, flags, mode, **rest)
        if is_new and is_ours:
            inode = os.fstat(fd).st_ino
            self._dirty.pop(inode, None)
            self._lost.pop(inode, None)
            self._dirty_folders.add(str(Path(path).parent))
        return fd

    def close(self, fd):
        self._failed.discard(fd)
        self._real["close"](fd)

    def replace(self, old, new):
        if self._is_hit("replace"):
            self._fail()
        self._real["replace"](old, new)
        self._dirty_folders.add(str(Path(new).parent))

    def link(self, old, new):
        if self._is_hit("link"):
            self._fail()
        self._real["link"](old, new)
        self._dirty_folders.add(str(Path(new).parent))

    def mkdir(self, path, mode=0o777):
        if self._is_hit("mkdir"):
            self._fail()
        self._real["mkdir"](path, mode)
        self._dirty_folders.add(str(Path(path).parent))

    def _appends(self, fd: int) -> bool:
        import fcntl

        return bool(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND)


@contextmanager
def injected(faults: Faults, patch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """Replaces the calls of `os` with this layer while the block runs."""
    with patch.context() as patched:
        for call in (*CALLS, "close"):
            faults._real[call] = getattr(os, call)
            patched.setattr(os, call, getattr(faults, call))
        yield faults
