"""A query in the forms that are asked of the index one after the other: as it was typed, then by its words."""

from chorus.core.query.exact import exactly, loosely
from chorus.core.query.tree import Among, And, Literal, Node, Not, Or, Query, Regex, Sequence
from chorus.find.index.port import Index, IsLate
from chorus.find.index.rows import ConversationRow
from chorus.find.search.annotations import entitled, found_by_words, narrowed, resolved, said_of, without_archived
from chorus.find.search.entry_texts import Texts
from chorus.keep.vault.port import Vault


def forms(query: Query) -> list[Query]:
    """The query with its words as they were typed; where that says more than they do, also without."""
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
    """Conversations that answer the query as it was typed; where there is none, those that answer by its words.

    First come those that a person described with these words: by a title, a tag or a note. With `hides_archived`,
    those that were archived are left out, unless the query asks about them. `is_late` is asked by queries that look at
    entries one by one, and with `is_bounded` by all.
    """
    said = said_of(vault)
    asked = without_archived(query, said) if hides_archived else query
    asked = resolved(asked, index, said)
    described = found_by_words(asked, index, said)
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
    return entitled([*first, *rows], said), has_more or len(described) > start + limit


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
    """Those whose records answer; `is_asked_once` where something was found that answers as it was typed."""
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
    """Whether a query has to look at entries one by one, which takes as long as there are entries."""
    match node:
        case Sequence() | Regex() | Literal():
            return True
        case And(of=nodes) | Or(of=nodes):
            return any(map(looks_at_each, nodes))
        case Not(of=inner):
            return looks_at_each(inner)
        case _:
            return False
