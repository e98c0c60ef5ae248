"""Converts the tree of a query back to text."""

import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby
from typing import assert_never

from chorus.core.query.lex import lex
from chorus.core.query.lexemes import Pair, Value
from chorus.core.query.quoting import quote
from chorus.core.query.tree import (
    Among,
    And,
    Field,
    Literal,
    Measure,
    Node,
    Not,
    Or,
    Phrase,
    Query,
    Regex,
    Sequence,
    Step,
    Time,
    Word,
)
from chorus.errors import QueryError

_ESCAPE_OR_SLASH = re.compile(r"\\.|/", re.DOTALL)
_EARLIEST = "0001-01-01T00:00:00.000Z"


def describe(query: Query) -> str:
    """Returns the query in canonical form with absolute times; "" for a query that asks for everything.

    `parse` reads a query that it created back unchanged, unless the text exceeds the limits of a query. A tree that was
    built in code is read back in its simplest form, and a word that cannot be written in a query as a phrase, which
    asks for the same.
    """
    match query.root:
        case None:
            return ""
        case Sequence(steps=steps):
            return " ".join(_step(step, is_first=not number) for number, step in enumerate(steps))
        case root:
            return _any(root)


def value_text(key: str, value: str) -> str:
    """Returns the value of a field as it is written after the colon: without quotes if possible."""
    start = len(key) + 1
    bare = Pair(key, ":", (Value(value, start, start + len(value)),))
    return value if _reads_as(f"{key}:{value}", bare) else quote(value)


def _step(step: Step, *, is_first: bool) -> str:
    return _any(step.of) if is_first else f"->{step.within or ''} {_any(step.of)}"


def _any(node: Node) -> str:
    return " OR ".join(_alternatives(node.of)) if isinstance(node, Or) else _all(node)


def _alternatives(nodes: Iterable[Node]) -> list[str]:
    """Returns the texts between the ORs. Adjacent fields with the same name are merged with commas."""
    alternatives: list[str] = []
    for name, group in groupby(nodes, key=lambda node: node.name if isinstance(node, Field) else None):
        if name is None:
            alternatives.extend(map(_all, group))
        else:
            values = (value_text(name, field.value) for field in group if isinstance(field, Field))
            alternatives.append(f"{name}:{','.join(values)}")
    return alternatives


def _all(node: Node) -> str:
    text = ""
    for part in node.of if isinstance(node, And) else (node,):
        term = _times(part) if isinstance(part, Time) else _one(part)
        # Next to each other, `cost` and `>1` would be read as one comparison.
        text += (" AND " if term.startswith(("<", ">", "=")) else " ") + term if text else term
    return text


def _one(node: Node) -> str:
    match node:
        case Word():
            text = node.text + "*" * node.is_prefix
            return text if _reads_as(text, node) else _phrase(node)
        case Phrase():
            return _phrase(node)
        case Field():
            return f"{node.name}:{value_text(node.name, node.value)}"
        case Measure():
            return f"{node.name}{node.sign}{_number(node.value)}"
        case Literal():
            return _phrase(Phrase(node.text, node.is_prefix))
        case Among():
            return _any(Or(tuple(Field("conversation", name) for name in sorted(node.names))))
        case Regex():
            return f"regex:/{_with_escaped_slashes(node.pattern)}/{'i' * node.ignores_case}"
        case Not():
            negated = _one(node.of)
            # Two dashes begin a word, and a dash before `>` is an arrow.
            return f"NOT {negated}" if negated.startswith(("-", ">")) else f"-{negated}"
        case Time():
            text = _times(node)
            return f"({text})" if " " in text else text
        case Or():
            alternatives = _alternatives(node.of)
            return alternatives[0] if len(alternatives) == 1 else f"({' OR '.join(alternatives)})"
        case And():
            return f"({_all(node)})"
        case _:
            assert_never(node)


def _phrase(node: Word | Phrase) -> str:
    return quote(node.text) + "*" * node.is_prefix


def _times(time: Time) -> str:
    since = time.since if time.since or time.until else _EARLIEST
    return " ".join([f"after:{since}"] * bool(since) + [f"before:{time.until}"] * bool(time.until))


def _number(value: float) -> str:
    """Returns all digits, without an exponent."""
    return f"{Decimal(repr(value)):f}".removesuffix(".0")


def _with_escaped_slashes(pattern: str) -> str:
    """Returns the pattern with every unescaped slash escaped."""
    return _ESCAPE_OR_SLASH.sub(lambda found: "\\/" if found[0] == "/" else found[0], pattern)


def _reads_as(text: str, what: Word | Pair) -> bool:
    try:
        return [lexeme.what for lexeme in lex(text)] == [what]
    except QueryError:
        return False
