"""An index in memory: the reference of the port, and the double for tests. It looks at everything, every time."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from math import fsum

from msgspec import Struct, field, structs

from chorus.core.conversation import items
from chorus.core.conversation.items import Order
from chorus.core.query.tree import And, Node, Query, Sequence, Step
from chorus.core.spending.ownership import NEVER, Account, Copy, assign_owners, forks, group_copies
from chorus.core.spending.ownership import spent as sums_of
from chorus.core.spending.rows import Reported, Spent, Usage
from chorus.find.index.conditions import asks_for_conflicts, conditions
from chorus.find.index.marks import CONFLICT, mark
from chorus.find.index.matching import Candidate, holds, is_empty
from chorus.find.index.port import MAX_ENTRIES, MAX_HITS, IsLate, TextsOf
from chorus.find.index.rows import (
    Answer,
    ConversationRow,
    Document,
    Entry,
    Feed,
    FeedEvent,
    Hit,
    Key,
    Position,
    Writing,
)
from chorus.find.index.times import first_number, ms_of


class _Kept(Struct):
    row: ConversationRow
    entries: dict[str, tuple[Entry, Document | None]] = field(default_factory=dict)
    usages: dict[str, Usage] = field(default_factory=dict)
    reported: list[Reported] = field(default_factory=list)
    files: dict[str, bool] = field(default_factory=dict)
    names: set[tuple[str, str]] = field(default_factory=set)
    positions: dict[str, Position] = field(default_factory=dict)
    state: bytes | None = None


class MemoryIndex:
    """Keeps everything as long as the object lives."""

    def __init__(self, *, cost_of: Callable[[Spent], float | None] | None = None) -> None:
        self.epoch = secrets.token_hex(8)
        self._cost_of = cost_of or (lambda _spent: None)
        self._kept: dict[str, _Kept] = {}
        self._numbers: dict[int, tuple[str, str]] = {}
        self._events: list[FeedEvent] = []
        self._contested: set[tuple[str, str]] = set()
        """Conversations and messages of them that others tell differently, if the present query asks for that."""

    def write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> int:
        for name in gone:
            if self._kept.pop(name, None):
                self._tell(name)
        for writing in writings:
            self._take(writing)
        return len(self._events)

    def _take(self, writing: Writing) -> None:
        name = writing.row.name
        known = self._kept.get(name)
        if known is None or writing.is_whole:
            known = self._kept[name] = _Kept(writing.row)
            self._tell(name)
        known.row, known.reported, known.positions = writing.row, writing.reported, writing.positions
        known.state = writing.state if writing.state is not None else known.state
        for item_id, order in writing.removed:
            known.entries.pop(item_id, None)
            self._tell(name, item_id, order)
        # Of entries of one time, the first in order gets the lowest number, whatever order they came in.
        for put in sorted(writing.put, key=lambda each: each.entry.key) if writing.is_whole else writing.put:
            before = known.entries.get(put.entry.id)
            if put.document is not None:
                put.entry.number = self._number(put.entry, name, before[0] if before else None)
            known.entries[put.entry.id] = put.entry, put.document
            self._tell(name, put.entry.id, put.entry.order)
        for message in writing.usages_gone:
            known.usages.pop(message, None)
        known.usages |= {usage.message: usage for usage in writing.usages}
        known.names |= writing.names
        for path, is_written in writing.files.items():
            known.files[path] = known.files.get(path, False) or is_written

    def _number(self, entry: Entry, name: str, before: Entry | None) -> int:
        if before is not None and before.number and before.dated == entry.dated:
            return before.number
        number = first_number(entry.dated)
        while number in self._numbers:
            number += 1
        self._numbers[number] = name, entry.id
        return number

    def _tell(self, name: str, item_id: str | None = None, order: Order | None = None) -> None:
        self._events.append(FeedEvent(len(self._events) + 1, name, item_id, order))

    def move(self, positions: dict[str, dict[str, Position]]) -> None:
        for name, each in positions.items():
            self._kept[name].positions = each

    def positions(self) -> dict[str, dict[str, Position]]:
        return {name: dict(kept.positions) for name, kept in self._kept.items()}

    def state(self, name: str) -> bytes | None:
        return self._kept[name].state if name in self._kept else None

    def conversation(self, name: str) -> ConversationRow | None:
        return self._kept[name].row if name in self._kept else None

    def conversations(
        self,
        query: Query,
        *,
        limit: int,
        start: int = 0,
        texts_of: TextsOf | None = None,
        is_late: IsLate | None = None,
    ) -> tuple[list[ConversationRow], bool]:
        root = query.root
        if not isinstance(root, Sequence) and conditions(root).is_about_conversations:
            listed = [kept for kept in self._kept.values() if not kept.row.is_empty]
            rows = [kept.row for kept in listed if root is None or self._is_about(root, kept)]
            rows.sort(key=lambda row: row.name)
            rows.sort(key=lambda row: row.session.ended_at or "", reverse=True)
        else:
            hits = self._answers(query, texts_of)
            rows = [self._kept[name].row for name in dict.fromkeys(hit.conversation for hit in hits)]
        return rows[start : start + limit], len(rows) > start + limit

    def standings(self) -> list[tuple[str, str, str | None]]:
        rows = [kept.row for kept in self._kept.values() if not kept.row.is_empty]
        return [(row.name, row.status, row.session.ended_at) for row in rows]

    def search(
        self,
        query: Query,
        *,
        limit: int,
        below: int | None = None,
        is_ranked: bool = False,
        texts_of: TextsOf | None = None,
        is_late: IsLate | None = None,
    ) -> Answer:
        limit = min(limit, MAX_HITS)
        hits = [hit for hit in self._hits(query, texts_of) if below is None or hit.number < below]
        if not hits and below is None:
            spread = self._spread(query, texts_of)
            return Answer(spread[:limit], is_spread=bool(spread))
        return Answer(hits[:limit], next=hits[limit - 1].number if len(hits) > limit else None)

    def count(self, query: Query, *, since: int) -> int:
        return min(sum(hit.number >= since for hit in self._hits(query, None)), MAX_HITS)

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        wanted = set(numbers)
        return {
            entry.number: entry
            for kept in self._kept.values()
            for entry, document in kept.entries.values()
            if document is not None and entry.number in wanted
        }

    def page(
        self, name: str, *, after: Key | None = None, before: Key | None = None, limit: int = MAX_ENTRIES
    ) -> list[Entry]:
        limit = max(0, min(limit, MAX_ENTRIES))
        entries = list(self.all_entries(name))
        if before is not None:
            earlier = [entry for entry in entries if entry.key < before]
            return earlier[len(earlier) - limit :] if len(earlier) > limit else earlier
        return [entry for entry in entries if after is None or entry.key > after][:limit]

    def all_entries(self, name: str) -> Iterator[Entry]:
        kept = self._kept.get(name)
        if kept:
            yield from sorted((entry for entry, _ in kept.entries.values()), key=lambda entry: entry.key)

    def spent(self, names: Iterable[str] | None = None) -> tuple[list[Spent], list[Reported], frozenset[str]]:
        accounts = [
            Account(name, kept.row.session.started_at, list(kept.usages.values())) for name, kept in self._kept.items()
        ]
        settled = assign_owners(accounts)
        wanted = None if names is None else set(names)
        return (
            [each for each in sums_of(settled.values()) if wanted is None or each.conversation in wanted],
            [each for name, kept in self._kept.items() for each in kept.reported if wanted is None or name in wanted],
            forks(accounts, settled),
        )

    def feed(self, epoch: str, seq: int, *, limit: int = 10_000) -> Feed:
        last = len(self._events)
        if epoch != self.epoch or not 0 <= seq <= last:
            return Feed(self.epoch, last, is_broken=True)
        events = self._events[seq : seq + limit]
        return Feed(self.epoch, events[-1].seq if events else seq, list(events))

    def files(self, name: str) -> dict[str, bool]:
        return dict(sorted(self._kept[name].files.items())) if name in self._kept else {}

    def names(self, kind: str) -> list[str]:
        return sorted({value for kept in self._kept.values() for known, value in kept.names if known == kind})

    def _answers(self, query: Query, texts_of: TextsOf | None) -> list[Hit]:
        return self._hits(query, texts_of) or self._spread(query, texts_of)

    def _hits(self, query: Query, texts_of: TextsOf | None) -> list[Hit]:
        root = query.root
        asked = [step.of for step in root.steps] if isinstance(root, Sequence) else [root]
        self._contested = self._found_contested() if any(map(asks_for_conflicts, asked)) else set()
        if isinstance(root, Sequence):
            hits = [hit for kept in self._kept.values() for hit in self._sequences(root, kept, texts_of)]
        elif root is not None and _asks_nothing(root):
            hits = []
        else:
            hits = [
                Hit(entry.number, kept.row.name, time_ms=ms_of(entry.dated))
                for kept in self._kept.values()
                for entry, document in kept.entries.values()
                if document is not None
                and (root is None or holds(root, self._candidate(kept, entry, document, texts_of)))
            ]
        return sorted(hits, key=lambda hit: hit.number, reverse=True)

    def _spread(self, query: Query, texts_of: TextsOf | None) -> list[Hit]:
        root = query.root
        if root is None or isinstance(root, Sequence) or not (asked := conditions(root)).is_words_alone:
            return []
        others = [node for node in (root.of if isinstance(root, And) else (root,)) if node not in asked.words]
        found = []
        for word in asked.words:
            hits = self._hits(Query(And((word, *others)) if others else word), texts_of)
            newest: dict[str, int] = {}
            for hit in hits:
                newest.setdefault(hit.conversation, hit.number)
            found.append(newest)
        rarest = min(found, key=len)
        both = [Hit(number, name) for name, number in rarest.items() if all(name in each for each in found)]
        return sorted(both, key=lambda hit: hit.number, reverse=True)

    def _sequences(self, root: Sequence, kept: _Kept, texts_of: TextsOf | None) -> Iterator[Hit]:
        threads: dict[str, list[tuple[Entry, Document]]] = {}
        for entry in self.all_entries(kept.row.name):
            document = kept.entries[entry.id][1]
            if isinstance(entry.item, items.Call) and document is not None:
                threads.setdefault(entry.item.agent, []).append((entry, document))
        for calls in threads.values():
            meets = [
                [holds(step.of, self._candidate(kept, entry, document, texts_of)) for entry, document in calls]
                for step in root.steps
            ]
            for last in range(len(calls)):
                trail = _trail(root.steps, meets, last)
                if trail:
                    numbers = [calls[place][0].number for place in trail]
                    yield Hit(numbers[-1], kept.row.name, tuple(numbers[:-1]))

    def _candidate(self, kept: _Kept, entry: Entry, document: Document, texts_of: TextsOf | None) -> Candidate:
        name = kept.row.name
        if (name, entry.id) in self._contested:
            document = structs.replace(document, marks=(*document.marks, CONFLICT))
        named = [*kept.names, *(("file", path) for path in kept.files)]
        return Candidate(
            document,
            entry.dated,
            kept.row,
            self._cost(name),
            self._tokens(name),
            lambda: texts_of([(name, entry)])[0] if texts_of else "",
            named,
        )

    def _found_contested(self) -> set[tuple[str, str]]:
        """The messages that conversations tell differently under one id."""
        copies: dict[str, list[Copy]] = {}
        for name, kept in self._kept.items():
            for usage in kept.usages.values():
                copies.setdefault(usage.message, []).append((kept.row.session.started_at or NEVER, name, usage))
        told = {
            (copy[1], message)
            for message, each in copies.items()
            for copy in (each if len(group_copies(each)) > 1 else ())
        }
        return {
            (name, entry.id)
            for name, kept in self._kept.items()
            for entry, _ in kept.entries.values()
            if isinstance(entry.item, items.Message) and (name, entry.item.message_id or entry.item.id) in told
        }

    def _cost(self, name: str) -> float | None:
        costs = [cost for each in self.spent([name])[0] if (cost := self._cost_of(each)) is not None]
        return fsum(costs) if costs else None

    def _tokens(self, name: str) -> int:
        used = [each.tokens for each in self.spent([name])[0]]
        return sum(each.input + each.output + each.cache_creation + each.cache_read for each in used)

    def _is_about(self, root: Node, kept: _Kept) -> bool:
        document = Document("", "", (mark("conversation", kept.row.name),))
        return holds(
            root, Candidate(document, "", kept.row, self._cost(kept.row.name), self._tokens(kept.row.name), str)
        )


def _asks_nothing(root: Node) -> bool:
    """Whether a query is made of words without letters alone: it finds nothing rather than everything."""
    asked = conditions(root)
    return bool(asked.words) and all(map(is_empty, asked.words))


def _trail(steps: tuple[Step, ...], meets: list[list[bool]], last: int) -> list[int] | None:
    """The calls that led to the last one: of each step the nearest that can be reached itself."""
    if not meets[-1][last]:
        return None
    if len(steps) == 1:
        return [last]
    within = steps[-1].within
    first = 0 if within is None else max(0, last - within)
    for place in range(last - 1, first - 1, -1):
        before = _trail(steps[:-1], meets[:-1], place)
        if before:
            return [*before, last]
    return None
