"""The entries of a pack: a small part of the tar format, so that `tar` can read a pack, and little can be wrong in it.

Only regular files with a name and a size. Links, devices, folders, sparse files and the extensions of GNU tar are
refused. A long or non-ASCII name has a pax header with the single key `path`, as in POSIX.1-2001.
"""

import tarfile
from collections.abc import Callable, Iterator

from msgspec import Struct

BLOCK = 512
END = bytes(2 * BLOCK)
_MODE = 0o600
_MAX_PAX_BYTES = 4096
_FILE, _OLD_FILE, _PAX = b"0", b"\0", b"x"
_KINDS = {b"1": "a link", b"2": "a link", b"3": "a device", b"4": "a device", b"5": "a folder", b"6": "a named pipe"}

Read = Callable[[int], bytes]
"""Returns exactly this number of bytes, or raises ValueError."""


class TarEntry(Struct, frozen=True):
    """The header of one file."""

    name: str
    size_bytes: int


def header(entry: TarEntry) -> bytes:
    """Return the header of a file, always the same for the same name and size."""
    info = tarfile.TarInfo(entry.name)
    info.size, info.mode = entry.size_bytes, _MODE
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


def padding(size_bytes: int) -> bytes:
    """Return the filling after the content of a file."""
    return bytes(-size_bytes % BLOCK)


def read_header(read: Read) -> TarEntry | None:
    """Read the header of the next file; None at the end of the archive. Raises ValueError if it is something else."""
    block = read(BLOCK)
    if not any(block):
        return None
    kind, size_bytes = _checked(block)
    if kind != _PAX:
        return TarEntry(_short_name(block), size_bytes)
    if size_bytes > _MAX_PAX_BYTES:
        raise ValueError("a header is too long")
    name = _long_name(read(size_bytes))
    _refuse_filling(read(len(padding(size_bytes))))
    kind, size_bytes = _checked(read(BLOCK))
    if kind == _PAX:
        raise ValueError("an entry has two long headers")
    return TarEntry(name, size_bytes)


def content(read: Read, size_bytes: int, piece_bytes: int) -> Iterator[bytes]:
    """Yield the content of a file in pieces, and read the filling after it."""
    left = size_bytes
    while left:
        piece = read(min(left, piece_bytes))
        left -= len(piece)
        yield piece
    _refuse_filling(read(len(padding(size_bytes))))


def _checked(block: bytes) -> tuple[bytes, int]:
    """Return kind and size of an entry."""
    stated = _octal(block[148:156])
    if stated != sum(block[:148]) + 8 * 0x20 + sum(block[156:]):
        raise ValueError("the header of an entry is damaged")
    if block[257:263] != b"ustar\0":
        raise ValueError("an entry is not in the format ustar or pax")
    kind = block[156:157]
    if kind not in (_FILE, _OLD_FILE, _PAX):
        raise ValueError(f"an entry is {_KINDS.get(kind, 'not a regular file')}")
    return kind, _octal(block[124:136])


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not digits or any(digit not in b"01234567" for digit in digits):
        raise ValueError("the header of an entry is damaged")
    return int(digits, 8)


def _short_name(block: bytes) -> str:
    name, prefix = (part.partition(b"\0")[0] for part in (block[:100], block[345:500]))
    return _text(prefix + b"/" + name if prefix else name)


def _long_name(data: bytes) -> str:
    """Return the path of a pax header, which consists of `LENGTH path=NAME` and a newline."""
    length, _, rest = data.partition(b" ")
    key, _, name = rest.partition(b"=")
    if length != str(len(data)).encode() or key != b"path" or not name.endswith(b"\n"):
        raise ValueError("a header has more than a long name")
    return _text(name[:-1])


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise ValueError("a name is not UTF-8") from error


def _refuse_filling(filling: bytes) -> None:
    if any(filling):
        raise ValueError("there are bytes between two entries")
