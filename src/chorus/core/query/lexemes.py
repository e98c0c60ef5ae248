"""What the text of a query is made of."""

from enum import Enum

from msgspec import Struct

from chorus.core.query.tree import Phrase, Regex, Word


class Mark(Enum):
    """A piece that holds others together."""

    OPEN = "("
    CLOSE = ")"
    NOT = "NOT"
    AND = "AND"
    OR = "OR"


class Then(Struct, frozen=True):
    """`->` or `->3`."""

    within: str
    """The digits after the arrow; "" without."""


class Value(Struct, frozen=True):
    """One of the values of a pair, without its quotes, and its place with them."""

    text: str
    start: int
    end: int


class Pair(Struct, frozen=True):
    """`key:value`, `key:value,value` or `key>value`; the key is one of `keys.HINTS`."""

    key: str
    sign: str
    """`:`, `<`, `<=`, `>`, `>=` or `=`."""
    values: tuple[Value, ...]
    """At least one; several only after a colon."""


class Lexeme(Struct, frozen=True):
    """A piece of the text with its place."""

    start: int
    end: int
    what: Mark | Then | Pair | Word | Phrase | Regex
