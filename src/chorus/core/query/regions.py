"""Selects the parts of a long text that are worth splitting into words, by plain search for the words of a query."""

from collections import Counter
from collections.abc import Iterator

from chorus.core.query.matches import SearchTerms

LENGTH = 4_000
"""Number of characters of a region."""
_LEAD = 500
"""How many of these come before the position that the region was chosen for."""
_MAX_REGIONS = 3
_MAX_LITERALS = 8
_MAX_PLACES = 64
_MAX_TRIES = 1_000


def regions(text: str, search_terms: SearchTerms, *, spread: int) -> Iterator[tuple[int, int]]:
    """Yields the beginning of the text, then regions with several terms within `spread` characters, best first.

    Lazy: the text is searched only if the caller continues after the beginning. Finds words as written in the query,
    ignoring case. Words that differ by accents or character widths are found in the beginning only.
    """
    yield 0, min(LENGTH, len(text))
    if len(text) <= LENGTH:
        return
    for _, pattern, _ in search_terms.patterns[:_MAX_REGIONS]:
        place = pattern.search(text)
        if place is not None and place.end() > LENGTH:
            yield max(0, place.start() - _LEAD), min(len(text), place.start() - _LEAD + LENGTH)
    if not search_terms.literals:
        return
    # İ is the only character whose lower case has two characters; with it, all later positions would be wrong.
    folded = text.replace("İ", "I").lower()
    literals = search_terms.literals[:_MAX_LITERALS]
    places = sorted((place, term) for term, literal in literals for place in _places(text, folded, literal))
    chosen: list[int] = []
    for place in _densest_first(places, spread):
        if all(abs(place - other) > LENGTH // 2 for other in chosen):
            chosen.append(place)
            yield max(0, place - _LEAD), min(len(text), place - _LEAD + LENGTH)
        if len(chosen) == _MAX_REGIONS:
            return


def _places(text: str, folded: str, literal: str) -> list[int]:
    """Returns the positions of words that begin with the literal, after the beginning of the text."""
    places: list[int] = []
    at = LENGTH // 2
    for _ in range(_MAX_TRIES):
        at = folded.find(literal, at)
        if at < 0 or len(places) == _MAX_PLACES:
            break
        before, first = text[at - 1], text[at]
        # An upper-case letter after a lower-case one begins a part of an identifier. Scripts without spaces have no
        # word starts.
        if not before.isalnum() or not first.isascii() or (first.isupper() and not before.isupper()):
            places.append(at)
        at += len(literal)
    return places


def _densest_first(places: list[tuple[int, int]], spread: int) -> list[int]:
    """Returns the positions sorted by how many different terms follow within `spread` characters."""
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
