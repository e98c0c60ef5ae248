"""Snippets of prose as plain words: without the signs of Markdown, which say nothing on one line."""

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
"""A line may be cut anywhere: signs count without their partner where nothing else is written so."""


def plain(shown: Snippet) -> Snippet:
    """The snippet without signs of Markdown, but for those that are all there is of something found."""
    gone = [place for sign in _signs(shown.text) if not _holds_any(sign, shown.marks) for place in sign]
    kept: list[str] = []
    done = 0
    for start, end in gone:
        kept.append(shown.text[done:start])
        done = end
    kept.append(shown.text[done:])
    marks = [(first - _before(gone, first), last - _before(gone, last)) for first, last in shown.marks]
    return Snippet("".join(kept), marks) if all(start < end for start, end in marks) else shown


def _signs(text: str) -> Iterator[list[tuple[int, int]]]:
    """The places of each sign, which may stand around words; in order."""
    for found in _SIGNS.finditer(text):
        start, end = found.span()
        if found["label"] is not None:
            yield [(start, found.start("label")), (found.end("label"), end)]
        elif sign := found["code"] or found["star"]:
            yield [(start, start + len(sign)), (end - len(sign), end)]
        else:
            yield [(start, end)]


def _holds_any(sign: list[tuple[int, int]], marks: list[tuple[int, int]]) -> bool:
    """Whether something that was found is nothing but a part of the sign."""
    return any(start <= first and last <= end for start, end in sign for first, last in marks)


def _before(gone: list[tuple[int, int]], place: int) -> int:
    """How many characters are gone before a place."""
    return sum(min(end, place) - start for start, end in gone if start < place)
