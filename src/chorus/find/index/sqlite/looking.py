"""Checks texts of entries for what the word index cannot answer: a regex, or a text exactly as it was typed."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

from chorus.core.query.regexes import Pattern, compiled, found_in
from chorus.core.query.tree import And, Literal, Node, Not, Or, Regex
from chorus.find.index.port import TextsOf
from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.numbered import EntryLookup

_MAX_BYTES = 4 << 20
"""The size of the records whose texts are in memory at the same time."""


class TextMatcher(Struct):
    """Checks texts in batches, so that records stored together are read together."""

    connection: sqlite3.Connection
    texts_of: TextsOf | None
    name_of: Callable[[int], str]
    """Returns the name of a conversation for its number."""
    patterns: dict[Node, Pattern] = field(default_factory=dict)
    lookup: EntryLookup | None = None
    texts: dict[int, str] = field(default_factory=dict)
    """Loaded texts, by the numbers of their entries."""

    def batches(self, rows: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
        """Yields the rows in batches; the texts of the rows of a batch are loaded."""
        if self.texts_of is None:
            yield rows
            return
        lookup = self.lookup = self.lookup or EntryLookup(self.connection)
        entries = lookup.entries([number for number, *_ in rows])
        for some in _by_size(rows, entries):
            wanted = [(number, self.name_of(owner)) for number, owner, _ in some if number in entries]
            loaded = self.texts_of([(name, entries[number]) for number, name in wanted])
            self.texts = {number: text for (number, _), text in zip(wanted, loaded, strict=True)}
            yield some
        self.texts = {}

    def matches(self, node: Regex | Literal, number: int) -> bool:
        """Whether the loaded text of an entry contains a match."""
        pattern = self.patterns.get(node)
        if pattern is None:
            pattern = self.patterns[node] = compiled(node)
        text = self.texts.get(number)
        return text is not None and found_in(node, pattern, text)


def needs_texts(node: Node) -> bool:
    """Whether the text of an entry is needed to evaluate the node."""
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
