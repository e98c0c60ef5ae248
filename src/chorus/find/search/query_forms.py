"""The forms of a query that are tried one after the other: exactly as typed, then by its words."""

from chorus.core.query.exact import exactly, loosely
from chorus.core.query.tree import Among, And, Literal, Node, Not, Or, Query, Regex, Sequence
from chorus.find.index.port import Index, IsLate
from chorus.find.index.rows import ConversationRow
from chorus.find.search.annotations import (
    found_by_words,
    load_annotations,
    narrowed,
    resolved,
    with_given_titles,
    without_archived,
)
from chorus.find.search.entry_texts import Texts
from chorus.keep.vault.port import Vault


def forms(query: Query) -> list[Query]:
    """Returns the query with its words exactly as typed; and a second, looser form if that differs."""
    exact, loose = exactly(query), loosely(query)
    return [exact] if exact.root == loose.root else [exact, loose]


def conversations(
    index: Index,
    vault: Vault,
    query: Query,
    *,
    limit: int,
    start: int = 0,
    is_late: IsLate | None = None,
    hides_archived: bool = False,
    is_bounded: bool = False,
) -> tuple[list[ConversationRow], bool]:
    """Returns conversations that match the query exactly as typed; if there are none, those that match its words.

    Conversations whose title, tag or note contains these words come first. With `hides_archived`, archived
    conversations are left out, unless the query asks about them. `is_late` is called by queries that check entries one
    by one, and with `is_bounded` by all.
    """
    annotations = load_annotations(vault)
    asked = without_archived(query, annotations) if hides_archived else query
    asked = resolved(asked, index, annotations)
    described = found_by_words(asked, index, annotations, most=start + limit + 1)
    if described:
        asked = narrowed(asked, Not(Among(frozenset(row.name for row in described))))
    first = described[start : start + limit]
    rows, has_more = _recorded(
        index,
        vault,
        asked,
        limit=limit - len(first),
        start=max(0, start - len(described)),
        is_late=is_late,
        is_asked_once=bool(described),
        is_bounded=is_bounded,
    )
    return with_given_titles([*first, *rows], annotations), has_more or len(described) > start + limit


def _recorded(
    index: Index,
    vault: Vault,
    query: Query,
    *,
    limit: int,
    start: int,
    is_late: IsLate | None,
    is_asked_once: bool,
    is_bounded: bool,
) -> tuple[list[ConversationRow], bool]:
    """Returns conversations whose records match; with `is_asked_once` only the first form of the query is tried."""
    texts = Texts(index, vault)
    found: tuple[list[ConversationRow], bool] = ([], False)
    for form in forms(query)[: 1 if is_asked_once else None]:
        late = is_late if is_bounded or looks_at_each(form.root) else None
        found = index.conversations(form, limit=limit, start=start, texts_of=texts.texts, is_late=late)
        has_any = found[0] or (start and index.conversations(form, limit=1, texts_of=texts.texts, is_late=late)[0])
        if has_any or (late is not None and late()):
            return found
    return found


def looks_at_each(node: Node | Sequence | None) -> bool:
    """Whether a query must check entries one by one, so that its time grows with the number of entries."""
    match node:
        case Sequence() | Regex() | Literal():
            return True
        case And(of=nodes) | Or(of=nodes):
            return any(map(looks_at_each, nodes))
        case Not(of=inner):
            return looks_at_each(inner)
        case _:
            return False
