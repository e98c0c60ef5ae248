"""Sorted lists of sketches, and iteration over several such lists in merged order."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from chorus.show.transcripts.sketch import Sketch, key_of_sketch

Key = tuple[str, str]
Stretch = tuple[Key | None, Key | None]
"""A part of a list: from the first key (included) to the second one (excluded). None means no limit."""


def insert(sketches: list[Sketch], sketch: Sketch) -> None:
    """Inserts a sketch at its position, which is usually the end."""
    if not sketches or sketches[-1].key < sketch.key:
        sketches.append(sketch)
    else:
        sketches.insert(bisect_left(sketches, sketch.key, key=key_of_sketch), sketch)


def remove(sketches: list[Sketch], sketch: Sketch) -> None:
    """Removes a sketch, if it is in the list."""
    at = bisect_left(sketches, sketch.key, key=key_of_sketch)
    if at < len(sketches) and sketches[at].id == sketch.id:
        del sketches[at]


def position(sketches: Sequence[Sketch], key: Key) -> int:
    """Returns the position of a key, or where it would be inserted."""
    return bisect_left(sketches, key, key=key_of_sketch)


def within(sketches: Sequence[Sketch], stretch: Stretch) -> Sequence[Sketch]:
    """Returns the sketches within a part of the list."""
    since, until = stretch
    if since is None and until is None:
        return sketches
    first = position(sketches, since) if since is not None else 0
    return sketches[first : position(sketches, until) if until is not None else len(sketches)]


def following(lists: Sequence[Sequence[Sketch]], after: Key | None) -> Iterator[Sketch]:
    """Yields the sketches of all lists after a key (or all sketches), in order."""
    lists = [each for each in lists if each]
    at = [bisect_right(each, after, key=key_of_sketch) if after is not None else 0 for each in lists]
    if len(lists) == 1:
        (only,) = lists
        yield from (only[n] for n in range(at[0], len(only)))
        return
    while True:
        ready = [n for n, each in enumerate(lists) if at[n] < len(each)]
        if not ready:
            return
        first = min(ready, key=lambda n: lists[n][at[n]].key)
        yield lists[first][at[first]]
        at[first] += 1


def preceding(lists: Sequence[Sequence[Sketch]], before: Key | None) -> Iterator[Sketch]:
    """Yields the sketches of all lists before a key (or all sketches), the last one first."""
    lists = [each for each in lists if each]
    at = [bisect_left(each, before, key=key_of_sketch) if before is not None else len(each) for each in lists]
    if len(lists) == 1:
        (only,) = lists
        yield from (only[n] for n in range(at[0] - 1, -1, -1))
        return
    while True:
        ready = [n for n in range(len(lists)) if at[n] > 0]
        if not ready:
            return
        last = max(ready, key=lambda n: lists[n][at[n] - 1].key)
        at[last] -= 1
        yield lists[last][at[last]]
