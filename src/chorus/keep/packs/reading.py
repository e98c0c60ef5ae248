"""Reads a pack piece by piece: nothing in it is believed, and no more than it declares is unpacked."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from chorus.errors import ChorusError
from chorus.keep.packs import tar_blocks
from chorus.keep.packs.contents import CONTENTS, MAX_CONTENTS_BYTES, Contents, PackedFile, read_contents
from chorus.keep.sources.file_access import open_file

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_BYTES = 4 << 30
"""What a pack may become without `--large`."""
MAX_RATIO = 1_000
"""How many times its own size a pack may become without `--large`, if it becomes larger than `FREE_BYTES`."""
FREE_BYTES = 64 << 20
_WINDOW_LOG = 27
"""The reader needs at most 128 MiB for unpacking."""
_PIECE_BYTES = 256 << 10
_MAX_FILLING = 64 << 10
_Found = TypeVar("_Found")
_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}


class PackReader:
    """An open pack; used as a context manager. Every method raises ChorusError if the pack is not what it should be."""

    def __init__(self, path: Path, *, is_large: bool) -> None:
        """Open a pack and read its list of contents. `is_large` lifts the limits of size."""
        self.path = path
        self._is_large = is_large
        self._file = open_file(path, None)
        self._unpacker = zstd.ZstdDecompressor(options=_OPTIONS)
        self._ready = b""
        self._taken_bytes = self._given_bytes = 0
        try:
            self.contents = self._checked(self._read_contents)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._file.close()

    def files(self) -> Iterator[tuple[PackedFile, Iterator[bytes]]]:
        """Yield each file with its bytes in pieces, which must be consumed before the next file.

        The last piece is followed by a check of length and digest, the last file by a check of the pack's end.
        """
        for file in self.contents.files:
            yield file, self._pieces(file)
        self._checked(self._read_end)

    def error(self, reason: object) -> ChorusError:
        """Return the error about this pack."""
        return ChorusError(f"{self.path}: {reason}; nothing was written")

    def _read_contents(self) -> Contents:
        entry = tar_blocks.read_header(self._read)
        if entry is None or entry.name != CONTENTS:
            raise ValueError("it is not a pack of Chorus")
        if entry.size_bytes > MAX_CONTENTS_BYTES:
            raise ValueError(f"its {CONTENTS} is too large")
        contents = read_contents(b"".join(tar_blocks.content(self._read, entry.size_bytes, _PIECE_BYTES)))
        size_bytes = contents.size_bytes
        if size_bytes > MAX_BYTES and not self._is_large:
            raise ValueError(f"it contains {size_bytes:,} bytes; pass --large if you trust it")
        return contents

    def _pieces(self, file: PackedFile) -> Iterator[bytes]:
        entry = self._checked(lambda: tar_blocks.read_header(self._read))
        if entry is None or (entry.name, entry.size_bytes) != (file.name, file.size):
            raise self.error(f"where {file.name!r} should be is something else")
        digest = hashlib.sha256()
        try:
            for piece in tar_blocks.content(self._read, file.size, _PIECE_BYTES):
                digest.update(piece)
                yield piece
        except (ValueError, zstd.ZstdError, OSError) as error:
            raise self.error(_plain(error)) from error
        if digest.hexdigest() != file.sha256:
            raise self.error(f"{file.name!r} is damaged: its digest is another one")

    def _read_end(self) -> None:
        if tar_blocks.read_header(self._read) is not None or any(self._read(tar_blocks.BLOCK)):
            raise ValueError(f"it has more files than its {CONTENTS} names")
        filling = 0
        while piece := self._some():
            filling += len(piece)
            if any(piece) or filling > _MAX_FILLING:
                raise ValueError("there are bytes after its end")
        if not self._unpacker.eof:
            raise ValueError("it is cut off")
        if self._unpacker.unused_data or self._file.read(1):
            raise ValueError("there are bytes after its end")

    def _checked(self, read: Callable[[], _Found]) -> _Found:
        try:
            return read()
        except (ValueError, zstd.ZstdError, OSError) as error:
            raise self.error(_plain(error)) from error

    def _read(self, size_bytes: int) -> bytes:
        """Return exactly this number of unpacked bytes. Raises ValueError if the pack ends before."""
        parts: list[bytes] = []
        left = size_bytes
        while left:
            if not self._ready:
                self._ready = self._some()
                if not self._ready:
                    raise ValueError("it is cut off")
            parts.append(self._ready[:left])
            self._ready = self._ready[left:]
            left -= len(parts[-1])
        return b"".join(parts)

    def _some(self) -> bytes:
        """Return some unpacked bytes; none at the end."""
        if self._ready:
            ready, self._ready = self._ready, b""
            return ready
        while not self._unpacker.eof:
            packed = b""
            if self._unpacker.needs_input:
                packed = self._file.read(_PIECE_BYTES)
                self._taken_bytes += len(packed)
                if not packed:
                    return b""
            if piece := self._unpacker.decompress(packed, _PIECE_BYTES):
                self._given_bytes += len(piece)
                self._refuse_bomb()
                return piece
        return b""

    def _refuse_bomb(self) -> None:
        if self._is_large or self._given_bytes <= FREE_BYTES:
            return
        if self._given_bytes > MAX_RATIO * self._taken_bytes or self._given_bytes > 2 * MAX_BYTES:
            raise ValueError(f"it becomes more than {MAX_RATIO:,} times as large; pass --large if you trust it")


def _plain(error: Exception) -> str:
    if isinstance(error, zstd.ZstdError):
        return "it is not a pack of Chorus, or it is damaged"
    return (error.strerror or os.strerror(error.errno or 0)) if isinstance(error, OSError) else str(error)
