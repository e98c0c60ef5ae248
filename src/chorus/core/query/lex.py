"""Splits the text of a query into lexemes."""

import re
from collections.abc import Iterator

from chorus.core.query.lexemes import Lexeme, Operator, Then
from chorus.core.query.pairs import pair_at
from chorus.core.query.quoting import bare_end, read_quoted
from chorus.core.query.tree import Phrase, Word
from chorus.errors import QueryError

_KEYWORD = re.compile(r'(?:OR|AND|NOT)(?=[\s()"]|\Z)')
_ARROW = re.compile(r'->(?:([0-9]+)(?=[\s()"]|\Z))?')
# Two dashes begin a command-line option, which people search for as they type it.
_MINUS = re.compile(r"-(?=[^\s)-])")
_STARS = re.compile(r"\*+")


def lex(text: str) -> Iterator[Lexeme]:
    """Yields the lexemes of a query in order, in linear time. Raises QueryError at the first invalid one."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        lexeme = _mark_at(text, at) or pair_at(text, at) or _text_at(text, at)
        yield lexeme
        at = lexeme.end


def _mark_at(text: str, at: int) -> Lexeme | None:
    if text[at] in "()":
        return Lexeme(at, at + 1, Operator(text[at]))
    if (arrow := _ARROW.match(text, at)) is not None:
        return Lexeme(at, arrow.end(), Then(arrow[1] or ""))
    if (keyword := _KEYWORD.match(text, at)) is not None:
        return Lexeme(at, keyword.end(), Operator(keyword[0]))
    if _MINUS.match(text, at) is not None:
        return Lexeme(at, at + 1, Operator.NOT)
    return None


def _text_at(text: str, at: int) -> Lexeme:
    if text[at] == '"':
        inside, end = read_quoted(text, at)
        stars = _STARS.match(text, end)
        stem = inside.rstrip("*")
        if not stem.strip():
            raise QueryError("a star needs the beginning of a word before it", text, at, end)
        end = stars.end() if stars is not None else end
        return Lexeme(at, end, Phrase(stem, is_prefix=stars is not None or stem != inside))
    end = bare_end(text, at)
    stem = text[at:end].rstrip("*")
    if not stem:
        raise QueryError("a star needs the beginning of a word before it", text, at, end)
    return Lexeme(at, end, Word(stem, is_prefix=stem != text[at:end]))
