"""What may be typed at a place in a query: keys, and the values they take."""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from chorus.core.query.describe import value_text
from chorus.core.query.keys import CHOICES, HINTS
from chorus.core.query.tree import MEASURES

MOST = 50
"""No more is suggested at once."""
ValuesOf = Callable[[str], Sequence[str]]
"""The known values of a field, best first."""

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)("?)', re.DOTALL)
_PATTERN = re.compile(r"-?regex:/(?:[^/\\]|\\.)*/?", re.DOTALL | re.IGNORECASE | re.ASCII)
_KEY = re.compile(r"([A-Za-z]+):")
_BARE = re.compile(r'[^\s"(),]*')
_REST_OF_A_KEY = re.compile(r"[A-Za-z]*:?")


class Completion(Struct, frozen=True):
    """A text that may take the place of `start` to `end` of the query."""

    text: str
    start: int
    end: int
    hint: str
    """What it asks for, in a few words."""


def complete(text: str, cursor: int, *, values: ValuesOf = lambda _: ()) -> list[Completion]:
    """What may stand at the cursor, given what was typed before it; nothing inside of a phrase or a pattern.

    `values` is asked for those of one field, if any. What begins as it was typed comes before what merely contains it.
    """
    cursor = max(0, min(cursor, len(text)))
    start = _piece_start(text, cursor)
    piece = text[start:cursor]
    if not piece or (piece.isascii() and piece.isalpha()):
        return _keys(text, start, cursor)
    key = _KEY.match(piece)
    if key is None or key[1].lower() not in HINTS:
        return []
    return _values(text, start + key.end(), cursor, key[1].lower(), values)


def _piece_start(text: str, cursor: int) -> int:
    """Where the term that is being typed begins, behind a minus; blanks in quotes and patterns are part of it."""
    start = at = 0
    while at < cursor:
        if (quoted := _QUOTED.match(text, at)) is not None:
            at = quoted.end()
        elif at == start and (pattern := _PATTERN.match(text, at)) is not None:
            at = pattern.end()
        else:
            start = at + 1 if text[at].isspace() or text[at] in "()" else start
            at += 1
    return start + 1 if start < cursor and text[start] == "-" else start


def _keys(text: str, start: int, cursor: int) -> list[Completion]:
    rest = _REST_OF_A_KEY.match(text, cursor)
    end = rest.end() if rest is not None else cursor
    has_sign = text[end : end + 1] in ("<", ">", "=")
    return [
        Completion(key if has_sign else f"{key}>" if key in MEASURES else f"{key}:", start, end, hint)
        for key, hint in HINTS.items()
        if key.startswith(text[start:cursor].lower())
    ]


def _values(text: str, start: int, cursor: int, key: str, values: ValuesOf) -> list[Completion]:
    typed = text[:cursor]
    chosen: set[str] = set()
    while True:
        quoted, bare = _QUOTED.match(typed, start), _BARE.match(typed, start)
        assert bare is not None
        value, end = (quoted[1], quoted.end()) if quoted is not None else (bare[0], bare.end())
        if not typed.startswith(",", end):
            break
        chosen.add(value.lower())
        start = end + 1
    if end < cursor or (quoted is not None and quoted[2]):
        return []
    hints = CHOICES.get(key, {})
    # A name may be missing or empty in the data: that is nothing to ask for.
    known = [each for each in dict.fromkeys([*hints, *values(key)]) if each.strip() and each.lower() not in chosen]
    return [
        Completion(value_text(key, choice), start, _value_end(text, start, cursor), hints.get(choice, HINTS[key]))
        for choice in _ranked(known, value.lower())[:MOST]
    ]


def _value_end(text: str, start: int, cursor: int) -> int:
    quoted, bare = _QUOTED.match(text, start), _BARE.match(text, cursor)
    if quoted is not None:
        return quoted.end() if quoted[2] else cursor
    return bare.end() if bare is not None else cursor


def _ranked(choices: Iterable[str], typed: str) -> list[str]:
    found = [choice for choice in choices if typed in choice.lower()]
    return sorted(found, key=lambda choice: not choice.lower().startswith(typed))
