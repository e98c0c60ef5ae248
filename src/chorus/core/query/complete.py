"""Completes a query at the cursor: suggests keys and their values."""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from chorus.core.query.describe import value_text
from chorus.core.query.keys import CHOICES, HINTS
from chorus.core.query.tree import MEASURES

MAX_COMPLETIONS = 50
"""Maximum number of suggestions."""
ValuesOf = Callable[[str], Sequence[str]]
"""Returns the known values of a field, best first."""

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)("?)', re.DOTALL)
_PATTERN = re.compile(r"-?regex:/(?:[^/\\]|\\.)*/?", re.DOTALL | re.IGNORECASE | re.ASCII)
_KEY = re.compile(r"([A-Za-z]+):")
_BARE = re.compile(r'[^\s"(),]*')
_REST_OF_A_KEY = re.compile(r"[A-Za-z]*:?")


class Completion(Struct, frozen=True):
    """A text that may replace the characters from `start` to `end` of the query."""

    text: str
    start: int
    end: int
    hint: str
    """What the text asks for, in a few words."""


def complete(text: str, cursor: int, *, values: ValuesOf = lambda _: ()) -> list[Completion]:
    """Returns what may be inserted at the cursor, given the text before it; nothing inside a phrase or a pattern.

    `values` returns the known values of one field. Suggestions that begin with the typed text come before those that
    only contain it.
    """
    cursor = max(0, min(cursor, len(text)))
    start = _term_start(text, cursor)
    piece = text[start:cursor]
    if not piece or (piece.isascii() and piece.isalpha()):
        return _keys(text, start, cursor)
    key = _KEY.match(piece)
    if key is None or key[1].lower() not in HINTS:
        return []
    return _values(text, start + key.end(), cursor, key[1].lower(), values)


def _term_start(text: str, cursor: int) -> int:
    """Returns where the current term begins, after a minus. White space in quotes and patterns belongs to the term."""
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
    # A name may be missing or empty in the data; such a value is not suggested.
    known = [each for each in dict.fromkeys([*hints, *values(key)]) if each.strip() and each.lower() not in chosen]
    return [
        Completion(value_text(key, choice), start, _value_end(text, start, cursor), hints.get(choice, HINTS[key]))
        for choice in _ranked(known, value.lower())[:MAX_COMPLETIONS]
    ]


def _value_end(text: str, start: int, cursor: int) -> int:
    quoted, bare = _QUOTED.match(text, start), _BARE.match(text, cursor)
    if quoted is not None:
        return quoted.end() if quoted[2] else cursor
    return bare.end() if bare is not None else cursor


def _ranked(choices: Iterable[str], typed: str) -> list[str]:
    found = [choice for choice in choices if typed in choice.lower()]
    return sorted(found, key=lambda choice: not choice.lower().startswith(typed))
