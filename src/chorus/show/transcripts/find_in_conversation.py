"""Find in conversation: runs a query on one conversation and returns the results in conversation order."""

import msgspec
from msgspec import Struct

from chorus.core.query.tree import Query
from chorus.find.index.port import MAX_HITS, Index, IsLate
from chorus.find.search.entry_texts import Texts
from chorus.find.search.in_conversation import within
from chorus.find.search.query_forms import forms, looks_at_each
from chorus.show.transcripts.keys import BadCursor
from chorus.show.transcripts.locating import located
from chorus.show.transcripts.row_of_item import row_sketch
from chorus.show.transcripts.sketch import key_of_sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import FoundInConversation

MAX_FOUND = 200
"""The maximum number of hits in one answer."""


class _Place(Struct, frozen=True, array_like=True):
    """Where to continue: which form of the query, below which entry number, and whether it found anything yet."""

    form: int = 0
    below: int | None = None
    has_any: bool = False


_place = msgspec.json.Decoder(_Place)


def find_in(
    opened: OpenTranscript,
    index: Index,
    query: Query,
    *,
    thread: str | None = None,
    start: int = 0,
    after: str | None = None,
    limit: int = MAX_FOUND,
    is_late: IsLate | None = None,
) -> FoundInConversation:
    """Returns the rows of entries that match the query, from row number `start` on; with `thread`, only of this thread.

    `after` continues an answer that ran out of time (its `next`). Raises `BadCursor` if `after` is invalid.
    """
    numbers, place = _numbers(opened, index, query, _read(after), is_late)
    with opened.lock:
        names = None if thread is None else set(opened.links.names_of(thread))
        answering = (row_sketch(opened, each.id) for each in opened.all if each.number in numbers)
        found = {row.id: row for row in answering if row is not None and (names is None or row.thread in names)}
        rows = sorted(found.values(), key=key_of_sketch)
        hits = tuple(located(opened, row) for row in rows[start : start + limit])
    following = msgspec.json.encode(place).decode() if place is not None else None
    return FoundInConversation(hits=hits, has_more=len(rows) > start + limit, next=following)


def _read(after: str | None) -> _Place:
    if after is None:
        return _Place()
    try:
        return _place.decode(after)
    except msgspec.DecodeError as error:
        raise BadCursor(after) from error


def _numbers(
    opened: OpenTranscript, index: Index, query: Query, place: _Place, is_late: IsLate | None
) -> tuple[set[int], _Place | None]:
    """Returns the index numbers of the matching entries of this conversation, and where to continue."""
    texts = Texts(index, opened.vault)
    below, has_any = place.below, place.has_any
    for n, form in enumerate(forms(query)):
        if n < place.form:
            continue
        restricted = within(form, opened.name)
        found, following = _of_form(index, texts, restricted, below, is_late) if restricted else (set[int](), None)
        if following is not None:
            return found, _Place(n, following, has_any or bool(found))
        if found or has_any:
            return found, None
        below = None
    return set(), None


def _of_form(
    index: Index, texts: Texts, restricted: Query, below: int | None, is_late: IsLate | None
) -> tuple[set[int], int | None]:
    late = is_late if looks_at_each(restricted.root) else None
    found: set[int] = set()
    while True:
        answer = index.search(restricted, limit=MAX_HITS, below=below, texts_of=texts.texts, is_late=late)
        found |= {number for hit in answer.hits for number in (hit.number, *hit.also)}
        below = answer.next
        if below is None or answer.is_partial:
            return found, below
