"""Queries in the language of SQLite's index of words."""

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
"""Is found nowhere: no conversation is without a name."""


def expression(connection: sqlite3.Connection, nodes: list[Node]) -> str | None:
    """What to ask for entries in which all nodes hold; None when there is nothing in them to ask for."""
    return _Speaker(connection).all_of(nodes)


def spelled_out(connection: sqlite3.Connection, nodes: list[Node]) -> tuple[str | None, bool]:
    """As `expression`, but prefixes are asked for as the words there are; and whether any could be.

    That finds the same, the first of it sooner, and all of it later. A rank would weigh each of the words.
    """
    speaker = _Speaker(connection, spells_out=True)
    return speaker.all_of(nodes), speaker.has_spelled


def any_mark(marks: list[str]) -> str:
    """Entries with any of the marks."""
    return _any_of([MARK + each for each in marks])


class _Speaker(Struct):
    """Says nodes in that language."""

    connection: sqlite3.Connection
    spells_out: bool = False
    has_spelled: bool = False

    def all_of(self, nodes: list[Node]) -> str | None:
        wanted = [each for node in nodes if not isinstance(node, Not) and (each := self._one(node))]
        unwanted = [each for node in nodes if isinstance(node, Not) and (each := self._one(node.of))]
        if not wanted and not unwanted:
            return None
        found = " AND ".join(wanted) or any_mark(list(ROLES))
        return f"(({found}) NOT ({' OR '.join(unwanted)}))" if unwanted else f"({found})"

    def _one(self, node: Node) -> str | None:
        match node:
            case Word() | Phrase():
                return self._said(criteria_of(node))
            case Field():
                return self._field(node)
            case And():
                return self.all_of(list(node.of))
            case Or():
                found = [each for each in map(self._one, node.of) if each]
                return f"({' OR '.join(found)})" if found else None
            case Not():
                return self.all_of([node])
            case _:
                raise AssertionError(f"{type(node).__name__} is no matter of words")

    def _said(self, asks: WordCriteria) -> str | None:
        """One of the runs, and all signs; or any entry of a conversation whose id begins so."""
        if asks.is_empty:
            return None
        runs = [self._phrase(run.words, is_prefix=run.is_prefix) for run in asks.runs]
        said = [f"({' OR '.join(runs)})"] if runs else []
        said += [f'"{sign}"' for sign in asks.signs]
        found = f"({' AND '.join(said)})"
        named = self._named(asks.id) if asks.id else []
        return f"({found} OR {any_mark(named)})" if named else found

    def _named(self, beginning: str) -> list[str]:
        """The marks of conversations whose id begins so."""
        like = f"%/{_escaped(beginning)}%"
        rows = self.connection.execute("SELECT name FROM conversation WHERE name LIKE ? ESCAPE '!'", (like,))
        return [mark(CONVERSATION, name) for (name,) in rows if is_id_of(beginning, name.rpartition("/")[2])]

    def _phrase(self, words: tuple[str, ...], *, is_prefix: bool) -> str:
        # In a phrase, each spelling would walk the words before it once more.
        if is_prefix and self.spells_out and len(words) == 1:
            spelled = words_of(self.connection, words[0])
            if spelled is not None:
                self.has_spelled = True
                return _any_of(spelled)
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
            case "workspace" | "branch" | "agent" | "status" | "tag":
                raise AssertionError(f"{node.name} asks nothing of an entry")
            case _:
                assert_never(node.name)
        meant = [value for (value,) in rows if is_match(node.value, value, kind=node.name)]
        return any_mark([mark(node.name, value) for value in meant])


def _any_of(words: list[str]) -> str:
    return "(" + " OR ".join(f'"{each}"' for each in words) + ")" if words else NOTHING


def _escaped(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
