"""Sketches in order, and walks over several such lists at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from chorus.show.transcripts.sketch import Sketch, key_of_sketch

Key = tuple[str, str]
Stretch = tuple[Key | None, Key | None]
"""From where to where a part of a list goes: the first is in it, the last is not."""


def put(sketches: list[Sketch], sketch: Sketch) -> None:
    """Put a sketch in its place; at the end, as a rule."""
    if not sketches or sketches[-1].key < sketch.key:
        sketches.append(sketch)
    else:
        sketches.insert(bisect_left(sketches, sketch.key, key=key_of_sketch), sketch)


def take(sketches: list[Sketch], sketch: Sketch) -> None:
    """Take a sketch out."""
    at = bisect_left(sketches, sketch.key, key=key_of_sketch)
    if at < len(sketches) and sketches[at].id == sketch.id:
        del sketches[at]


def position(sketches: Sequence[Sketch], key: Key) -> int:
    """Where a key is, or would be."""
    return bisect_left(sketches, key, key=key_of_sketch)


def within(sketches: Sequence[Sketch], stretch: Stretch) -> Sequence[Sketch]:
    """Those of a stretch."""
    since, until = stretch
    if since is None and until is None:
        return sketches
    first = position(sketches, since) if since is not None else 0
    return sketches[first : position(sketches, until) if until is not None else len(sketches)]


def following(lists: Sequence[Sequence[Sketch]], after: Key | None) -> Iterator[Sketch]:
    """The sketches of all lists after a place (or all), in order."""
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
    """The sketches of all lists before a place (or all), the last one first."""
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
