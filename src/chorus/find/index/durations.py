"""Durations in classes that can be added up: medians and percentiles of any selection follow from the counts.

There are eight classes for each doubling. A percentile is the middle of its class, at most 4.5 % off.
"""

from collections.abc import Mapping
from math import ceil, floor, log2

PER_DOUBLING = 8
ERROR = 2 ** (1 / (2 * PER_DOUBLING)) - 1
"""How far a percentile may be off, as a share of it."""
NO_CLASS = -1
"""The class of what has no duration."""
_MAX_MS = 1 << 50


def class_of(duration_ms: int | None) -> int:
    """Returns the class of a duration: 0 for less than a millisecond, `NO_CLASS` for None."""
    if duration_ms is None:
        return NO_CLASS
    if duration_ms < 1:
        return 0
    return 1 + floor(log2(min(duration_ms, _MAX_MS)) * PER_DOUBLING)


def middle_ms(number: int) -> float:
    """Returns the duration that stands for a class: its geometric middle."""
    return 0.0 if number < 1 else 2 ** ((number - 0.5) / PER_DOUBLING)


def percentile_ms(counts: Mapping[int, int], share: float) -> float | None:
    """Returns the duration below or at which this share lies (nearest rank); None if nothing has a duration."""
    timed = sorted((number, count) for number, count in counts.items() if number != NO_CLASS and count > 0)
    total = sum(count for _, count in timed)
    rank = max(1, ceil(share * total))
    reached = 0
    for number, count in timed:
        reached += count
        if reached >= rank:
            return middle_ms(number)
    return None
