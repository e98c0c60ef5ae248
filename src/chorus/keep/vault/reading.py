"""Checks stored lines in order, and reports what is damaged, missing or out of order."""

from collections.abc import Iterable, Iterator

from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.packed_frames import LOST
from chorus.keep.vault.port import Damaged


def checked(
    key: StreamKey, lines: Iterable[bytes], start: int = 0, *, is_trusted: bool = False
) -> Iterator[StoredLine | Damaged]:
    """Yield the lines of the stream's file in order, and a `Damaged` for each one that is damaged or missing.

    Every undamaged line is yielded, wherever it is. A line that was stored again after damage has the number of the
    damaged one, so nothing is missing then. `lines` begin at the offset `start`; earlier lines do not count as missing.
    With `is_trusted`, checksums are not compared.
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
            # The numbering continues as if the lines existed.
            number = max(number, lost_from + missing)
            yield Damaged(key, lost_from, f"it and what follows before line {number} cannot be unpacked")
        elif missing > 0:
            lines_are = "1 line before it is" if missing == 1 else f"{missing} lines before it are"
            yield Damaged(key, number, f"{lines_are} missing")
        elif seq < expected:
            yield Damaged(key, number, f"is out of order: it is number {seq}, not {expected}")
        lost_from, damaged, expected = None, 0, seq + 1
        yield found
    if lost_from is not None:
        yield Damaged(key, lost_from, "it and all that follows cannot be unpacked")
