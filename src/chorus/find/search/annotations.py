"""Annotations and titles of conversations in queries and in their results.

`is:starred`, `is:archived`, `tag:`, `status:` and `usage:` are answered here, before the index is queried: the first
three are not in the record, `status:` depends on the current time, and `usage:` on sums.
"""

from collections.abc import Container, Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from chorus.base.zone import local_zone
from chorus.core.query.joining import all_of
from chorus.core.query.leaves import each_leaf
from chorus.core.query.tree import Among, And, Field, Node, Not, Or, Phrase, Query, Sequence, Step, Word
from chorus.core.query.usage_lines import parse_usage_line
from chorus.core.query.words import prepare
from chorus.core.views.activity import activity
from chorus.find.index.matching import Candidate, matches
from chorus.find.index.patterns import is_match
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow, Document
from chorus.find.payloads.texts import seen
from chorus.find.search.client_titles import titles_that_may_match
from chorus.find.usage.selecting import conversations_of
from chorus.keep.archive.annotations import Annotation, annotations_of
from chorus.keep.vault.port import Vault

_STARRED, _ARCHIVED = Field("is", "starred"), Field("is", "archived")
Annotations = dict[str, Annotation]


def load_annotations(vault: Vault) -> Annotations:
    """Returns the annotations of the conversations of a vault; none for a vault that is not a folder."""
    root = getattr(vault, "root", None)
    return annotations_of(root).all() if isinstance(root, Path) else {}


def resolved(query: Query, index: Index, annotations: Annotations) -> Query:
    """Returns the query in a form that an index can answer."""

    def one(node: Node) -> Node:
        match node:
            case Field(name="is", value="starred"):
                return Among(frozenset(name for name, each in annotations.items() if each.is_starred))
            case Field(name="is", value="archived"):
                return archived(annotations)
            case Field(name="tag"):
                return Among(frozenset(name for name, each in annotations.items() if has_tag(each, node.value)))
            case Field(name="usage"):
                return Among(conversations_of(index, parse_usage_line(node.value), local_zone()))
            case Field(name="status"):
                now, rows = datetime.now(UTC), index.statuses()
                meant = (name for name, status, last in rows if activity(status, last, now) == node.value)
                return Among(frozenset(meant))
            case _:
                return node

    return structs.replace(query, root=each_leaf(query.root, one))


def has_tag(annotation: Annotation, pattern: str) -> bool:
    """Whether a pattern matches one of the tags: as a whole, ignoring case; `*` matches any characters."""
    return any(is_match(pattern.lstrip("#"), tag, kind="tool") for tag in annotation.tags)


def archived(annotations: Annotations) -> Among:
    return Among(frozenset(name for name, each in annotations.items() if each.is_archived))


def without_archived(query: Query, annotations: Annotations) -> Query:
    """Returns the query without archived conversations, unless it asks about these."""
    hidden = archived(annotations)
    if not hidden.names or asks_for_archived(query):
        return query
    return narrowed(query, Not(hidden))


def asks_for_archived(query: Query) -> bool:
    found: list[Node] = []

    def one(node: Node) -> Node:
        # Archived conversations count in a usage report, so they are among those of its lines.
        if node == _ARCHIVED or (isinstance(node, Field) and node.name == "usage"):
            found.append(node)
        return node

    each_leaf(query.root, one)
    return bool(found)


def narrowed(query: Query, where: Node) -> Query:
    """Returns the query restricted to some conversations."""
    root = query.root
    if isinstance(root, Sequence):
        steps = tuple(Step(all_of([where, step.of]), step.within) for step in root.steps)
        return structs.replace(query, root=Sequence(steps))
    return structs.replace(query, root=where if root is None else all_of([root, where]))


def found_by_words(
    query: Query, index: Index, annotations: Annotations, *, most: int, hit: Container[str] = ()
) -> list[ConversationRow]:
    """Returns conversations whose title, tags or note match the words of a query, latest activity first.

    `query` is a result of `resolved`. Title, tags and note are searched as if they were an entry of the conversation.
    The title is the one that a person gave, else the one that a client wrote; of those found by the title of a client
    alone, at most the `most` latest are returned, and none that was `hit` already.
    """
    root = query.root
    if root is None or isinstance(root, Sequence) or not _has_words(root):
        return []
    rows: list[ConversationRow] = []
    noted = {name for name, each in annotations.items() if each.title or each.tags or each.note}
    for name in noted:
        each = annotations[name]
        if (row := index.conversation(name)) is not None:
            text = "\n".join(filter(None, (each.title or row.client_title, " ".join(each.tags), each.note)))
            if _answers(root, row, text):
                rows.append(row)
    found = 0
    for name, title in titles_that_may_match(root, index):
        if found == most:
            break
        if (
            name not in noted
            and name not in hit
            and (row := index.conversation(name)) is not None
            and _answers(root, row, title)
        ):
            rows.append(row)
            found += 1
    rows.sort(key=lambda row: row.name)
    rows.sort(key=lambda row: row.session.ended_at or "", reverse=True)
    return rows


def _answers(root: Node, row: ConversationRow, text: str) -> bool:
    words = prepare(seen(text))
    document = Document(words.text, words.parts, ())
    return matches(root, Candidate(document, row.session.ended_at or "", row, None, 0, lambda: text))


def with_given_titles(rows: Iterable[ConversationRow], annotations: Annotations) -> list[ConversationRow]:
    """Returns the rows with the titles that a person gave."""
    return [_with_given_title(row, annotations.get(row.name)) for row in rows]


def _with_given_title(row: ConversationRow, annotation: Annotation | None) -> ConversationRow:
    if annotation is None or annotation.title is None:
        return row
    return structs.replace(row, given_title=annotation.title)


def _has_words(node: Node) -> bool:
    match node:
        case Word() | Phrase():
            return True
        case And(of=nodes) | Or(of=nodes):
            return any(map(_has_words, nodes))
        case _:
            return False
