"""Tests of the alignment of two texts."""

import random
from itertools import pairwise

from chorus.core.alignment import lines
from chorus.core.alignment.lines import align


def test_unique_lines_are_matched_and_moved_lines_are_not():
    """Lines that stay in order are matched; a line that moved is left unmatched."""
    assert align("abcXde", "abcde") == [(0, 0), (1, 1), (2, 2), (4, 3), (5, 4)]
    assert (0, 3) not in align("mxyz", "xyzm")


def test_pairs_are_equal_lines_in_order():
    """Random texts are matched only where they are equal, in increasing order in both."""
    chance = random.Random(7)
    for _ in range(200):
        old, new = (chance.choices("abcdefg\n", k=chance.randrange(30)) for _ in range(2))
        found = align(old, new)
        assert all(old[a] == new[b] for a, b in found)
        assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))


def test_the_work_for_repeated_lines_is_bounded(monkeypatch):
    """Many parts of repeated lines are compared only up to a total amount of work."""
    products = []
    compared = lines._compared

    def counting(old, new, a, a_end, b, b_end):
        products.append((a_end - a) * (b_end - b))
        return compared(old, new, a, a_end, b, b_end)

    monkeypatch.setattr(lines, "_compared", counting)
    monkeypatch.setattr(lines, "_MAX_PRODUCTS", 50_000)
    chance = random.Random(3)
    sides = [[line for part in range(40) for line in (f"anchor {part}", *chance.choices("ab", k=60))] for _ in range(2)]
    found = align(*sides)
    assert 0 < sum(products) <= 50_000
    assert sum(sides[0][a].startswith("anchor") for a, _ in found) == 40
