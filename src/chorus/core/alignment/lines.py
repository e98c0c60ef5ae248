"""Aligns two texts line by line: which line of one is which line of the other.

Lines that are unique in both texts are matched first, in their longest common order ("patience"); what lies between
them is compared directly. Moved and repeated lines are left unmatched rather than matched by chance.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeVar

from chorus.core.alignment.rising import rising

_Line = TypeVar("_Line", bound=Hashable)
_MAX_PRODUCT = 4_000_000
"""Between two anchors, texts whose lengths have a larger product than this are not compared line by line."""
_MAX_PRODUCTS = 16_000_000
"""The same for all such parts of one text together, so that hostile input costs a bounded time."""


def align(old: Sequence[_Line], new: Sequence[_Line]) -> list[tuple[int, int]]:
    """Returns pairs of positions of equal lines, increasing in both texts."""
    found: list[tuple[int, int]] = []
    waiting = [(0, len(old), 0, len(new))]
    left = _MAX_PRODUCTS
    while waiting:
        a, a_end, b, b_end = waiting.pop()
        while a < a_end and b < b_end and old[a] == new[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            found.append((a_end, b_end))
        if a == a_end or b == b_end:
            continue
        anchors = _anchors(old, new, a, a_end, b, b_end)
        if not anchors:
            product = (a_end - a) * (b_end - b)
            if product <= min(left, _MAX_PRODUCT):
                left -= product
                found += _compared(old, new, a, a_end, b, b_end)
            continue
        found += anchors
        edges = [(a - 1, b - 1), *anchors, (a_end, b_end)]
        for (left_a, left_b), (right_a, right_b) in pairwise(edges):
            waiting.append((left_a + 1, right_a, left_b + 1, right_b))
    return sorted(found)


def _anchors(
    old: Sequence[_Line], new: Sequence[_Line], a: int, a_end: int, b: int, b_end: int
) -> list[tuple[int, int]]:
    """Returns the lines that are unique in both parts, as far as they are in the same order."""
    old_counts, new_counts = Counter(old[a:a_end]), Counter(new[b:b_end])
    places = {new[at]: at for at in range(b, b_end) if new_counts[new[at]] == 1 and old_counts[new[at]] == 1}
    return rising([(at, places[old[at]]) for at in range(a, a_end) if old[at] in places])


def _compared(
    old: Sequence[_Line], new: Sequence[_Line], a: int, a_end: int, b: int, b_end: int
) -> list[tuple[int, int]]:
    blocks = SequenceMatcher(None, old[a:a_end], new[b:b_end], autojunk=False).get_matching_blocks()
    return [(a + block.a + at, b + block.b + at) for block in blocks for at in range(block.size)]
