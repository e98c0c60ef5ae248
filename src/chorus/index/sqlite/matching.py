"""Queries in the language of SQLite's index of words."""

import sqlite3

from chorus.index.marks import ANY, CONVERSATION, mark
from chorus.index.patterns import is_match, literal_of
from chorus.query.tree import And, Field, Node, Not, Or, Phrase, Word
from chorus.query.words import parts, tokens

NOTHING = f'marks : "{mark("conversation", "")}"'
"""Is found nowhere: no conversation is without a name."""
EVERYTHING = f'marks : "{ANY}"'
_FIXED = {"role": "role", "is": "is", "has": "has"}


def expression(connection: sqlite3.Connection, nodes: list[Node]) -> str | None:
    """What to ask for entries in which all nodes hold; None when there is nothing in them to ask for."""
    return _and(connection, nodes)


def any_mark(marks: list[str]) -> str:
    """Entries with any of the marks."""
    return "(" + " OR ".join(f'marks : "{each}"' for each in marks) + ")" if marks else NOTHING


def _express(connection: sqlite3.Connection, node: Node) -> str | None:
    match node:
        case Word():
            return _either(node.text, is_prefix=node.is_prefix)
        case Phrase():
            return _phrase(tokens(node.text), is_prefix=node.is_prefix)
        case Field():
            return _field(connection, node)
        case And():
            return _and(connection, list(node.of))
        case Or():
            found = [each for each in (_express(connection, part) for part in node.of) if each]
            return f"({' OR '.join(found)})" if found else None
        case Not():
            return _and(connection, [node])
        case _:
            raise AssertionError(f"{type(node).__name__} is no matter of words")


def _and(connection: sqlite3.Connection, nodes: list[Node]) -> str | None:
    wanted = [each for node in nodes if not isinstance(node, Not) and (each := _express(connection, node))]
    unwanted = [each for node in nodes if isinstance(node, Not) and (each := _express(connection, node.of))]
    if not wanted and not unwanted:
        return None
    found = " AND ".join(wanted) or EVERYTHING
    return f"(({found}) NOT ({' OR '.join(unwanted)}))" if unwanted else f"({found})"


def _either(text: str, *, is_prefix: bool) -> str | None:
    """An identifier as it was typed, or its parts."""
    whole, taken_apart = tokens(text), parts(text)
    found = [_phrase(whole, is_prefix=is_prefix)]
    if taken_apart != whole:
        found.append(_phrase(taken_apart, is_prefix=is_prefix))
    said = [each for each in found if each]
    return f"({' OR '.join(said)})" if said else None


def _phrase(words: list[str], *, is_prefix: bool) -> str | None:
    if not words:
        return None
    return f'{{text parts}} : "{" ".join(words)}"{" *" if is_prefix else ""}'


def _field(connection: sqlite3.Connection, node: Field) -> str:
    if node.name in _FIXED:
        return any_mark([_FIXED[node.name] + node.value])
    if node.name == CONVERSATION:
        return any_mark([mark(CONVERSATION, node.value)])
    if node.name == "file":
        like = f"%{_escaped(literal_of(node.value))}%"
        rows = connection.execute("SELECT DISTINCT path FROM file WHERE path LIKE ? ESCAPE '\\'", (like,))
    else:
        rows = connection.execute("SELECT value FROM name WHERE kind = ?", (node.name,))
    meant = [value for (value,) in rows if is_match(node.value, value, kind=node.name)]
    return any_mark([mark(node.name, value) for value in meant])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
