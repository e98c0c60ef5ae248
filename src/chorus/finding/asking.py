"""A query in the forms that are asked of the index one after the other: as it was typed, then by its words."""

from chorus.finding.texts import Texts
from chorus.index.port import Index, IsLate
from chorus.index.rows import ConversationRow
from chorus.query.exact import exactly, loosely
from chorus.query.tree import And, Literal, Node, Not, Or, Query, Regex, Sequence
from chorus.store.port import Vault


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
) -> tuple[list[ConversationRow], bool]:
    """Conversations that answer the query as it was typed; where there is none, those that answer by its words."""
    texts = Texts(index, vault)
    found: tuple[list[ConversationRow], bool] = ([], False)
    for form in forms(query):
        late = is_late if looks_at_each(form.root) else None
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
