"""Groups hits by conversation and counts them."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from chorus.core.query.tree import Query
from chorus.find.index.port import MAX_HITS, Index
from chorus.find.index.rows import Answer, Hit
from chorus.find.search.in_conversation import within


class Group(Struct, frozen=True):
    """The hits of one conversation."""

    conversation: str
    """Its name."""
    count: int
    """How many there are, including other pages of the answer."""
    is_at_least: bool = False
    """Whether there may be more than were counted."""


def together(hits: Iterable[Hit]) -> list[Hit]:
    """Groups the hits by conversation; conversations and their hits stay in the given order."""
    by_name: dict[str, list[Hit]] = {}
    for hit in hits:
        by_name.setdefault(hit.conversation, []).append(hit)
    return [hit for some in by_name.values() for hit in some]


def groups(index: Index, query: Query, answer: Answer, *, is_whole: bool, is_counted: bool) -> list[Group]:
    """Returns the groups of an answer, in its order.

    `is_whole`: the answer contains every hit. `is_counted`: the index can count the hits of a conversation without
    checking each.
    """
    here = Counter(hit.conversation for hit in answer.hits)
    if is_whole or not is_counted or answer.is_spread:
        return [Group(name, count, not is_whole and not answer.is_spread) for name, count in here.items()]
    found: list[Group] = []
    for name, count in here.items():
        asked = within(query, name)
        counted = index.count(asked, since=0) if asked else None
        is_all = counted is not None and counted <= MAX_HITS
        found.append(Group(name, max(count, min(counted or 0, MAX_HITS)), not is_all))
    return found
