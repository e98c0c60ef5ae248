"""Sorts the conditions of a query by what answers them: word index, table of conversations, or reading the entry."""

from collections.abc import Iterator

from msgspec import Struct, field

from chorus.core.query.tree import (
    CONVERSATION_FIELDS,
    Among,
    And,
    Field,
    Literal,
    Measure,
    Node,
    Not,
    Or,
    Phrase,
    Regex,
    Time,
    Word,
)


class Conditions(Struct):
    """The parts of a query, all of which must be true."""

    words: list[Node] = field(default_factory=list)
    """Conditions that the word index answers."""
    conversations: list[Node] = field(default_factory=list)
    """Conditions on the conversation only."""
    since: str | None = None
    until: str | None = None
    checks: list[Node] = field(default_factory=list)
    """Conditions that must be checked entry by entry."""

    @property
    def is_about_conversations(self) -> bool:
        """Whether the query has no condition on entries."""
        return not self.words and not self.checks and self.since is None and self.until is None

    @property
    def is_words_alone(self) -> bool:
        """Whether the query consists only of words; these may be spread over a conversation."""
        plain = all(isinstance(node, (Word, Phrase)) for node in self.words)
        return len(self.words) > 1 and plain and not self.checks


def conditions(root: Node | None) -> Conditions:
    """Sorts the parts of a query."""
    found = Conditions()
    for node in root.of if isinstance(root, And) else (root,) if root is not None else ():
        kinds = set(_kinds(node))
        if isinstance(node, Time):
            found.since = max(filter(None, (found.since, node.since)), default=None)
            found.until = min(filter(None, (found.until, node.until)), default=None)
        elif kinds == {"conversation"}:
            found.conversations.append(node)
        elif kinds == {"words"}:
            found.words.append(node)
        else:
            found.checks.append(node)
    return found


CONFLICT = Field("is", "conflict")
"""An entry alone does not answer this: it also depends on what other conversations say about the same message."""


def asks_for_conflicts(root: Node | None) -> bool:
    """Whether a query depends on which messages differ between conversations."""
    return root is not None and "conflict" in _kinds(root)


def is_of_conversation(node: Node) -> bool:
    return isinstance(node, (Measure, Among)) or (isinstance(node, Field) and node.name in CONVERSATION_FIELDS)


def _kinds(node: Node) -> Iterator[str]:
    match node:
        case And() | Or():
            for each in node.of:
                yield from _kinds(each)
        case Not():
            yield from _kinds(node.of)
        case Time():
            yield "time"
        case Field() if node == CONFLICT:
            yield "conflict"
        case Regex() | Literal():
            yield "regex"
        case _:
            yield "conversation" if is_of_conversation(node) else "words"
