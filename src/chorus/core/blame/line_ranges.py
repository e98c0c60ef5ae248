"""Numbers of lines as ranges, as other programs write them: `1-4,7`."""

import re
from collections.abc import Iterable, Sequence

Range = tuple[int, int]
"""The first and the last line, from 1, both inclusive."""
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def ranges_of(numbers: Iterable[int]) -> list[Range]:
    """Returns the fewest ranges that have exactly these numbers."""
    found: list[Range] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def write_ranges(ranges: Iterable[Range]) -> str:
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)


def read_ranges(text: str) -> list[Range]:
    """Returns the ranges of a text. Raises `ValueError` if it is no list of ranges."""
    found: list[Range] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"no range of lines: {part[:40]!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last:
            raise ValueError(f"no range of lines: {part[:40]!r}")
        found.append((first, last))
    return found


def contains(ranges: Sequence[Range], number: int) -> bool:
    return any(first <= number <= last for first, last in ranges)
