"""A query answered for people: each hit with its conversation, who speaks, when, and the words that were found."""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct, field

from chorus.conversation import items
from chorus.conversation.items import Order
from chorus.finding.facts import is_failed, kind_of
from chorus.finding.groups import Group, groups, together
from chorus.finding.texts import Texts
from chorus.index.port import Index, IsLate
from chorus.index.rows import Answer, ConversationRow, Entry, Hit
from chorus.query.snippet import Snippet, snippet
from chorus.query.tree import And, Literal, Node, Not, Or, Query, Regex, Sequence
from chorus.store.port import Vault

WIDTH = 160
"""Characters of a snippet."""


class Found(Struct, frozen=True, kw_only=True):
    """One entry that answers a query."""

    number: int
    """Its number in the index: what to go on below."""
    conversation: ConversationRow
    entry: str
    """The entry's id."""
    order: Order
    """Its place among the entries of its conversation, with its id."""
    kind: str
    """`message`, `call`, `turn`, `notice` or `queued`."""
    role: str
    """`user`, `assistant`, `tool` or `system`, as queries ask for it."""
    author: str | None
    """Who wrote a message, an `Author`."""
    tool: str | None
    is_failed: bool
    thread: str
    """The sub-agent at work; "" for the main thread."""
    time: str | None
    snippet: Snippet
    also: tuple[str, ...] = ()
    """Ids of the calls that came before it, where a sequence was asked for."""


class Answers(Struct):
    """What a query found, in the order to show it."""

    found: list[Found]
    next: int | None = None
    """What to ask for the hits that follow (`below`); None when there are none."""
    is_partial: bool = False
    """Whether time ran out before all was looked at: `next` goes on where it did."""
    looked_to: str | None = None
    """If time ran out, how far it went back."""
    is_spread: bool = False
    """Whether no entry has all the words, and these are conversations that have each somewhere."""
    groups: list[Group] = field(default_factory=list)
    """The conversations of the hits, in order, with the number of hits in each."""


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
    """The entries that answer a query, newest first or best first (`is_ranked`); `below` goes on from an answer.

    Those of one conversation stand together: where its first one is.

    `skip`: without so many that come first. `is_late` is asked by queries that look at entries one by one; then the
    answer may be partial.
    """
    texts = Texts(index, vault)
    search = partial(index.search, query, texts_of=texts.texts, is_late=is_late if looks_at_each(query.root) else None)
    if is_ranked:
        answer = search(limit=skip + limit, is_ranked=True)
        answer.hits = answer.hits[skip:]
    else:
        answer = _newest(search, limit=limit, skip=skip, below=below)
    is_whole = answer.next is None and below is None and not skip and not answer.is_partial
    is_counted = not looks_at_each(query.root)
    counted = groups(index, query, answer, is_whole=is_whole and not is_ranked, is_counted=is_counted)
    answer.hits = together(answer.hits)
    entries = index.entries({number for hit in answer.hits for number in (hit.number, *hit.also)})
    rows = {name: index.conversation(name) for name in {hit.conversation for hit in answer.hits}}
    found = [
        _found(hit, row, entry, entries, snippet(texts.text(row.name, entry), query.root, width=width))
        for hit in answer.hits
        if (entry := entries.get(hit.number)) and (row := rows[hit.conversation])
    ]
    return Answers(found, answer.next, answer.is_partial, answer.looked_to, answer.is_spread, counted)


def find_on(
    index: Index, vault: Vault, query: Query, *, limit: int, below: int | None, late: Callable[[], IsLate], width: int
) -> Iterator[Answers]:
    """As `find`, newest first, in as many answers as it takes: `late` is asked for the patience that each has."""
    while limit > 0:
        answers = find(index, vault, query, limit=limit, below=below, is_late=late(), width=width)
        yield answers
        if not answers.is_partial or answers.next is None:
            return
        limit -= len(answers.found)
        below = answers.next


def joined(one: Answers, other: Answers) -> Answers:
    """An answer and what goes on from it as one."""
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
    )


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


def _newest(search: Callable[..., Answer], *, limit: int, skip: int, below: int | None) -> Answer:
    while skip > 0:
        passed = search(limit=skip, below=below)
        if passed.next is None or passed.is_partial:
            return Answer([], passed.next, passed.is_partial, passed.looked_to)
        skip -= len(passed.hits)
        below = passed.next
    return search(limit=limit, below=below)


def _found(hit: Hit, row: ConversationRow, entry: Entry, entries: dict[int, Entry], shown: Snippet) -> Found:
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
        also=tuple(entries[number].id for number in hit.also if number in entries),
    )
