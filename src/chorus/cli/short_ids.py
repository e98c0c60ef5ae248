"""Ids as people write them: the first characters, as many as tell them apart."""

from collections.abc import Iterable
from itertools import pairwise

SHOWN = 8
"""So many characters of an id are shown where they tell it from all others."""


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """The beginning of each id that no other of them shares, `SHOWN` characters or more."""
    every = sorted(set(ids))
    shared = dict.fromkeys(every, 0)
    for one, other in pairwise(every):
        common = _common(one, other)
        shared[one] = max(shared[one], common)
        shared[other] = max(shared[other], common)
    return {each: each[: max(SHOWN, shared[each] + 1)] for each in every}


def _common(one: str, other: str) -> int:
    """How many characters at the beginning are the same."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (char, beside) in enumerate(pairs) if char != beside), min(len(one), len(other)))
