"""Aligns two sequences by keys, from strong keys to weak ones, in n log n steps.

Each level has one key for every element, or None. A level pairs elements with equal keys only between neighbouring
pairs of the levels before it, so that a weak key never crosses a strong one. Keys that occur once on both sides of a
gap come first: they are the most certain. Then the nth occurrence of a key on one side belongs to the nth on the other.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from chorus.core.alignment.rising import rising

Keys = Sequence[Hashable | None]
"""The keys of one side; None for an element that this level does not pair."""
Match = tuple[int, int, int]
"""An element of the left side, one of the right side, and the level that paired them."""
_Gap = tuple[Keys, int, int]
"""One side of a gap: all keys of the side, and the positions at which the gap starts and ends."""
_Choice = Callable[[_Gap, _Gap], list[tuple[int, Hashable]]]
"""Returns the keys of the first side by which a gap is paired, with their positions."""


def aligned(levels: Iterable[tuple[Keys, Keys]]) -> list[Match]:
    """Returns the pairs in order. Both of their positions rise, and no element is in two pairs."""
    found: list[Match] = []
    for level, (left, right) in enumerate(levels):
        for keys in (_keys_that_occur_once, _keys_with_numbers):
            found = sorted([*found, *_between(found, left, right, level, keys)])
    return found


def _between(found: list[Match], left: Keys, right: Keys, level: int, keys: _Choice) -> Iterator[Match]:
    """Yields the pairs of one level in the gaps between the pairs that were found before."""
    last_left = last_right = 0
    for next_left, next_right, _ in [*found, (len(left), len(right), level)]:
        if next_left > last_left and next_right > last_right:
            mine, theirs = (left, last_left, next_left), (right, last_right, next_right)
            place = {key: at for at, key in keys(theirs, mine)}
            pairs = [(at, place[key]) for at, key in keys(mine, theirs) if key in place]
            for at, other in rising(pairs):
                yield at, other, level
        last_left, last_right = next_left + 1, next_right + 1


def _keys_that_occur_once(own_side: _Gap, other_side: _Gap) -> list[tuple[int, Hashable]]:
    """Returns the keys that occur once on both sides of the gap."""
    own, start, end = own_side
    other, other_start, other_end = other_side
    mine, theirs = Counter(own[start:end]), Counter(other[other_start:other_end])
    return [
        (at, key)
        for at in range(start, end)
        if (key := own[at]) is not None and mine[key] == 1 and theirs.get(key) == 1
    ]


def _keys_with_numbers(own_side: _Gap, _other_side: _Gap) -> list[tuple[int, Hashable]]:
    """Returns the keys of a gap, each with how often it occurred before in the gap."""
    own, start, end = own_side
    seen: Counter[Hashable] = Counter()
    numbered: list[tuple[int, Hashable]] = []
    for at in range(start, end):
        if (key := own[at]) is not None:
            numbered.append((at, (key, seen[key])))
            seen[key] += 1
    return numbered
