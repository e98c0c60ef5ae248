"""Text as words: one rule for what is indexed and what is asked for, so that every back end gives the same answers.

Words are runs of letters and digits, in lower case and without accents. Writing that puts no spaces between words
(Chinese, Japanese, Korean, Thai and others) is cut into single characters, and asked for as characters in a row. An
identifier in camel case is a word (`parseurl`, as most people type it) and, apart from the text, its parts
(`parse url`); one with underscores, dots or slashes is its parts in a row anyway.

Signs beyond ASCII (emoji, arrows, lines of tables) are words of their own that stand apart from the text, each once:
`deploy 🚀 done` is `deploy done`, and `🚀`. Signs of ASCII are no words; `query.exact` looks for them.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

_WORD = re.compile(r"[^\x00-/:-`{-\x7f]+")
"""Digits, small letters and all beyond ASCII, said by what they are not: that takes a thirtieth of the time to compile.
"""
_RUN = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
_RAW_WORD = re.compile(r"[0-9A-Za-z]+|[^\x00-\x7f]")
_MIXED = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[0-9A-Za-z]*")
_SHAPE = (
    bytes(ord("A") if chr(c).isupper() else ord("a") if chr(c).isalnum() else ord(" ") for c in range(0x80))
    + b" " * 0x80
)
"""Each ASCII letter or digit as `a` or `A`, all else as a blank."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")
_LONGEST_MIXED = 120
"""Longer runs of letters are no identifiers but data."""
_LONGEST_CACHED, _MAX_CACHED = 64, 1 << 14
_SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # marks of repetition
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
"""A word, and from where to where it stands."""


class Words(Struct, frozen=True):
    """A text made ready for an index: of both, the words are the runs of letters and digits in any case."""

    text: str
    parts: str
    """The parts of each identifier in camel case, once; between two identifiers stands a word that nobody asks for.
    Then each sign beyond ASCII, once.
    """


BETWEEN = "\x80"
"""A word of its own between the parts of two identifiers, so that no phrase goes over from one to the next.

No text holds it once it is folded.
"""


def prepare(text: str) -> Words:
    """What to index of a text. ASCII letters keep their case: it is left to the index to ignore it."""
    parts = f" {BETWEEN} ".join([*map(_apart, _mixed(text)), *signs(text)])
    return Words(_fold(text), parts)


def signs(text: str) -> tuple[str, ...]:
    """The signs beyond ASCII that can be seen, each once, in order of their numbers."""
    if text.isascii():
        return ()
    return tuple(sorted(c for c in set(text) if c > "\x7f" and _is_seen(c)))


@lru_cache(_MAX_CACHED)
def _is_seen(character: str) -> bool:
    """Whether it is a sign with a form of its own: no blank, and nothing that only changes what stands beside it."""
    category = unicodedata.category(character)
    return (category[0] in "PS" or category == "Co") and _is_sign(character)


def tokens(text: str) -> list[str]:
    """The words of a text in order, camel case not taken apart."""
    return _WORD.findall(_fold(text).lower())


def parts(word: str) -> list[str]:
    """The words of an identifier with camel case taken apart; the same as `tokens` where there is none."""
    return tokens(_MIXED.sub(lambda found: _apart(found[0]), word))


@lru_cache(_MAX_CACHED)
def _apart(identifier: str) -> str:
    """An identifier in camel case as its parts."""
    return " ".join(_PART.findall(identifier))


def without_signs(text: str) -> str:
    """The text with a blank for each character beyond ASCII that parts words: most texts are ASCII then."""
    if text.isascii():
        return text
    return text.translate({ord(c): " " for c in set(text) if c > "\x7f" and _is_sign(c)})


@lru_cache(_MAX_CACHED)
def _is_sign(character: str) -> bool:
    folded = _folded(character)
    return folded.isascii() and folded != "" and not any(map(str.isalnum, folded))


def runs(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """From where to where characters that words are made of follow each other: each makes one word or several."""
    return (run.span() for run in _RUN.finditer(text, start))


def spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Each word with the place it has in the text; an identifier in camel case whole, and then its parts.

    From `start` to `end`, which do not stand in the middle of a run.
    """
    found: list[Span] = []
    for run in _RUN.finditer(text, start, len(text) if end is None else end):
        if run[0].isascii():
            found += _ascii_spans(run[0], run.start())
        else:
            found += _folded_spans(run[0], run.start())
    return found


def _ascii_spans(run: str, start: int) -> list[Span]:
    """The spans of letters and digits in a row that stand in a text from `start` on."""
    lower = run.lower()
    whole = (lower, start, start + len(run))
    if lower == run or len(run) > _LONGEST_MIXED or not _MIXED.fullmatch(run):
        return [whole]
    return [
        whole,
        *((lower[part.start() : part.end()], start + part.start(), start + part.end()) for part in _PART.finditer(run)),
    ]


def _folded_spans(run: str, start: int) -> list[Span]:
    """As `_ascii_spans`, of characters beyond ASCII as well: folded, these may be several words, or none."""
    found: list[Span] = []
    pending: list[str] = []
    since = start

    def close() -> None:
        if pending:
            found.extend((word, since, at) for word in tokens("".join(pending)))
            pending.clear()

    for piece in _RAW_WORD.finditer(run):
        at = start + piece.start()
        if piece[0].isascii() and len(piece[0]) <= _LONGEST_MIXED and _MIXED.fullmatch(piece[0]):
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


def _mixed(text: str) -> dict[str, None]:
    """The identifiers in camel case, each once. By the shape of the text, which is six times faster than a regex."""
    shape = text.encode("latin-1", "replace").translate(_SHAPE) + b" "
    find, rfind = shape.find, shape.rfind
    found: dict[str, None] = {}
    for boundary in (b"aA", b"AAa"):
        place = find(boundary)
        while place >= 0:
            end = find(b" ", place)
            start = rfind(b" ", 0, place) + 1
            if end - start <= _LONGEST_MIXED:
                found[text[start:end]] = None
            place = find(boundary, end)
    return found


def _fold(text: str) -> str:
    """The text with all beyond ASCII folded. A codec finds those runs ten times as fast as a regex."""
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
        if len(run) <= _LONGEST_CACHED:
            _BYTES[run] = known
    return known, error.end


def _folded(run: str) -> str:
    """A run of characters beyond ASCII: letters in lower case without accents, all else a blank."""
    base = "".join(c for c in unicodedata.normalize("NFKD", run) if unicodedata.category(c) != "Mn")
    letters = unicodedata.normalize("NFC", base).casefold().translate(_PLAIN)
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
"""Letters that are no letter with an accent to Unicode, but to who types them without."""
_SIGNS = "→─—"
"""Most of what is beyond ASCII in what tools give back (an arrow stands behind each line's number): a blank, all."""
_BYTES: dict[str, bytes] = {}
"""Runs of characters beyond ASCII, folded; asked for so often that a dictionary is worth its plainness."""
_HANDLER = "chorus-fold"
codecs.register_error(_HANDLER, _fold_run)
