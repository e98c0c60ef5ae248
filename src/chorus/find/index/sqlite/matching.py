"""Compiles queries to the query language of FTS5, SQLite's word index."""

import sqlite3
from typing import assert_never

from msgspec import Struct

from chorus.core.query.tree import And, Field, Node, Not, Or, Phrase, Word
from chorus.core.query.word_matching import WordCriteria, criteria_of, is_id_of
from chorus.find.index.marks import CONVERSATION, ROLES, mark
from chorus.find.index.patterns import is_match, literal_of
from chorus.find.index.sqlite.prefixes import words_of
from chorus.find.index.sqlite.words import MARK

NOTHING = f'"{MARK}{mark("conversation", "")}"'
"""Matches nothing: no conversation has an empty name."""


def expression(connection: sqlite3.Connection, nodes: list[Node]) -> str | None:
    """Compiles nodes to an FTS5 query for entries that match all of them; None if there is nothing to search for."""
    return _Compiler(connection).all_of(nodes)


def expanded(connection: sqlite3.Connection, nodes: list[Node]) -> tuple[str | None, bool]:
    """Like `expression`, but with each prefix replaced by the words that begin with it; and whether that was possible.

    This matches the same entries. The first hits come sooner, all hits together later. It is unsuitable for ranking,
    which would weigh each of the words.
    """
    compiler = _Compiler(connection, expands=True)
    return compiler.all_of(nodes), compiler.has_expanded


def any_mark(marks: list[str]) -> str:
    """Returns an FTS5 query for entries with any of the marks."""
    return _any_of([MARK + each for each in marks])


class _Compiler(Struct):
    """Compiles nodes to FTS5."""

    connection: sqlite3.Connection
    expands: bool = False
    has_expanded: bool = False

    def all_of(self, nodes: list[Node]) -> str | None:
        wanted = [each for node in nodes if not isinstance(node, Not) and (each := self._node(node))]
        unwanted = [each for node in nodes if isinstance(node, Not) and (each := self._node(node.of))]
        if not wanted and not unwanted:
            return None
        found = " AND ".join(wanted) or any_mark(list(ROLES))
        return f"(({found}) NOT ({' OR '.join(unwanted)}))" if unwanted else f"({found})"

    def _node(self, node: Node) -> str | None:
        match node:
            case Word() | Phrase():
                return self._word(criteria_of(node))
            case Field():
                return self._field(node)
            case And():
                return self.all_of(list(node.of))
            case Or():
                found = [each for each in map(self._node, node.of) if each]
                return f"({' OR '.join(found)})" if found else None
            case Not():
                return self.all_of([node])
            case _:
                raise AssertionError(f"{type(node).__name__} cannot be compiled to FTS5")

    def _word(self, asks: WordCriteria) -> str | None:
        """Matches one of the runs and all signs; or every entry of a conversation whose id begins with this text."""
        if asks.is_empty:
            return None
        runs = [self._phrase(run.words, is_prefix=run.is_prefix) for run in asks.runs]
        terms = [f"({' OR '.join(runs)})"] if runs else []
        terms += [f'"{sign}"' for sign in asks.signs]
        found = f"({' AND '.join(terms)})"
        named = self._named(asks.id) if asks.id else []
        return f"({found} OR {any_mark(named)})" if named else found

    def _named(self, beginning: str) -> list[str]:
        """Returns the marks of conversations whose id begins with this text."""
        like = f"%/{_escaped(beginning)}%"
        rows = self.connection.execute("SELECT name FROM conversation WHERE name LIKE ? ESCAPE '!'", (like,))
        return [mark(CONVERSATION, name) for (name,) in rows if is_id_of(beginning, name.rpartition("/")[2])]

    def _phrase(self, words: tuple[str, ...], *, is_prefix: bool) -> str:
        # In a phrase, each alternative would read the positions of the words before it again.
        if is_prefix and self.expands and len(words) == 1:
            alternatives = words_of(self.connection, words[0])
            if alternatives is not None:
                self.has_expanded = True
                return _any_of(alternatives)
        return f'"{" ".join(words)}"{" *" if is_prefix else ""}'

    def _field(self, node: Field) -> str:
        match node.name:
            case "role" | "is" | "has":
                return any_mark([node.name + node.value])
            case "conversation":
                return any_mark([mark(CONVERSATION, node.value)])
            case "file":
                like = f"%{_escaped(literal_of(node.value))}%"
                rows = self.connection.execute("SELECT DISTINCT path FROM file WHERE path LIKE ? ESCAPE '!'", (like,))
            case "tool" | "model" | "approved-by":
                rows = self.connection.execute("SELECT value FROM name WHERE kind = ?", (node.name,))
            case "workspace" | "branch" | "agent" | "status" | "tag" | "usage" | "commit":
                raise AssertionError(f"{node.name} asks nothing of an entry")
            case _:
                assert_never(node.name)
        meant = [value for (value,) in rows if is_match(node.value, value, kind=node.name)]
        return any_mark([mark(node.name, value) for value in meant])


def _any_of(words: list[str]) -> str:
    return "(" + " OR ".join(f'"{each}"' for each in words) + ")" if words else NOTHING


def _escaped(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
