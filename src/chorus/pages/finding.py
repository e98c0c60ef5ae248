"""Find in conversation: a query of the one language, asked of one conversation, answered in its order."""

from chorus.finding.asking import forms, looks_at_each
from chorus.finding.texts import Texts
from chorus.finding.within import within
from chorus.index.port import MOST_HITS, Index, IsLate
from chorus.pages.locating import located
from chorus.pages.sketch import key_of_sketch
from chorus.pages.transcript import OpenTranscript
from chorus.pages.whereabouts import row_sketch
from chorus.query.tree import Query
from chorus.wire import FoundInConversation

MOST_FOUND = 200
"""Places in one answer."""


def find_in(
    opened: OpenTranscript,
    index: Index,
    query: Query,
    *,
    thread: str | None = None,
    start: int = 0,
    limit: int = MOST_FOUND,
    is_late: IsLate | None = None,
) -> FoundInConversation:
    """The rows in which entries answer the query, those of one thread if it is named; from number `start` on."""
    numbers = _numbers(opened, index, query, is_late)
    with opened.lock:
        names = None if thread is None else set(opened.links.names_of(thread))
        answering = (row_sketch(opened, each.id) for each in opened.all if each.number in numbers)
        found = {row.id: row for row in answering if row is not None and (names is None or row.thread in names)}
        rows = sorted(found.values(), key=key_of_sketch)
        hits = tuple(located(opened, row) for row in rows[start : start + limit])
    return FoundInConversation(hits=hits, has_more=len(rows) > start + limit)


def _numbers(opened: OpenTranscript, index: Index, query: Query, is_late: IsLate | None) -> set[int]:
    """The entries of this conversation that answer, by their numbers in the index."""
    texts = Texts(index, opened.vault)
    for form in forms(query):
        restricted = within(form, opened.name)
        found = _of_form(index, texts, restricted, is_late) if restricted else set[int]()
        if found:
            return found
    return set()


def _of_form(index: Index, texts: Texts, restricted: Query, is_late: IsLate | None) -> set[int]:
    late = is_late if looks_at_each(restricted.root) else None
    found: set[int] = set()
    below: int | None = None
    while True:
        answer = index.search(restricted, limit=MOST_HITS, below=below, texts_of=texts.texts, is_late=late)
        found |= {number for hit in answer.hits for number in (hit.number, *hit.also)}
        below = answer.next
        if below is None or answer.is_partial:
            return found
