"""A table on disk next to a journal: the state built from its first lines, so that opening reads only the rest.

    header (JSON with a sum, one line) · items · where each item is · keys in order · the sequence

Items have a key of 16 bytes and a number; the sequence is a list of such numbers. Only the header is read when the
table is opened. The table is disposable: one that does not fit the journal is ignored and written again.
"""

import contextlib
import hashlib
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.keep.vault import safe_files
from chorus.keep.vault.journal import Position

KEY_BYTES = 16
_NUMBER_BYTES = 4
_CELL = KEY_BYTES + _NUMBER_BYTES
_OPENING = b'{"sum":"'
_SUM_CHARS = 16
_LONGEST_HEADER = 4 << 20
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
FORMAT = 1


class Header(Struct, frozen=True):
    """The sizes of the parts, the position in the journal that they were built from, and a few data of the owner."""

    format: int
    position: Position
    count: int
    sequence: int
    items_bytes: int
    own: msgspec.Raw


class Table:
    """An open table, read in place. Not safe for use by several threads at once."""

    def __init__(self, fd: int, header: Header, start: int) -> None:
        self._fd = fd
        self.header = header
        self._items = start
        self._places = start + header.items_bytes
        self._keys = self._places + 8 * (2 * header.count)
        self._sequence = self._keys + _CELL * header.count

    def __len__(self) -> int:
        return self.header.count

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._fd)

    def find(self, key: bytes) -> int | None:
        """Return the number of the item with this key, or None."""
        at = self._from(key)
        cell = self._cell(at) if at < len(self) else b""
        return int.from_bytes(cell[KEY_BYTES:]) if cell[:KEY_BYTES] == key else None

    def between(self, first: bytes, last: bytes) -> Iterator[int]:
        """Yield the numbers of the items whose keys are between these two, both included."""
        at = self._from(first)
        while at < len(self) and (cell := self._cell(at))[:KEY_BYTES] <= last:
            yield int.from_bytes(cell[KEY_BYTES:])
            at += 1

    def item(self, number: int) -> bytes:
        """Return an item; empty if it cannot be read."""
        place = array("Q", self._read(self._places + 16 * number, 16))
        return self._read(self._items + place[0], place[1]) if len(place) == 2 else b""

    def sequence(self, start: int) -> list[int]:
        """Return the sequence from an index on."""
        data = self._read(self._sequence + _NUMBER_BYTES * start, _NUMBER_BYTES * (self.header.sequence - start))
        return [int.from_bytes(data[at : at + _NUMBER_BYTES]) for at in range(0, len(data), _NUMBER_BYTES)]

    def parts(self) -> tuple[bytes, "array[int]", bytes, bytes]:
        """Return everything: items, places, keys, sequence."""
        count = len(self)
        return (
            self._read(self._items, self.header.items_bytes),
            array("Q", self._read(self._places, 16 * count)),
            self._read(self._keys, _CELL * count),
            self._read(self._sequence, _NUMBER_BYTES * self.header.sequence),
        )

    def _from(self, key: bytes) -> int:
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._cell(middle)[:KEY_BYTES] < key:
                low = middle + 1
            else:
                high = middle
        return low

    def _cell(self, at: int) -> bytes:
        return self._read(self._keys + _CELL * at, _CELL)

    def _read(self, start: int, size: int) -> bytes:
        try:
            return b"".join(safe_files.pieces(self._fd, start, start + size))
        except OSError:
            return b""


def open_table(path: Path) -> Table | None:
    """Return the table in a file, or None if there is no usable one."""
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except OSError:
        return None
    try:
        table = _open_table(fd)
    except (OSError, ValueError):
        table = None
    if table is None:
        os.close(fd)
    return table


def _open_table(fd: int) -> Table | None:
    head = os.pread(fd, 4096, 0)
    while b"\n" not in head and len(head) < _LONGEST_HEADER:
        more = os.pread(fd, len(head), len(head))
        if not more:
            return None
        head += more
    line, _, _ = head.partition(b"\n")
    start = len(_OPENING) + _SUM_CHARS
    rest = line[start + 2 :]
    if not line.startswith(_OPENING) or line[len(_OPENING) : start] != _sum(rest):
        return None
    try:
        header = _header.decode(b"{" + rest)
    except _REFUSALS:
        return None
    table = Table(os.dup(fd), header, len(line) + 1)
    size = table._sequence + _NUMBER_BYTES * header.sequence
    if header.format != FORMAT or os.fstat(fd).st_size != size:
        return None
    os.close(fd)
    return table


def write_table(
    path: Path,
    before: Table | None,
    *,
    position: Position,
    own: bytes,
    changed: Mapping[int, bytes],
    added: Sequence[tuple[bytes, bytes]],
    sequence: Sequence[int],
) -> None:
    """Write a table: the previous one, with changed items, added items (key and content), and more sequence.

    Raises OSError if it cannot be written; the previous table then stays.
    """
    items, where, keys, sequence_data = before.parts() if before is not None else (b"", array("Q"), b"", b"")
    pieces, size = [items], len(items)
    for number, item in changed.items():
        where[2 * number], where[2 * number + 1] = size, len(item)
        pieces.append(item)
        size += len(item)
    cells = [keys[at : at + _CELL] for at in range(0, len(keys), _CELL)]
    for key, item in added:
        cells.append(key + len(cells).to_bytes(_NUMBER_BYTES))
        where.extend((size, len(item)))
        pieces.append(item)
        size += len(item)
    count = len(cells)
    cells.sort()
    more = b"".join(each.to_bytes(_NUMBER_BYTES) for each in sequence)
    sequence_data += more
    header = Header(FORMAT, position, count, len(sequence_data) // _NUMBER_BYTES, size, msgspec.Raw(own))
    rest = msgspec.json.encode(header)[1:]
    line = b'%s%s",%s\n' % (_OPENING, _sum(rest), rest)
    safe_files.make_folders(path.parent.parent, path.parent)
    safe_files.put_file(path, b"".join([line, *pieces, where.tobytes(), *cells, sequence_data]))


def _sum(rest: bytes) -> bytes:
    return hashlib.sha256(rest).hexdigest()[:_SUM_CHARS].encode()


_header = msgspec.json.Decoder(Header)
