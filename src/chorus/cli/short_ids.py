"""Short ids: as many first characters as are needed to distinguish them."""

from collections.abc import Iterable
from itertools import pairwise

SHOWN = 8
"""Minimum number of characters that are shown."""


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return for each id its shortest unique beginning, but at least `SHOWN` characters."""
    every = sorted(set(ids))
    shared = dict.fromkeys(every, 0)
    for one, other in pairwise(every):
        common = _common(one, other)
        shared[one] = max(shared[one], common)
        shared[other] = max(shared[other], common)
    return {each: each[: max(SHOWN, shared[each] + 1)] for each in every}


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (char, other_char) in enumerate(pairs) if char != other_char), min(len(one), len(other)))
