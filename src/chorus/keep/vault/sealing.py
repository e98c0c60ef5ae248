"""Sealing packs idle streams: `.jsonl` becomes `.jsonl.zst` (`packed_frames.py`), and back when lines are appended.

If both files exist, the open file is the valid one: sealing and unsealing first make the new file complete and
durable, and then remove the old one. A process that seals holds the lock of the open file; a process that unseals holds
the lock of the sealed one. A sealed file is removed only by the process that holds the lock of the open file, and only
if the open file has all its bytes. A damaged sealed file is renamed to `.jsonl.zst.damaged` instead.
"""

import errno
import glob
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from chorus.keep.vault import safe_files
from chorus.keep.vault.appender import end_of_lines
from chorus.keep.vault.packed_frames import (
    PIECE_BYTES,
    find_frame,
    holds,
    pack_lines,
    read_open,
    read_packed,
    unpack_lines,
)

_SUFFIX = ".zst"
_ASIDE = ".damaged"
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)

Wait = Callable[[int, Path], None]
"""Locks an open file, and waits for the process that holds the lock."""


def sealed(path: Path) -> Path:
    """Return the path that the stream at `path` has when it is sealed."""
    return path.with_name(path.name + _SUFFIX)


def stream_name(file: str) -> str | None:
    """Return the name of the stream in a file of this name, open or sealed, or None if it is not a file of a stream."""
    name = file.removesuffix(_SUFFIX)
    return name.removesuffix(".jsonl") if name.endswith(".jsonl") else None


def traces(path: Path) -> list[Path]:
    """Return every file that may contain bytes of the stream."""
    name = glob.escape(path.name)
    others = [*path.parent.glob(f"{name}.*.tmp"), *path.parent.glob(f"{name}{_SUFFIX}.damaged*")]
    others += path.parent.glob(f"{name}.damaged*")
    # A folder with such a name was in the place of the stream, and has none of its bytes.
    return [path, sealed(path), *sorted(each for each in others if each.is_symlink() or not each.is_dir())]


def is_there(path: Path) -> bool:
    """Return whether a stream exists, open or sealed. Fast, because most streams are new at the first call."""
    # A stream that is unsealed between the two checks is missed under both names; this cannot happen twice.
    name = os.fspath(path)
    return any(map(os.path.lexists, (name, name + _SUFFIX, name)))


def read_lines(path: Path, start: int = 0, *, piece_bytes: int = PIECE_BYTES) -> Iterator[bytes]:
    """Yield the lines of a stream, open or sealed, each with its newline; a torn last line is left out.

    `LOST` is yielded where data cannot be unpacked; the rest is read. `start` is the offset in the open file at which a
    line begins; earlier lines are left out. `piece_bytes` is the number of bytes to read at once.
    """
    # A stream that is sealed or unsealed between the two checks is missed under both names; this cannot happen twice.
    for _ in range(3):
        for place, read in ((path, read_open), (sealed(path), read_packed)):
            try:
                fd = safe_files.open_file(place, safe_files.READ)
            except FileNotFoundError:
                continue
            if place == path and os.fstat(fd).st_size == 0:
                os.close(fd)
                continue
            try:
                yield from read(fd, start, piece_bytes)
            finally:
                os.close(fd)
            return


def packed_end(path: Path) -> int | None:
    """Return the unpacked size of a sealed stream, from the headers of its frames, or None if it is not sealed."""
    try:
        fd = safe_files.open_file(sealed(path), safe_files.READ)
    except OSError:
        return None
    try:
        beyond = 1 << 62
        return beyond - find_frame(fd, beyond)[1]
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)


def open_for_appending(path: Path, wait: Wait) -> int:
    """Return a locked descriptor of the stream's open file.

    The stream is unsealed, or the file created, if necessary.
    """
    while True:
        fd = _hold_open(path, wait)
        if fd is not None:
            return fd
        if not _unseal(path, wait):
            with suppress(FileExistsError):
                os.close(safe_files.open_file(path, safe_files.NEW))


class Packing:
    """A stream whose packed file is written and whose open file still exists. Its lock is held until `close`."""

    def __init__(self, path: Path, fd: int, packed: tuple[int, str]) -> None:
        self.path = path
        self.packed = packed
        """Size and SHA-256 of the packed file."""
        self._fd = fd

    def remove_open(self) -> None:
        """Remove the open file; the name of the packed one must be durable."""
        self.path.unlink()

    def close(self) -> None:
        os.close(self._fd)


def pack(path: Path, wait: Wait, *, sweeps: bool = True) -> Packing | None:
    """Write the packed file of a stream next to its open file. May be called from several threads.

    Does nothing and returns None if there is no open file, or no line in it.
    `sweeps`: also remove incomplete files in the folder that killed processes left behind.
    """
    fd = _hold_open(path, wait)
    if fd is None:
        return None
    half = _half(path)
    try:
        if not end_of_lines(fd):
            os.close(fd)
            return None
        if sweeps:
            _sweep(path)
        packed = pack_lines(fd, half)
        os.replace(half, sealed(path))  # noqa: PTH105 - `os`, as in the rest of this module
    except BaseException:
        os.close(fd)
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise
    return Packing(path, fd, packed)


def has_leftovers(folder: Path) -> bool:
    """Return whether a folder contains incomplete files."""
    with os.scandir(folder) as entries:
        return any(entry.name.endswith(".tmp") for entry in entries)


def replace(path: Path, lines: list[bytes], *, is_kept: bool) -> None:
    """Replace the content of an open file with these lines. The caller must hold its lock.

    `is_kept`: a copy of the old content is kept next to it.
    """
    half = _half(path)
    fd = safe_files.open_file(half, safe_files.NEW)
    try:
        for line in lines:
            safe_files.write_all(fd, line)
        os.fsync(fd)
        if is_kept:
            with suppress(OSError):
                os.link(path, unused_aside(path))
        os.replace(half, path)  # noqa: PTH105
        safe_files.sync_folder(path.parent)
    finally:
        os.close(fd)
        with suppress(OSError):
            half.unlink(missing_ok=True)


def set_end_aside(path: Path, fd: int, start: int, end: int) -> Path:
    """Copy bytes of an open file to a file next to it, and return that file, which is durable.

    The caller must hold the lock of the stream.
    """
    aside = unused_aside(path)
    new = safe_files.open_file(aside, safe_files.NEW)
    try:
        for piece in safe_files.pieces(fd, start, end):
            safe_files.write_all(new, piece)
        os.fsync(new)
    finally:
        os.close(new)
    safe_files.sync_folder(path.parent)
    return aside


def remove(path: Path, wait: Wait) -> None:
    """Remove every byte of the stream, as soon as no process writes it."""
    fd = _hold_open(path, wait)
    try:
        if fd is None:
            # A process that unseals it at this moment would bring it back.
            with suppress(FileNotFoundError):
                fd = safe_files.open_file(sealed(path), safe_files.CHANGE)
                wait(fd, sealed(path))
        for place in traces(path):
            place.unlink(missing_ok=True)
    finally:
        if fd is not None:
            os.close(fd)
    if path.parent.is_dir():
        safe_files.sync_folder(path.parent)


def _hold_open(path: Path, wait: Wait) -> int | None:
    """Return a locked descriptor of the stream's open file, or None if there is none.

    No sealed file is left next to it.
    """
    while True:
        try:
            fd = safe_files.open_file(path, safe_files.CHANGE | os.O_APPEND)
        except FileNotFoundError:
            return None
        try:
            wait(fd, path)
            if safe_files.is_current(fd, path):
                if not os.path.lexists(f"{path}{_SUFFIX}"):
                    return fd
                if os.fstat(fd).st_size:
                    _drop(sealed(path), fd)
                    return fd
                # Created by a process that did not notice that the stream was being sealed.
                path.unlink()
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _unseal(path: Path, wait: Wait) -> bool:
    """Unpack the stream, or notice that another process did. Returns False if it is not sealed.

    The sealed file is removed by the next holder of the open file's lock: by then it may be a newer sealed file.
    """
    packed = sealed(path)
    try:
        fd = safe_files.open_file(packed, safe_files.CHANGE)
    except FileNotFoundError:
        return False
    half = _half(path)
    try:
        wait(fd, packed)
        if not os.path.lexists(path) and safe_files.is_current(fd, packed):
            _sweep(path)
            unpack_lines(fd, half)
            if not half.stat().st_size:
                # Nothing of it can be unpacked, and an empty open file would be ignored next to it.
                _set_aside(packed)
                safe_files.sync_folder(packed.parent)
                return True
            with suppress(FileExistsError):
                _name_once(half, path)
                safe_files.sync_folder(path.parent)
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        os.close(fd)
    return True


def _half(path: Path) -> Path:
    """Return a name for a file that is not complete yet."""
    return path.with_name(f"{path.name}.{os.urandom(4).hex()}.tmp")


def _sweep(path: Path) -> None:
    """Remove incomplete files of killed processes.

    The caller must hold the stream's lock, so no other process works on it.
    """
    for half in path.parent.glob(f"{glob.escape(path.name)}.*.tmp"):
        half.unlink(missing_ok=True)


def _name_once(half: Path, path: Path) -> None:
    """Give a file its name. Raises FileExistsError if another file has it."""
    try:
        os.link(half, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        half.rename(path)


def _drop(packed: Path, fd: int) -> None:
    """Remove a sealed file that a crash left next to the open one, if the open one contains all of it."""
    there = safe_files.open_file(packed, safe_files.READ)
    try:
        is_held = holds(fd, there)
    finally:
        os.close(there)
    if is_held:
        packed.unlink()
    else:
        _set_aside(packed)
    safe_files.sync_folder(packed.parent)


def _set_aside(packed: Path) -> None:
    packed.rename(unused_aside(packed))


def unused_aside(path: Path) -> Path:
    """Return an unused name for a damaged file."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}{_ASIDE}{number if number > 1 else ''}")):
        number += 1
    return aside


def is_aside(name: str) -> bool:
    """Return whether a damaged file was given this name."""
    return name.rstrip("0123456789").endswith(_ASIDE)
