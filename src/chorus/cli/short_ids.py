"""Short ids: as many first characters as are needed to distinguish them."""

import re
from collections.abc import Iterable
from itertools import pairwise

SHOWN = 8
"""Minimum number of characters that are shown."""
_HASH = re.compile(r"-[0-9a-f]{8}\Z")
"""The end of the id of a conversation whose file names no session. The name of the file stands before it."""
_MAX_NAMED = 12


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return for each id its shortest unique beginning, but at least `SHOWN` characters.

    The name of a file in an id, such as `summary-2bddb854`, is shown with the beginning of what follows it.
    """
    every = sorted(set(ids))
    shared = dict.fromkeys(every, 0)
    for one, other in pairwise(every):
        common = _common(one, other)
        shared[one] = max(shared[one], common)
        shared[other] = max(shared[other], common)
    return {each: each[: max(_least(each), shared[each] + 1)] for each in every}


def _least(one: str) -> int:
    """Return how many characters are shown if no other id begins with them."""
    found = _HASH.search(one)
    return min(max(SHOWN, found.start() + 5), _MAX_NAMED) if found else SHOWN


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (char, other_char) in enumerate(pairs) if char != other_char), min(len(one), len(other)))
