"""What a person said about conversations as part of a query, and of what it finds.

`is:starred`, `is:archived`, `tag:` and `status:` are answered here, before an index is asked: the first three are no
part of the record, and the last depends on the time of asking.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from chorus.core.query.joining import all_of
from chorus.core.query.tree import Among, And, Field, Node, Not, Or, Phrase, Query, Sequence, Step, Word
from chorus.core.query.words import prepare
from chorus.core.views.activity import activity
from chorus.find.index.matching import Candidate, holds
from chorus.find.index.patterns import is_match
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow, Document
from chorus.find.payloads.texts import seen
from chorus.keep.archive.annotations import Annotation, annotations_of
from chorus.keep.vault.port import Vault

_STARRED, _ARCHIVED = Field("is", "starred"), Field("is", "archived")
Said = dict[str, Annotation]


def said_of(vault: Vault) -> Said:
    """What was said about the conversations of a vault; nothing for one that is no folder."""
    root = getattr(vault, "root", None)
    return annotations_of(root).all() if isinstance(root, Path) else {}


def resolved(query: Query, index: Index, said: Said) -> Query:
    """The query as an index can answer it."""

    def one(node: Node) -> Node:
        match node:
            case Field(name="is", value="starred"):
                return Among(frozenset(name for name, each in said.items() if each.is_starred))
            case Field(name="is", value="archived"):
                return archived(said)
            case Field(name="tag"):
                return Among(frozenset(name for name, each in said.items() if has_tag(each, node.value)))
            case Field(name="status"):
                now, rows = datetime.now(UTC), index.standings()
                meant = (name for name, status, last in rows if activity(status, last, now) == node.value)
                return Among(frozenset(meant))
            case _:
                return node

    return structs.replace(query, root=_each(query.root, one))


def has_tag(said: Annotation, pattern: str) -> bool:
    """Whether one of the tags is meant: as a whole, in either case, `*` for any characters."""
    return any(is_match(pattern.lstrip("#"), tag, kind="tool") for tag in said.tags)


def archived(said: Said) -> Among:
    return Among(frozenset(name for name, each in said.items() if each.is_archived))


def without_archived(query: Query, said: Said) -> Query:
    """The query without archived conversations, unless it asks about these."""
    hidden = archived(said)
    if not hidden.names or asks_for_archived(query):
        return query
    return narrowed(query, Not(hidden))


def asks_for_archived(query: Query) -> bool:
    found: list[Node] = []

    def one(node: Node) -> Node:
        if node == _ARCHIVED:
            found.append(node)
        return node

    _each(query.root, one)
    return bool(found)


def narrowed(query: Query, where: Node) -> Query:
    """The query asked of some conversations only."""
    root = query.root
    if isinstance(root, Sequence):
        steps = tuple(Step(all_of([where, step.of]), step.within) for step in root.steps)
        return structs.replace(query, root=Sequence(steps))
    return structs.replace(query, root=where if root is None else all_of([root, where]))


def found_by_words(query: Query, index: Index, said: Said) -> list[ConversationRow]:
    """Conversations whose given title, tags or note answer a query of words, the one that went on last first.

    `query` is one that `resolved` gave. What a person said is asked as if it were an entry of the conversation.
    """
    root = query.root
    if root is None or isinstance(root, Sequence) or not _has_words(root):
        return []
    rows: list[ConversationRow] = []
    for name, each in said.items():
        text = "\n".join(filter(None, (each.title, " ".join(each.tags), each.note)))
        if text and (row := index.conversation(name)) is not None:
            words = prepare(seen(text))
            document = Document(words.text, words.parts, ())
            if holds(root, Candidate(document, row.session.ended_at or "", row, None, 0, lambda text=text: text)):
                rows.append(row)
    rows.sort(key=lambda row: row.name)
    rows.sort(key=lambda row: row.session.ended_at or "", reverse=True)
    return rows


def entitled(rows: Iterable[ConversationRow], said: Said) -> list[ConversationRow]:
    """The rows under the titles that a person gave."""
    return [_entitled(row, said.get(row.name)) for row in rows]


def _entitled(row: ConversationRow, said: Annotation | None) -> ConversationRow:
    if said is None or said.title is None:
        return row
    return structs.replace(row, given_title=said.title)


def _has_words(node: Node) -> bool:
    match node:
        case Word() | Phrase():
            return True
        case And(of=nodes) | Or(of=nodes):
            return any(map(_has_words, nodes))
        case _:
            return False


def _each(root: Node | Sequence | None, one: Callable[[Node], Node]) -> "Node | Sequence | None":
    """The query with each of its leaves as `one` gives it."""

    def walk(node: Node) -> Node:
        match node:
            case And():
                return And(tuple(map(walk, node.of)))
            case Or():
                return Or(tuple(map(walk, node.of)))
            case Not():
                return Not(walk(node.of))
            case _:
                return one(node)

    if isinstance(root, Sequence):
        return Sequence(tuple(Step(walk(step.of), step.within) for step in root.steps))
    return None if root is None else walk(root)
