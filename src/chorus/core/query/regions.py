"""Which parts of a long text are worth taking apart, by plain search for the words of a query."""

from collections import Counter
from collections.abc import Iterator

from chorus.core.query.matches import Sought

LENGTH = 4_000
"""Characters of a region."""
_LEAD = 500
"""Of these, so many before the place for which it was chosen."""
_MAX_REGIONS = 3
_MAX_LITERALS = 8
_MAX_PLACES = 64
_MAX_TRIES = 1_000


def regions(text: str, sought: Sought, *, spread: int) -> Iterator[tuple[int, int]]:
    """The beginning of the text, then places where several terms stand within `spread` characters, best first.

    Lazy: the text is searched only for who goes on after the beginning. Finds what is written as it was asked for, in
    any case; what differs by accents or widths is found in the beginning only.
    """
    yield 0, min(LENGTH, len(text))
    if len(text) <= LENGTH:
        return
    for _, pattern, _ in sought.patterns[:_MAX_REGIONS]:
        place = pattern.search(text)
        if place is not None and place.end() > LENGTH:
            yield max(0, place.start() - _LEAD), min(len(text), place.start() - _LEAD + LENGTH)
    if not sought.literals:
        return
    # İ is the only character whose lower case is two: with it, the places would be off.
    folded = text.replace("İ", "I").lower()
    literals = sought.literals[:_MAX_LITERALS]
    places = sorted((place, term) for term, literal in literals for place in _places(text, folded, literal))
    chosen: list[int] = []
    for place in _densest_first(places, spread):
        if all(abs(place - other) > LENGTH // 2 for other in chosen):
            chosen.append(place)
            yield max(0, place - _LEAD), min(len(text), place - _LEAD + LENGTH)
        if len(chosen) == _MAX_REGIONS:
            return


def _places(text: str, folded: str, literal: str) -> list[int]:
    """Where words that begin with the literal stand, after the beginning of the text."""
    places: list[int] = []
    at = LENGTH // 2
    for _ in range(_MAX_TRIES):
        at = folded.find(literal, at)
        if at < 0 or len(places) == _MAX_PLACES:
            break
        before, first = text[at - 1], text[at]
        # A capital after a small letter begins a part of an identifier; writing without spaces has no beginnings.
        if not before.isalnum() or not first.isascii() or (first.isupper() and not before.isupper()):
            places.append(at)
        at += len(literal)
    return places


def _densest_first(places: list[tuple[int, int]], spread: int) -> list[int]:
    """The places by how many different terms stand from there on within `spread` characters."""
    densities: list[tuple[int, int]] = []
    within: Counter[int] = Counter()
    end = 0
    for place, term in places:
        while end < len(places) and places[end][0] <= place + spread:
            within[places[end][1]] += 1
            end += 1
        densities.append((-len(within), place))
        within[term] -= 1
        if not within[term]:
            del within[term]
    return [place for _, place in sorted(densities)]
