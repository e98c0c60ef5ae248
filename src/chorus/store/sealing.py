"""Streams packed away: `.jsonl` becomes `.jsonl.zst`, and plain `zstd -dc` gives the lines back.

Frames are independent and hold whole lines, at most 1 MiB of them, so that damage stays local. The open file wins
wherever both exist: each of the two changes first makes the new file complete and durable, then removes the old one.
"""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from chorus.store.appender import sync_folder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME_BYTES = 1 << 20
_SUFFIX = ".zst"


def sealed(path: Path) -> Path:
    """Where the stream at `path` lies when it is sealed."""
    return path.with_name(path.name + _SUFFIX)


def stream_name(file: str) -> str | None:
    """The stream that a file of this name holds, open or sealed; None when it is none of ours."""
    name = file.removesuffix(_SUFFIX)
    return name.removesuffix(".jsonl") if name.endswith(".jsonl") else None


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a stream, open or sealed, each with its newline; a torn last line is left out.

    A frame that cannot be unpacked is given as one empty line, so that its place is known and the rest is read.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield from _read_sealed(sealed(path))
        return
    with file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def seal(path: Path) -> None:
    """Pack the stream; does nothing when there is no open file."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    half = path.with_name(f"{path.name}{_SUFFIX}.{os.getpid()}.tmp")
    with file:
        _lock(file.fileno())
        try:
            fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(fd, "wb") as packed:
                for frame in _frames(file):
                    packed.write(zstd.compress(frame, level=9))
                packed.flush()
                os.fsync(fd)
            half.replace(sealed(path))
            sync_folder(path.parent)
            path.unlink()
            sync_folder(path.parent)
        finally:
            half.unlink(missing_ok=True)


def unseal(path: Path) -> None:
    """Unpack the stream; does nothing when it is not sealed."""
    packed = sealed(path)
    if path.exists():
        if packed.exists():
            packed.unlink()
        return
    if not packed.exists():
        return
    half = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            for line in _read_sealed(packed):
                file.write(line)
            file.flush()
            os.fsync(fd)
        half.replace(path)
        sync_folder(path.parent)
        packed.unlink()
        sync_folder(path.parent)
    finally:
        half.unlink(missing_ok=True)


def _frames(file: io.BufferedReader) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    for line in file:
        if lines and size + len(line) > FRAME_BYTES:
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def _read_sealed(path: Path) -> Iterator[bytes]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    while data:
        try:
            unpacker = zstd.ZstdDecompressor()
            frame = unpacker.decompress(data)
            rest = unpacker.unused_data
        except zstd.ZstdError:
            yield b"\n"
            start = data.find(_MAGIC, 1)
            data = data[start:] if start > 0 else b""
            continue
        yield from io.BytesIO(frame)
        data = rest if len(rest) < len(data) else b""


_MAGIC = b"\x28\xb5\x2f\xfd"


def _lock(fd: int) -> None:
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX)
