"""Removes Markdown syntax from snippets, because it is useless on a single line."""

import re
from collections.abc import Iterator

from chorus.core.query.snippet import Snippet

_SIGNS = re.compile(
    r"(?P<code>`{1,3})[^`]{0,200}(?P=code)(?!`)"
    r"|!?\[(?P<label>[^\[\]]{0,200})\]\([^()\s]{1,300}\)"
    r"|(?<!\S)#{1,6}\s(?=\S)"
    r"|(?<!\w)\*{2,3}(?=[^\s*])|(?<=[^\s*])\*{2,3}(?!\w)"
    r"|(?<![\w*\\])(?P<star>\*)(?=[^\s*])[^*]{1,200}(?<=\S)\*(?![\w*])"
    r"|~~(?=[^\s~])|(?<=[^\s~])~~"
    r"|(?:\|\s?:?-{3,9}:?\s?){1,99}\|\s?"
    r"|```"
)
"""The line may be cut anywhere: a sign without its partner counts too, if nothing else is written like it."""


def plain(shown: Snippet) -> Snippet:
    """Returns the snippet without Markdown syntax, except for signs that contain a whole match."""
    removed = [place for sign in _signs(shown.text) if not _contains_a_mark(sign, shown.marks) for place in sign]
    kept: list[str] = []
    done = 0
    for start, end in removed:
        kept.append(shown.text[done:start])
        done = end
    kept.append(shown.text[done:])
    marks = [(first - _before(removed, first), last - _before(removed, last)) for first, last in shown.marks]
    return Snippet("".join(kept), marks) if all(start < end for start, end in marks) else shown


def _signs(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yields the positions of each sign, in order. A sign may have two parts around words."""
    for found in _SIGNS.finditer(text):
        start, end = found.span()
        if found["label"] is not None:
            yield [(start, found.start("label")), (found.end("label"), end)]
        elif sign := found["code"] or found["star"]:
            yield [(start, start + len(sign)), (end - len(sign), end)]
        else:
            yield [(start, end)]


def _contains_a_mark(sign: list[tuple[int, int]], marks: list[tuple[int, int]]) -> bool:
    """Returns whether a match lies completely inside the sign."""
    return any(start <= first and last <= end for start, end in sign for first, last in marks)


def _before(removed: list[tuple[int, int]], place: int) -> int:
    """Returns the number of removed characters before a position."""
    return sum(min(end, place) - start for start, end in removed if start < place)
