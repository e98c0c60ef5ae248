"""Stored lines checked one after the other: what is damaged, missing or out of order is told with its place."""

from collections.abc import Iterable, Iterator

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.port import Damaged
from chorus.keep.vault.sealing import LOST


def checked(
    key: StreamKey, lines: Iterable[bytes], start: int = 0, *, is_trusted: bool = False
) -> Iterator[StoredLine | Damaged]:
    """The lines as they lie in the stream's file, and a `Damaged` for each that cannot be trusted or is not there.

    Every whole line is given, wherever it stands. A line kept again after damage has the number of the damaged one, so
    nothing is missing then. The lines are those from `start` on: before it nothing is missed. With `is_trusted` they
    are as they were written, and no checksum is compared.
    """
    number = 0
    expected: int | None = 0 if start == 0 else None
    damaged = 0
    lost_from: int | None = None
    at = next_at = start
    for line in lines:
        number += 1
        at, next_at = next_at, next_at + len(line)
        if line == LOST:
            lost_from = number if lost_from is None else lost_from
            continue
        try:
            found = decode(line, is_trusted=is_trusted)
        except ValueError as error:
            damaged += 1
            yield Damaged(key, number, str(error))
            continue
        found.at, found.next_at = at, next_at
        seq = found.head.seq
        if seq == expected and not damaged and lost_from is None:
            expected = seq + 1
            yield found
            continue
        if expected is None:
            number = seq + 1
            expected = seq - damaged
        missing = seq - expected - damaged
        if lost_from is not None:
            # Numbers go on as if the lines were there.
            number = max(number, lost_from + missing)
            yield Damaged(key, lost_from, f"it and what follows before line {number} cannot be unpacked")
        elif missing > 0:
            lines_are = "1 line before it is" if missing == 1 else f"{missing} lines before it are"
            yield Damaged(key, number, f"{lines_are} missing")
        elif seq < expected:
            yield Damaged(key, number, f"stands out of order: it is number {seq}, not {expected}")
        lost_from, damaged, expected = None, 0, seq + 1
        yield found
    if lost_from is not None:
        yield Damaged(key, lost_from, "it and all that follows cannot be unpacked")
