"""Answers a query for people: each hit with its conversation, speaker, time and the words that were found."""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct, field, structs

from chorus.core.conversation import items
from chorus.core.conversation.items import Order
from chorus.core.query.looked_for import LookedFor, looked_for
from chorus.core.query.snippet import Snippet, snippet
from chorus.core.query.tree import Query
from chorus.find.index.port import Index, IsLate
from chorus.find.index.rows import Answer, ConversationRow, Entry, Hit
from chorus.find.search.annotations import found_by_words, load_annotations, resolved, with_given_titles
from chorus.find.search.entry_kinds import is_failed, kind_of
from chorus.find.search.entry_texts import Texts
from chorus.find.search.groups import Group, groups, together
from chorus.find.search.query_forms import forms, looks_at_each
from chorus.keep.vault.port import Vault

_LOOSE = 1 << 50
"""Added to the cursor of an answer by words only: far above any entry number, and still exact in JSON."""
_BEYOND = 1 << 49
"""Above any entry number."""
_TITLED = 20
"""How many conversations are named because of the title of a client alone."""
WIDTH = 160
"""The length of a snippet in characters."""


class Stands(Struct, frozen=True):
    """The position of the first match that is shown, within an entry."""

    part: str
    """The id of the block or result that contains it, or of the entry itself."""
    start: int
    end: int
    """Character offsets in the searchable text of that part: without colour codes and the numbers of a file's lines."""
    text: str
    """The text at this position."""


class Found(Struct, frozen=True, kw_only=True):
    """One entry that answers a query."""

    number: int
    """Its number in the index: the value of `below` to continue after it."""
    conversation: ConversationRow
    entry: str
    """The entry's id."""
    order: Order
    """Together with its id, its position among the entries of its conversation."""
    kind: str
    """`message`, `call`, `turn`, `notice` or `queued`."""
    role: str
    """`user`, `assistant`, `tool` or `system`: the value that `role:` matches."""
    author: str | None
    """Who wrote a message, an `Author`."""
    tool: str | None
    is_failed: bool
    thread: str
    """The sub-agent at work; "" for the main thread."""
    time: str | None
    snippet: Snippet
    stands: Stands | None = None
    """None if the query contains nothing that has a position, for example only a tool."""
    also: tuple[str, ...] = ()
    """Ids of the earlier calls of a sequence."""


class Answers(Struct):
    """The result of a query, in the order to show it."""

    found: list[Found]
    next: int | None = None
    """The value of `below` for the following hits; None when there are none."""
    is_partial: bool = False
    """Whether time ran out before everything was checked: `next` continues from there."""
    looked_to: str | None = None
    """If time ran out, the time of the oldest entry that was checked."""
    is_spread: bool = False
    """Whether no entry has all the words, and the hits are conversations that contain each word somewhere."""
    groups: list[Group] = field(default_factory=list)
    """The conversations of the hits, in order, with the number of hits in each."""
    is_loose: bool = False
    """Whether nothing matches exactly what was typed, and the hits are entries that contain its words."""
    looked_for: list[LookedFor] = field(default_factory=list)
    """What was searched for: every word, phrase and pattern that was typed."""
    asked: Query = Query(None)
    """The form of the query that produced the answer."""
    described: list[ConversationRow] = field(default_factory=list)
    """Conversations whose title, tag or note contains these words; without those that have hits, unless a person wrote
    it. Only in the first answer."""


def find(
    index: Index,
    vault: Vault,
    query: Query,
    *,
    limit: int,
    skip: int = 0,
    below: int | None = None,
    is_ranked: bool = False,
    is_late: IsLate | None = None,
    width: int = WIDTH,
) -> Answers:
    """Returns the entries that answer a query, newest or best first (`is_ranked`); `below` continues from an answer.

    The hits of one conversation are grouped at the position of its first one.

    `skip`: the number of hits to leave out at the start. Queries that check entries one by one call `is_late`; then the
    answer may be partial.
    """
    texts, annotations = Texts(index, vault), load_annotations(vault)
    typed, query = query, resolved(query, index, annotations)
    is_loose = below is not None and below >= _LOOSE
    place = below - _LOOSE if is_loose and below is not None else below
    asked = query
    answer = Answer([])
    for n, asked in enumerate(forms(query)):
        if is_loose and not n:
            continue
        late = is_late if looks_at_each(asked.root) else None
        answer = _answer(index, texts, asked, limit=limit, skip=skip, below=place, is_ranked=is_ranked, is_late=late)
        is_loose = n > 0
        if answer.hits or answer.is_partial or below is not None:
            break
        if skip and index.search(asked, limit=1, texts_of=texts.texts, is_late=late).hits:
            break
    is_first = below is None and not skip and not is_ranked
    answers = _answers(index, texts, typed, asked, answer, is_loose=is_loose, is_first=is_first, width=width)
    rows = with_given_titles([each.conversation for each in answers.found], annotations)
    answers.found = [structs.replace(each, conversation=row) for each, row in zip(answers.found, rows, strict=True)]
    if below is None and not skip:
        hit = {each.conversation.name for each in answers.found}
        described = found_by_words(query, index, annotations, most=_TITLED, hit=hit)
        answers.described = with_given_titles(described, annotations)
    return answers


def _answer(
    index: Index,
    texts: Texts,
    query: Query,
    *,
    limit: int,
    skip: int,
    below: int | None,
    is_ranked: bool,
    is_late: IsLate | None,
) -> Answer:
    search = partial(index.search, query, texts_of=texts.texts, is_late=is_late)
    if is_ranked:
        answer = search(limit=skip + limit, is_ranked=True)
        answer.hits = answer.hits[skip:]
        return answer
    return _newest(search, limit=limit, skip=skip, below=below)


def _answers(
    index: Index,
    texts: Texts,
    query: Query,
    asked: Query,
    answer: Answer,
    *,
    is_loose: bool,
    is_first: bool,
    width: int,
) -> Answers:
    """Adds texts and counts to an answer; `asked` is the form of the query that produced it."""
    is_whole = is_first and answer.next is None and not answer.is_partial
    counted = groups(index, asked, answer, is_whole=is_whole, is_counted=not looks_at_each(asked.root))
    hits = together(answer.hits)
    entries = index.entries({number for hit in hits for number in (hit.number, *hit.also)})
    rows = {name: index.conversation(name) for name in {hit.conversation for hit in hits}}
    found = [
        _found(hit, row, entry, entries, *_shown(texts.by_parts(row.name, entry), asked, width))
        for hit in hits
        if (entry := entries.get(hit.number)) and (row := rows[hit.conversation])
    ]
    following = answer.next + _LOOSE if is_loose and answer.next is not None else answer.next
    return Answers(
        found,
        following,
        answer.is_partial,
        answer.looked_to,
        answer.is_spread,
        counted,
        is_loose,
        looked_for(query, is_loose=is_loose),
        asked,
    )


def find_on(
    index: Index, vault: Vault, query: Query, *, limit: int, below: int | None, late: Callable[[], IsLate], width: int
) -> Iterator[Answers]:
    """Like `find`, newest first, in as many answers as needed: `late` returns the time limit of each."""
    is_from_the_start, has_any = below is None, False
    while limit > 0:
        answers = find(index, vault, query, limit=limit, below=below, is_late=late(), width=width)
        yield answers
        limit -= len(answers.found)
        has_any = has_any or bool(answers.found)
        if answers.is_partial and answers.next is not None:
            below = answers.next
        elif is_from_the_start and not has_any and below is not None and below < _LOOSE and len(forms(query)) > 1:
            below = _LOOSE + _BEYOND
        else:
            return


def joined(one: Answers, other: Answers) -> Answers:
    """Joins an answer with the one that continues it."""
    groups = {each.conversation: each for each in one.groups}
    for each in other.groups:
        before = groups.get(each.conversation)
        count = each.count + before.count if before and each.is_at_least else each.count
        groups[each.conversation] = Group(each.conversation, count, each.is_at_least)
    return Answers(
        one.found + other.found,
        other.next,
        other.is_partial,
        other.looked_to,
        other.is_spread,
        list(groups.values()),
        other.is_loose,
        other.looked_for,
        other.asked,
        one.described or other.described,
    )


def _newest(search: Callable[..., Answer], *, limit: int, skip: int, below: int | None) -> Answer:
    while skip > 0:
        passed = search(limit=skip, below=below)
        if passed.next is None or passed.is_partial:
            return Answer([], passed.next, passed.is_partial, passed.looked_to)
        skip -= len(passed.hits)
        below = passed.next
    return search(limit=limit, below=below)


def _shown(parts: list[tuple[str, str]], asked: Query, width: int) -> tuple[Snippet, Stands | None]:
    """Returns the snippet of an entry, and the position of its first match."""
    shown = snippet("\n".join(text for _, text in parts), asked.root, width=width)
    if shown.found is None:
        return shown, None
    start, end = shown.found
    for part, text in parts:
        if start <= len(text):
            end = min(end, len(text))
            return shown, Stands(part, start, end, text[start:end])
        start, end = start - len(text) - 1, end - len(text) - 1
    return shown, None


def _found(
    hit: Hit, row: ConversationRow, entry: Entry, entries: dict[int, Entry], shown: Snippet, stands: Stands | None
) -> Found:
    kind, role = kind_of(entry)
    item = entry.item
    return Found(
        number=hit.number,
        conversation=row,
        entry=entry.id,
        order=item.order,
        kind=kind,
        role=role,
        author=item.author.value if isinstance(item, items.Message) else None,
        tool=item.name if isinstance(item, items.Call) else None,
        is_failed=is_failed(entry),
        thread=item.agent,
        time=entry.time,
        snippet=shown,
        stands=stands,
        also=tuple(entries[number].id for number in hit.also if number in entries),
    )
