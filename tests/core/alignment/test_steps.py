"""Tests the alignment of two sequences by keys."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.alignment.steps import aligned

WORDS = st.lists(st.sampled_from("abcdef"), max_size=30)


def pairs(left, right):
    return [(a, b) for a, b, _ in aligned([(left, right)])]


@given(WORDS, WORDS)
def test_pairs_are_equal_and_rise_on_both_sides(left, right):
    """Every pair has equal keys, and no pair crosses another."""
    found = pairs(left, right)

    assert all(left[a] == right[b] for a, b in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))


@given(WORDS)
def test_a_sequence_is_aligned_completely_with_itself(words):
    """Equal sequences have no element left over, however often a key is repeated."""
    assert pairs(words, words) == [(n, n) for n in range(len(words))]


@given(st.lists(st.integers(), unique=True, max_size=40), st.randoms())
def test_distinct_keys_are_aligned_as_well_as_possible(words, random):
    """If no key is repeated, as many pairs are found as any alignment can have."""
    other = [word for word in words if random.random() < 0.7]
    swapped = other[len(other) // 2 :] + other[: len(other) // 2]

    assert len(pairs(words, other)) == len(other)
    best = max(len(swapped) - len(other) // 2, len(other) // 2)
    assert len(pairs(words, swapped)) == best


def test_a_weaker_level_does_not_cross_a_stronger_one():
    """Elements that a later level could pair only across an earlier pair are not paired."""
    strong = (["p", None, None], [None, None, "p"])
    weak = ([None, "x", "y"], ["x", "y", None])

    assert aligned([strong, weak]) == [(0, 2, 0)]


def test_an_element_without_a_key_is_not_paired():
    """An element with the key None is not paired."""
    assert pairs([None, "a"], [None, "a"]) == [(1, 1)]
