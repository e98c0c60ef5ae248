"""The lexemes that the text of a query consists of."""

from enum import Enum

from msgspec import Struct

from chorus.core.query.tree import Phrase, Regex, Word


class Operator(Enum):
    """A lexeme that combines others."""

    OPEN = "("
    CLOSE = ")"
    NOT = "NOT"
    AND = "AND"
    OR = "OR"


class Then(Struct, frozen=True):
    """The arrow of a sequence: `->` or `->3`."""

    within: str
    """The digits after the arrow; "" if there are none."""


class Value(Struct, frozen=True):
    """One of the values of a pair without its quotes, and its position including them."""

    text: str
    start: int
    end: int


class Pair(Struct, frozen=True):
    """`key:value`, `key:value,value` or `key>value`. The key is one of `keys.HINTS`."""

    key: str
    sign: str
    """`:`, `<`, `<=`, `>`, `>=` or `=`."""
    values: tuple[Value, ...]
    """At least one; several only after a colon."""


class Lexeme(Struct, frozen=True):
    """A part of the text with its position."""

    start: int
    end: int
    what: Operator | Then | Pair | Word | Phrase | Regex
