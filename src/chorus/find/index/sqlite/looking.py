"""Texts looked at: what the index of words cannot tell, a pattern or a form as it was typed, is asked of these."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

from chorus.core.query.regexes import Pattern, compiled, found_in
from chorus.core.query.tree import And, Literal, Node, Not, Or, Regex
from chorus.find.index.port import TextsOf
from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.numbered import Numbered

_MAX_BYTES = 4 << 20
"""Of records whose texts are held at the same time."""


class Look(Struct):
    """Looks at texts, many at a time: those that lie together are read together."""

    connection: sqlite3.Connection
    texts_of: TextsOf | None
    name_of: Callable[[int], str]
    """The name of a conversation by its number."""
    patterns: dict[Node, Pattern] = field(default_factory=dict)
    numbered: Numbered | None = None
    held: dict[int, str] = field(default_factory=dict)
    """Texts by the numbers of their entries."""

    def pieces(self, rows: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
        """The rows, some at a time, the texts of which are ready."""
        if self.texts_of is None:
            yield rows
            return
        numbered = self.numbered = self.numbered or Numbered(self.connection)
        entries = numbered.entries([number for number, *_ in rows])
        for some in _by_size(rows, entries):
            wanted = [(number, self.name_of(owner)) for number, owner, _ in some if number in entries]
            texts = self.texts_of([(name, entries[number]) for number, name in wanted])
            self.held = {number: text for (number, _), text in zip(wanted, texts, strict=True)}
            yield some
        self.held = {}

    def matches(self, node: Regex | Literal, number: int) -> bool:
        """Whether the text of an entry holds what is asked for; it is ready."""
        pattern = self.patterns.get(node)
        if pattern is None:
            pattern = self.patterns[node] = compiled(node)
        text = self.held.get(number)
        return text is not None and found_in(node, pattern, text)


def needs_texts(node: Node) -> bool:
    """Whether a text has to be looked at to tell whether the node holds."""
    match node:
        case Regex() | Literal():
            return True
        case And(of=nodes) | Or(of=nodes):
            return any(map(needs_texts, nodes))
        case Not(of=inner):
            return needs_texts(inner)
        case _:
            return False


def _by_size(rows: Iterable[tuple[int, int, int]], entries: dict[int, Entry]) -> Iterator[list[tuple[int, int, int]]]:
    some: list[tuple[int, int, int]] = []
    size = 0
    for row in rows:
        entry = entries.get(row[0])
        taken = sum(part.place.length for part in entry.parts) if entry else 0
        if some and size + taken > _MAX_BYTES:
            yield some
            some, size = [], 0
        some.append(row)
        size += taken
    if some:
        yield some
