"""Splits text into words: one rule for indexed text and for queries, so that all back ends give the same results.

Words are runs of letters and digits, in lower case and without accents. Scripts without spaces between words (Chinese,
Japanese, Korean, Thai and others) are split into single characters, and searched as consecutive characters. An
identifier in camel case is one word (`parseurl`, as most people type it), and its parts (`parse url`) are indexed
separately from the text. An identifier with underscores, dots or slashes is a sequence of its parts anyway.

Signs beyond ASCII (emoji, arrows, table lines) are words that are indexed separately from the text, each once: `deploy
🚀 done` is `deploy done`, and `🚀`. ASCII signs are not words; `query.exact` searches for them.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

_WORD = re.compile(r"[^\x00-/:-`{-\x7f]+")
"""Digits, lower-case letters and everything beyond ASCII. The negated class compiles thirty times faster."""
_RUN = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
_RAW_WORD = re.compile(r"[0-9A-Za-z]+|[^\x00-\x7f]")
_CAMEL_CASE = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[0-9A-Za-z]*")
_SHAPE = (
    bytes(ord("A") if chr(c).isupper() else ord("a") if chr(c).isalnum() else ord(" ") for c in range(0x80))
    + b" " * 0x80
)
"""Maps each ASCII letter or digit to `a` or `A`, and everything else to a space."""
_ASCII = bytes(range(0x80))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")
_MAX_CAMEL_CASE_CHARS = 120
"""Longer runs of letters are data and not identifiers."""
_MAX_CACHED_CHARS, _MAX_CACHED = 64, 1 << 14
_SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # iteration marks
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3100, 0x318F),  # Bopomofo, Hangul
    (0x31A0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


Span = tuple[str, int, int]
"""A word with its start and end."""


class Words(Struct, frozen=True):
    """A text prepared for an index. In both parts, words are runs of letters and digits, in any case."""

    text: str
    parts: str
    """The parts of each identifier in camel case, once, with a separator word between two identifiers. Then each sign
    beyond ASCII, once."""


SEPARATOR = "\x80"
"""A word between the parts of two identifiers, so that no phrase matches across them.

Folded text never contains it.
"""


def prepare(text: str) -> Words:
    """Returns the words of a text for the index. ASCII letters keep their case: the index ignores it."""
    parts = f" {SEPARATOR} ".join([*map(_split_camel_case, _camel_case_words(text)), *signs(text)])
    return Words(_fold(text), parts)


def signs(text: str) -> tuple[str, ...]:
    """Returns the visible signs beyond ASCII, each once, sorted by code point."""
    if text.isascii():
        return ()
    # Removing all ASCII bytes first is several times faster than looking at every character.
    beyond = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return tuple(sorted(filter(_is_visible, set(beyond))))


@lru_cache(_MAX_CACHED)
def _is_visible(character: str) -> bool:
    """Returns whether it is a visible sign: not white space, and not a character that only modifies its neighbours."""
    category = unicodedata.category(character)
    return (category[0] in "PS" or category == "Co") and _is_sign(character)


def tokens(text: str) -> list[str]:
    """Returns the words of a text in order, without splitting camel case."""
    return _WORD.findall(_fold(text).lower())


def parts(word: str) -> list[str]:
    """Returns the words of an identifier with camel case split; the same as `tokens` if there is none."""
    return tokens(_CAMEL_CASE.sub(lambda found: _split_camel_case(found[0]), word))


@lru_cache(_MAX_CACHED)
def _split_camel_case(identifier: str) -> str:
    """Returns the parts of an identifier in camel case, separated by spaces."""
    return " ".join(_PART.findall(identifier))


def without_signs(text: str) -> str:
    """Replaces each character beyond ASCII that separates words with a space. Most texts are then ASCII."""
    if text.isascii():
        return text
    return text.translate({ord(c): " " for c in set(text) if c > "\x7f" and _is_sign(c)})


@lru_cache(_MAX_CACHED)
def _is_sign(character: str) -> bool:
    folded = _folded(character)
    return folded.isascii() and folded != "" and not any(map(str.isalnum, folded))


def runs(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yields start and end of each run of word characters. Each run contains one or several words."""
    return (run.span() for run in _RUN.finditer(text, start))


def spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Returns each word with its position in the text; an identifier in camel case as a whole, then its parts.

    From `start` to `end`, neither of which may be inside a run.
    """
    found: list[Span] = []
    for run in _RUN.finditer(text, start, len(text) if end is None else end):
        if run[0].isascii():
            found += _ascii_spans(run[0], run.start())
        else:
            found += _folded_spans(run[0], run.start())
    return found


def _ascii_spans(run: str, start: int) -> list[Span]:
    """Returns the spans of a run of ASCII letters and digits that begins at `start` of a text."""
    lower = run.lower()
    whole = (lower, start, start + len(run))
    if lower == run or len(run) > _MAX_CAMEL_CASE_CHARS or not _CAMEL_CASE.fullmatch(run):
        return [whole]
    return [
        whole,
        *((lower[part.start() : part.end()], start + part.start(), start + part.end()) for part in _PART.finditer(run)),
    ]


def _folded_spans(run: str, start: int) -> list[Span]:
    """Like `_ascii_spans`, for runs with characters beyond ASCII: when folded, these may be several words, or none."""
    found: list[Span] = []
    pending: list[str] = []
    since = start

    def close() -> None:
        if pending:
            found.extend((word, since, at) for word in tokens("".join(pending)))
            pending.clear()

    for piece in _RAW_WORD.finditer(run):
        at = start + piece.start()
        if piece[0].isascii() and len(piece[0]) <= _MAX_CAMEL_CASE_CHARS and _CAMEL_CASE.fullmatch(piece[0]):
            close()
            found += _ascii_spans(piece[0], at)
        elif not piece[0].isascii() and (_is_sign(piece[0]) or " " in _fold(piece[0])):
            close()
            found.extend((word, at, at + 1) for word in tokens(piece[0]))
        else:
            since = since if pending else at
            pending.append(piece[0])
    at = start + len(run)
    close()
    return found


def _camel_case_words(text: str) -> dict[str, None]:
    """Returns the identifiers in camel case, each once. Searching the shape is six times faster than a regex."""
    shape = text.encode("latin-1", "replace").translate(_SHAPE) + b" "
    find, rfind = shape.find, shape.rfind
    found: dict[str, None] = {}
    for boundary in (b"aA", b"AAa"):
        place = find(boundary)
        while place >= 0:
            end = find(b" ", place)
            start = rfind(b" ", 0, place) + 1
            if end - start <= _MAX_CAMEL_CASE_CHARS:
                found[text[start:end]] = None
            place = find(boundary, end)
    return found


def _fold(text: str) -> str:
    """Returns the text with everything beyond ASCII folded. A codec finds those runs ten times faster than a regex."""
    if text.isascii():
        return text
    for sign in _SIGNS:
        text = text.replace(sign, " ")
    return text.encode("ascii", _HANDLER).decode("utf-8", "replace")


def _fold_run(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    run = error.object[error.start : error.end]
    known = _BYTES.get(run)
    if known is None:
        known = _folded(run).encode("utf-8", "replace")
        if len(_BYTES) >= _MAX_CACHED:
            _BYTES.clear()
        if len(run) <= _MAX_CACHED_CHARS:
            _BYTES[run] = known
    return known, error.end


def _folded(run: str) -> str:
    """Folds a run of characters beyond ASCII: letters in lower case without accents, everything else as a space."""
    base = "".join(c for c in unicodedata.normalize("NFKD", run) if unicodedata.category(c) != "Mn")
    # Folding case makes lower-case letters of all scripts but Cherokee, where it makes upper-case ones.
    letters = unicodedata.normalize("NFC", base).casefold().lower().translate(_PLAIN)
    return "".join(map(_folded_character, letters))


def _folded_character(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return character
    if any(low <= code <= high for low, high in _SPACELESS):
        return f" {character} " if character.isalnum() else " "
    return character if character.isalnum() or unicodedata.category(character) == "Mc" else " "


_PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "ŋ": "n", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
)
"""Letters that are not letters with an accent in Unicode, but that people type without it."""
_SIGNS = "→─—"
"""The most frequent characters beyond ASCII in tool output (an arrow follows each line number). All become spaces."""
_BYTES: dict[str, bytes] = {}
"""Cache of folded runs of characters beyond ASCII. A plain dictionary, because it is used very often."""
_HANDLER = "chorus-fold"
codecs.register_error(_HANDLER, _fold_run)
