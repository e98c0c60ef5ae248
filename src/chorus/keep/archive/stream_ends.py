"""Reads the two ends of a stored stream, without locks, and without unpacking or reading what is between them."""

import os
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from chorus.keep.vault import safe_files, sealing
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.port import Damaged, Tail, Vault

_END_BYTES = 64 << 10
_MAX_BYTES = 16 << 20
"""A stream with a longer last line is read from its start."""
_LOOK_BACK = 50
"""The number of lines at an end that are searched for one that states its time."""


class Ends(Struct, frozen=True):
    """What is known from the ends of a stream."""

    tail: Tail = Tail()
    """Where the stream ends, as an appender would find it."""
    has_own_times: bool = False
    """Whether a record at either end states its time; otherwise only the times at which lines were seen are known."""
    damage: str | None = None
    """What is wrong with the last line; None if it is undamaged."""


def size_of(vault: Vault, key: StreamKey) -> int:
    """Return the size of the stream in the vault, in bytes."""
    if isinstance(vault, FileVault):
        path = vault.path(key)
        for place in (path, sealing.sealed(path)):
            try:
                size = place.lstat().st_size
            except OSError:
                continue
            if size:
                return size
        return 0
    return sum(len(line.bytes) for line in vault.lines(key) if isinstance(line, StoredLine))


def ends(vault: Vault, key: StreamKey) -> Ends:
    """Return the ends of a stream: from a few blocks of an open file, else from all its lines. Never raises."""
    try:
        found = _ends_of_file(vault.path(key)) if isinstance(vault, FileVault) else None
        return found or _ends_of_lines(vault.lines(key))
    except OSError as error:
        return Ends(damage=f"cannot be read: {error.strerror or error}")


def _ends_of_file(path: Path) -> Ends | None:
    """Return the ends, or None if there is no open file or it has to be read completely."""
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as file:
        size = os.fstat(fd).st_size
        if not size:
            # An empty file may exist next to a sealed one.
            return None
        head = [file.readline(_MAX_BYTES), *file.read(_END_BYTES).splitlines(keepends=True)]
        reach = _END_BYTES
        while reach <= _MAX_BYTES:
            file.seek(max(0, size - reach))
            block = file.read(reach)
            last = block[: block.rfind(b"\n") + 1].splitlines(keepends=True)
            if reach < size:
                # The first line is cut: it began before the block.
                last = last[1:]
            if last or reach >= size:
                torn = "its last line is torn" if size and not block.endswith(b"\n") else None
                return _combined(head, last, torn)
            reach *= 4
    return None


def _combined(head: list[bytes], last: list[bytes], torn: str | None) -> Ends:
    firsts = [line for text in head[:_LOOK_BACK] if (line := _whole(text))]
    lasts = [line for text in last[-_LOOK_BACK:] if (line := _whole(text))]
    damage = torn
    if last and _whole(last[-1]) is None:
        damage = "its last line is damaged"
    return _ends_from(firsts, lasts, damage)


def _ends_of_lines(lines: Iterable[StoredLine | Damaged]) -> Ends:
    firsts: list[StoredLine] = []
    lasts: list[StoredLine] = []
    damage: str | None = None
    for line in lines:
        damage = f"line {line.number}: {line.reason}" if isinstance(line, Damaged) else None
        if isinstance(line, StoredLine):
            if len(firsts) < _LOOK_BACK:
                firsts.append(line)
            lasts = [*lasts[-_LOOK_BACK:], line]
    return _ends_from(firsts, lasts, damage)


def _ends_from(firsts: list[StoredLine], lasts: list[StoredLine], damage: str | None) -> Ends:
    has_own_times = not all(line.head.seen for line in (*firsts, *lasts))
    return Ends(_tail_of(lasts[-1]) if lasts else Tail(), has_own_times, damage)


def _whole(text: bytes) -> StoredLine | None:
    try:
        return decode(text)
    except ValueError:
        return None


def _tail_of(last: StoredLine) -> Tail:
    return Tail(last.head.revision, last.head.offset + len(last.bytes), last.head.seq + 1)
