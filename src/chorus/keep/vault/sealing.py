"""Streams packed away: `.jsonl` becomes `.jsonl.zst`, and plain `zstd -dc` gives the lines back.

Frames are independent and hold whole lines, at most 1 MiB of them (or one longer line), so that damage stays local.
The open file wins wherever both exist: each of the two changes first makes the new file complete and durable, then
removes the old one. Who seals holds the lock of the open file, who unseals that of the sealed one; a sealed file is
removed only by who holds the open one, and only when that has all its bytes. One that is damaged is set aside as
`.jsonl.zst.damaged` instead.
"""

import errno
import glob
import hashlib
import io
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from chorus.keep.vault import safe_files
from chorus.keep.vault.appender import end_of_lines

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME_BYTES = 1 << 20
LOST = b""
"""Stands for what could not be unpacked among the lines of a sealed stream."""
_SUFFIX = ".zst"
_PIECE_BYTES = 256 << 10
_MAGIC = b"\x28\xb5\x2f\xfd"
# Level 9 takes three times as long as level 3, and what it packs is a twentieth smaller.
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)

Wait = Callable[[int, Path], None]
"""Locks an open file, waiting for who holds it."""


def sealed(path: Path) -> Path:
    """Where the stream at `path` lies when it is sealed."""
    return path.with_name(path.name + _SUFFIX)


def stream_name(file: str) -> str | None:
    """The stream that a file of this name holds, open or sealed; None when it is none of ours."""
    name = file.removesuffix(_SUFFIX)
    return name.removesuffix(".jsonl") if name.endswith(".jsonl") else None


def traces(path: Path) -> list[Path]:
    """Every file that may hold bytes of the stream."""
    name = glob.escape(path.name)
    others = [*path.parent.glob(f"{name}.*.tmp"), *path.parent.glob(f"{name}{_SUFFIX}.damaged*")]
    others += path.parent.glob(f"{name}.damaged*")
    return [path, sealed(path), *sorted(others)]


def is_there(path: Path) -> bool:
    """Whether there is anything of the stream, open or sealed: quickly, since most streams are new when first asked."""
    # Unsealed between two looks, it is missed under both names; it never is twice.
    name = os.fspath(path)
    return any(map(os.path.lexists, (name, name + _SUFFIX, name)))


def read_lines(path: Path, start: int = 0, *, piece_bytes: int = _PIECE_BYTES) -> Iterator[bytes]:
    """The lines of a stream, open or sealed, each with its newline; a torn last line is left out.

    `LOST` stands where something cannot be unpacked; the rest is read. `start` is where a line begins in the open
    file: what lies before it is left out. `piece_bytes` is how much to read at once.
    """
    # Sealed or unsealed between two looks, a stream is missed under both names; it never is twice.
    for _ in range(3):
        for place, read in ((path, _read_open), (sealed(path), _read_sealed)):
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
    """How many bytes a sealed stream is when unpacked, told by the heads of its frames; None when it is not sealed."""
    try:
        fd = safe_files.open_file(sealed(path), safe_files.READ)
    except OSError:
        return None
    try:
        beyond = 1 << 62
        return beyond - _find_frame(fd, beyond)[1]
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)


def open_for_appending(path: Path, wait: Wait) -> int:
    """A descriptor of the stream's open file, locked; it is unsealed or made if need be."""
    while True:
        fd = _hold_open(path, wait)
        if fd is not None:
            return fd
        if not _unseal(path, wait):
            with suppress(FileExistsError):
                os.close(safe_files.open_file(path, safe_files.NEW))


class Packing:
    """A stream that is packed and not yet removed as it was: its lock is held until `close`."""

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
    """Put the packed file of a stream in its place, beside the open one. May be called in several threads.

    Does nothing and gives None when there is no open file or no line in it.
    `sweeps`: what killed processes left half done is looked for, in all of the folder.
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
        packed = _pack(fd, half)
        os.replace(half, sealed(path))  # noqa: PTH105 - as all else here, by `os`
    except BaseException:
        os.close(fd)
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise
    return Packing(path, fd, packed)


def has_leftovers(folder: Path) -> bool:
    """Whether anything in a folder is half done."""
    with os.scandir(folder) as entries:
        return any(entry.name.endswith(".tmp") for entry in entries)


def replace(path: Path, lines: list[bytes], *, is_kept: bool) -> None:
    """Put these lines in the place of an open file. For who holds it; `is_kept`: what it was is set aside."""
    half = _half(path)
    fd = safe_files.open_file(half, safe_files.NEW)
    try:
        for line in lines:
            safe_files.write_all(fd, line)
        os.fsync(fd)
        if is_kept:
            with suppress(OSError):
                os.link(path, _aside(path))
        os.replace(half, path)  # noqa: PTH105
        safe_files.sync_folder(path.parent)
    finally:
        os.close(fd)
        with suppress(OSError):
            half.unlink(missing_ok=True)


def set_end_aside(path: Path, fd: int, start: int, end: int) -> Path:
    """Keep bytes of an open file in a file beside it; gives that file, which is durable. For who holds the stream."""
    aside = _aside(path)
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
    """Remove every byte of the stream, once nobody writes it."""
    fd = _hold_open(path, wait)
    try:
        if fd is None:
            # Who unseals it just now would bring it back.
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
    """The stream's open file, locked, with no sealed one beside it; None when there is none."""
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
                # Made by who did not see that the stream was just being sealed.
                path.unlink()
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _unseal(path: Path, wait: Wait) -> bool:
    """Unpack the stream, or see that another did; False when it is not sealed.

    The sealed file is left to who holds the open one next: by then it may be another, sealed since.
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
            _unpack(fd, half)
            if not half.stat().st_size:
                # Nothing of it can be unpacked: an empty file would count for nothing beside it.
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
    """A name for a file that is not complete yet."""
    return path.with_name(f"{path.name}.{os.urandom(4).hex()}.tmp")


def _sweep(path: Path) -> None:
    """Remove what killed processes left half done. Only for who holds the stream: no other is at work on it then."""
    for half in path.parent.glob(f"{glob.escape(path.name)}.*.tmp"):
        half.unlink(missing_ok=True)


def _pack(fd: int, half: Path) -> tuple[int, str]:
    """Write the lines of an open file to `half` in frames, and read them back before anyone relies on them.

    Gives the size and the SHA-256 of what was written.
    """
    packed = safe_files.open_file(half, safe_files.NEW)
    size, hasher = 0, hashlib.sha256()
    try:
        for frame in _frames(fd):
            data = zstd.compress(frame, options=_OPTIONS)
            safe_files.write_all(packed, data)
            hasher.update(data)
            size += len(data)
        os.fsync(packed)
        if not _holds(fd, packed):
            raise OSError(errno.EIO, "what was packed does not read back")
    finally:
        os.close(packed)
    return size, hasher.hexdigest()


def _unpack(fd: int, half: Path) -> None:
    """Write the lines of a sealed file to `half`, an empty one for what is lost."""
    out = safe_files.open_file(half, safe_files.NEW)
    try:
        for line in _read_sealed(fd):
            safe_files.write_all(out, line or b"\n")
        os.fsync(out)
    finally:
        os.close(out)


def _name_once(half: Path, path: Path) -> None:
    """Give a file its name unless another has it; FileExistsError then."""
    try:
        os.link(half, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        half.rename(path)


def _drop(packed: Path, fd: int) -> None:
    """Remove a sealed file that a crash left beside the open one, if the open one holds all of it."""
    there = safe_files.open_file(packed, safe_files.READ)
    try:
        is_held = _holds(fd, there)
    finally:
        os.close(there)
    if is_held:
        packed.unlink()
    else:
        _set_aside(packed)
    safe_files.sync_folder(packed.parent)


def _set_aside(packed: Path) -> None:
    packed.rename(_aside(packed))


def _aside(path: Path) -> Path:
    """A free name for a damaged file."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.damaged{number if number > 1 else ''}")):
        number += 1
    return aside


def _holds(fd: int, packed: int) -> bool:
    """Whether the open file begins with all that the sealed one holds."""
    start = 0
    for chunk in _unpacked(packed):
        if chunk is None or os.pread(fd, len(chunk), start) != chunk:
            return False
        start += len(chunk)
    return True


def _frames(fd: int) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    for line in _read_open(fd):
        if lines and size + len(line) > FRAME_BYTES:
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def _read_open(fd: int, start: int = 0, piece_bytes: int = _PIECE_BYTES) -> Iterator[bytes]:
    with open(fd, "rb", buffering=piece_bytes, closefd=False) as file:
        file.seek(start)
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _read_sealed(fd: int, start: int = 0, _piece_bytes: int = 0) -> Iterator[bytes]:
    """The lines of a sealed file, a piece of it in memory at a time."""
    begun: list[bytes] = []
    packed_start, skip = _find_frame(fd, start) if start else (0, 0)
    for chunk in _unpacked(fd, packed_start):
        if chunk is None:
            begun, skip = [], 0
            yield LOST
            continue
        if skip:
            skipped = min(skip, len(chunk))
            skip, chunk = skip - skipped, chunk[skipped:]  # noqa: PLW2901
        for line in io.BytesIO(chunk):
            if not line.endswith(b"\n"):
                begun.append(line)
            elif begun:
                yield b"".join([*begun, line])
                begun = []
            else:
                yield line
    if begun:
        yield LOST


def _find_frame(fd: int, start: int) -> tuple[int, int]:
    """Where the frame begins that holds byte `start` of what was packed, and how far into it that is.

    Only the heads of frames are looked at. A damaged one ends that: from there on all is unpacked.
    """
    at = before = 0
    with mmap.mmap(fd, 0, access=mmap.ACCESS_READ) as packed, memoryview(packed) as view:
        while at < len(view):
            with view[at:] as rest:
                try:
                    size = zstd.get_frame_info(rest).decompressed_size
                    packed_size = zstd.get_frame_size(rest)
                except (zstd.ZstdError, ValueError):
                    break
            if size is None or before + size > start:
                break
            at, before = at + packed_size, before + size
    return at, start - before


def _unpacked(fd: int, at: int = 0) -> Iterator[bytes | None]:
    """What the frames from `at` on hold, in pieces; None where the rest of a frame cannot be unpacked."""
    size = os.fstat(fd).st_size
    while at < size:
        start = at
        unpacker = zstd.ZstdDecompressor()
        try:
            while not unpacker.eof:
                data = os.pread(fd, _PIECE_BYTES, at) if unpacker.needs_input else b""
                if unpacker.needs_input and not data:
                    break
                at += len(data)
                if chunk := unpacker.decompress(data, max_length=FRAME_BYTES):
                    yield chunk
        except zstd.ZstdError:
            pass
        if unpacker.eof:
            at -= len(unpacker.unused_data)
        else:
            yield None
            at = _next_frame(fd, start + 1, size)


def _next_frame(fd: int, start: int, size: int) -> int:
    """Where the next frame may begin; the size when none does."""
    while start < size:
        found = (data := os.pread(fd, _PIECE_BYTES, start)).find(_MAGIC)
        if found >= 0:
            return start + found
        if len(data) < len(_MAGIC):
            break
        start += len(data) - len(_MAGIC) + 1
    return size
