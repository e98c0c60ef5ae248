"""An index in memory: the reference implementation of the port, and a test double. Every query scans everything."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from math import fsum
from typing import assert_never

from msgspec import Struct, field, structs

from chorus.core.conversation import items
from chorus.core.conversation.items import Limit, Order
from chorus.core.query.tree import And, Node, Query, Sequence, Step
from chorus.core.spending.ownership import NEVER, Account, Copy, assign_owners, forks, group_copies
from chorus.core.spending.ownership import spent as sums_of
from chorus.core.spending.rows import Reported, Spent, Usage
from chorus.find.index.activities import NO_TIME, Activity, Done, Kind, done_by, latest_limits, quarter_text
from chorus.find.index.conditions import asks_for_conflicts, conditions
from chorus.find.index.groups import MAIN_THREAD, Group, PeriodOf, Span, merged, sums_by_turn, worker
from chorus.find.index.marks import CONFLICT, mark
from chorus.find.index.matching import Candidate, is_empty, matches
from chorus.find.index.port import MAX_COUNTED, MAX_ENTRIES, MAX_HITS, IsLate, TextsOf
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


class _Stored(Struct):
    row: ConversationRow
    entries: dict[str, tuple[Entry, Document | None]] = field(default_factory=dict)
    usages: dict[str, Usage] = field(default_factory=dict)
    reported: list[Reported] = field(default_factory=list)
    files: dict[str, bool] = field(default_factory=dict)
    names: set[tuple[str, str]] = field(default_factory=set)
    activities: dict[str, Activity] = field(default_factory=dict)
    agent_types: dict[str, str] = field(default_factory=dict)
    positions: dict[str, Position] = field(default_factory=dict)
    state: bytes | None = None
    ordered: list[Entry] | None = None
    """The entries in order, until the next write."""


class MemoryIndex:
    """Stores everything for the lifetime of the object."""

    def __init__(self, *, cost_of: Callable[[Spent], float | None] | None = None) -> None:
        self.epoch = secrets.token_hex(8)
        self._cost_of = cost_of or (lambda _spent: None)
        self._stored: dict[str, _Stored] = {}
        self._numbers: dict[int, tuple[str, str]] = {}
        self._free: dict[int, int] = {}
        """Number of a time → the first number that may be free for it; numbers are never used again."""
        self._events: list[FeedEvent] = []
        self._contested: set[tuple[str, str]] = set()
        """(conversation, entry id) of messages that other conversations report differently, if the current query needs
        them.
        """

    def write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> int:
        for name in gone:
            if self._stored.pop(name, None):
                self._add_event(name)
        for writing in writings:
            self._apply(writing)
        return len(self._events)

    def _apply(self, writing: Writing) -> None:
        name = writing.row.name
        known = self._stored.get(name)
        if known is None or writing.is_whole:
            known = self._stored[name] = _Stored(writing.row)
            self._add_event(name)
        known.row, known.reported, known.positions = writing.row, writing.reported, writing.positions
        known.ordered = None
        known.state = writing.state if writing.state is not None else known.state
        for item_id, order in writing.removed:
            known.entries.pop(item_id, None)
            self._add_event(name, item_id, order)
        # Among entries of the same time, the first in order gets the lowest number, whatever order they arrived in.
        for put in sorted(writing.put, key=lambda each: each.entry.key) if writing.is_whole else writing.put:
            before = known.entries.get(put.entry.id)
            if put.document is not None:
                put.entry.number = self._number(put.entry, name, before[0] if before else None)
            known.entries[put.entry.id] = put.entry, put.document
            self._add_event(name, put.entry.id, put.entry.order)
        for message in writing.usages_gone:
            known.usages.pop(message, None)
        known.usages |= {usage.message: usage for usage in writing.usages}
        known.names |= writing.names
        for activity in writing.activities_gone:
            known.activities.pop(activity, None)
        known.activities |= {each.id: each for each in writing.activities}
        known.agent_types |= writing.agent_types
        for path, is_written in writing.files.items():
            known.files[path] = known.files.get(path, False) or is_written

    def _number(self, entry: Entry, name: str, before: Entry | None) -> int:
        if before is not None and before.number and before.dated == entry.dated:
            return before.number
        first = first_number(entry.dated)
        number = self._free.get(first, first)
        while number in self._numbers:
            number += 1
        self._numbers[number] = name, entry.id
        self._free[first] = number + 1
        return number

    def _add_event(self, name: str, item_id: str | None = None, order: Order | None = None) -> None:
        self._events.append(FeedEvent(len(self._events) + 1, name, item_id, order))

    def move(self, positions: dict[str, dict[str, Position]]) -> None:
        for name, each in positions.items():
            self._stored[name].positions = each

    def positions(self) -> dict[str, dict[str, Position]]:
        return {name: dict(stored.positions) for name, stored in self._stored.items()}

    def state(self, name: str) -> bytes | None:
        return self._stored[name].state if name in self._stored else None

    def conversation(self, name: str) -> ConversationRow | None:
        return self._stored[name].row if name in self._stored else None

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
            listed = [stored for stored in self._stored.values() if not stored.row.is_empty]
            rows = [stored.row for stored in listed if root is None or self._is_about(root, stored)]
            rows.sort(key=lambda row: row.name)
            rows.sort(key=lambda row: row.session.ended_at or "", reverse=True)
        else:
            hits = self._answers(query, texts_of)
            rows = [self._stored[name].row for name in dict.fromkeys(hit.conversation for hit in hits)]
        return rows[start : start + limit], len(rows) > start + limit

    def statuses(self) -> list[tuple[str, str, str | None]]:
        rows = [stored.row for stored in self._stored.values() if not stored.row.is_empty]
        return [(row.name, row.status, row.session.ended_at) for row in rows]

    def client_titles(self) -> list[tuple[str, str, str | None]]:
        rows = [stored.row for stored in self._stored.values() if not stored.row.is_empty]
        return [(row.name, row.client_title, row.session.ended_at) for row in rows if row.client_title]

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
        return min(sum(hit.number >= since for hit in self._hits(query, None)), MAX_COUNTED)

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        wanted = set(numbers)
        return {
            entry.number: entry
            for stored in self._stored.values()
            for entry, document in stored.entries.values()
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
        stored = self._stored.get(name)
        if stored:
            if stored.ordered is None:
                stored.ordered = sorted((entry for entry, _ in stored.entries.values()), key=lambda entry: entry.key)
            yield from stored.ordered

    def spent(self, names: Iterable[str] | None = None) -> tuple[list[Spent], list[Reported], frozenset[str]]:
        accounts = self._accounts()
        settled = assign_owners(accounts)
        wanted = None if names is None else set(names)
        return (
            [each for each in sums_of(settled.values()) if wanted is None or each.conversation in wanted],
            [
                each
                for name, stored in self._stored.items()
                for each in stored.reported
                if wanted is None or name in wanted
            ],
            forks(accounts, settled),
        )

    def _accounts(self) -> list[Account]:
        return [
            Account(name, stored.row.session.started_at, list(stored.usages.values()))
            for name, stored in self._stored.items()
        ]

    def reported(self, names: Iterable[str] | None = None) -> tuple[list[Reported], frozenset[str]]:
        return self.spent(names)[1:]

    def users(self, by: Group, key: str, *, span: Span | None = None, period_of: PeriodOf = str) -> frozenset[str]:
        return frozenset(
            each.conversation
            for each in self.spent()[0]
            if (span is None or span.has(each.quarter)) and self._group(by, each, period_of) == key
        )

    def used(
        self,
        by: Group,
        *,
        names: Iterable[str] | None = None,
        span: Span | None = None,
        period_of: PeriodOf = str,
    ) -> dict[str, list[Spent]]:
        found: dict[str, dict[tuple[object, ...], list[Spent]]] = {}
        for each in self.spent(names)[0]:
            if span is None or span.has(each.quarter):
                key = self._group(by, each, period_of)
                alike = (each.quarter[:10], each.model, each.tier, each.prompt_over, each.is_per_turn)
                found.setdefault(key, {}).setdefault(alike, []).append(each)
        return {key: [merged(rows) for rows in groups.values()] for key, groups in found.items()}

    def _group(self, by: Group, each: Spent, period_of: PeriodOf) -> str:
        stored = self._stored[each.conversation]
        match by:
            case "period":
                return period_of(each.quarter)
            case "model":
                return each.model or ""
            case "workspace":
                return stored.row.workspace
            case "agent":
                return worker(stored.row.agent, each.thread)
            case "subagent":
                return stored.agent_types.get(each.thread, "") if each.thread else MAIN_THREAD
            case "conversation":
                return each.conversation
            case _:
                assert_never(by)

    def turn_sums(self, name: str) -> dict[str, list[Spent]]:
        return sums_by_turn(each for each in assign_owners(self._accounts()).values() if each.conversation == name)

    def done(
        self,
        *,
        names: Iterable[str] | None = None,
        span: Span | None = None,
        label: tuple[Kind, str] | None = None,
        is_by_conversation: bool = False,
    ) -> list[Done]:
        wanted = None if names is None else set(names)
        stored = {name: (each.row.session.started_at, each.activities.values()) for name, each in self._stored.items()}
        sums: dict[Done, list[int]] = {}
        for each in done_by(stored):
            if (
                (wanted is None or each.conversation in wanted)
                and (span is None or span.has(quarter_text(each.quarter)))
                and (label is None or label == (each.kind, each.name))
            ):
                owner = each.conversation if is_by_conversation else ""
                key = structs.replace(each, conversation=owner, quarter=NO_TIME, count=0, total_ms=0)
                known = sums.setdefault(key, [0, 0])
                known[0] += each.count
                known[1] += each.total_ms
        return [structs.replace(key, count=count, total_ms=ms) for key, (count, ms) in sums.items()]

    def limits(self) -> list[Limit]:
        return latest_limits(limit for stored in self._stored.values() for limit in stored.row.session.limits)

    def feed(self, epoch: str, seq: int, *, limit: int = 10_000) -> Feed:
        last = len(self._events)
        if epoch != self.epoch or not 0 <= seq <= last:
            return Feed(self.epoch, last, is_broken=True)
        events = self._events[seq : seq + limit]
        return Feed(self.epoch, events[-1].seq if events else seq, list(events))

    def files(self, name: str) -> dict[str, bool]:
        return dict(sorted(self._stored[name].files.items())) if name in self._stored else {}

    def names(self, kind: str) -> list[str]:
        return sorted({value for stored in self._stored.values() for known, value in stored.names if known == kind})

    def _answers(self, query: Query, texts_of: TextsOf | None) -> list[Hit]:
        return self._hits(query, texts_of) or self._spread(query, texts_of)

    def _hits(self, query: Query, texts_of: TextsOf | None) -> list[Hit]:
        root = query.root
        asked = [step.of for step in root.steps] if isinstance(root, Sequence) else [root]
        self._contested = self._found_contested() if any(map(asks_for_conflicts, asked)) else set()
        if isinstance(root, Sequence):
            hits = [hit for stored in self._stored.values() for hit in self._sequences(root, stored, texts_of)]
        elif root is not None and _asks_nothing(root):
            hits = []
        else:
            hits = [
                Hit(entry.number, stored.row.name, time_ms=ms_of(entry.dated))
                for stored in self._stored.values()
                for entry, document in stored.entries.values()
                if document is not None
                and (root is None or matches(root, self._candidate(stored, entry, document, texts_of)))
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

    def _sequences(self, root: Sequence, stored: _Stored, texts_of: TextsOf | None) -> Iterator[Hit]:
        threads: dict[str, list[tuple[Entry, Document]]] = {}
        for entry in self.all_entries(stored.row.name):
            document = stored.entries[entry.id][1]
            if isinstance(entry.item, items.Call) and document is not None:
                threads.setdefault(entry.item.agent, []).append((entry, document))
        for calls in threads.values():
            meets = [
                [matches(step.of, self._candidate(stored, entry, document, texts_of)) for entry, document in calls]
                for step in root.steps
            ]
            for last in range(len(calls)):
                trail = _trail(root.steps, meets, last)
                if trail:
                    numbers = [calls[place][0].number for place in trail]
                    yield Hit(numbers[-1], stored.row.name, tuple(numbers[:-1]))

    def _candidate(self, stored: _Stored, entry: Entry, document: Document, texts_of: TextsOf | None) -> Candidate:
        name = stored.row.name
        if (name, entry.id) in self._contested:
            document = structs.replace(document, marks=(*document.marks, CONFLICT))
        named = [*stored.names, *(("file", path) for path in stored.files)]
        return Candidate(
            document,
            entry.dated,
            stored.row,
            self._cost(name),
            self._tokens(name),
            lambda: texts_of([(name, entry)])[0] if texts_of else "",
            named,
        )

    def _found_contested(self) -> set[tuple[str, str]]:
        """Returns the messages that conversations report differently under one id."""
        copies: dict[str, list[Copy]] = {}
        for name, stored in self._stored.items():
            for usage in stored.usages.values():
                copies.setdefault(usage.message, []).append((stored.row.session.started_at or NEVER, name, usage))
        differing = {
            (copy[1], message)
            for message, each in copies.items()
            for copy in (each if len(group_copies(each)) > 1 else ())
        }
        return {
            (name, entry.id)
            for name, stored in self._stored.items()
            for entry, _ in stored.entries.values()
            if isinstance(entry.item, items.Message) and (name, entry.item.message_id or entry.item.id) in differing
        }

    def _cost(self, name: str) -> float | None:
        costs = [cost for each in self.spent([name])[0] if (cost := self._cost_of(each)) is not None]
        return fsum(costs) if costs else None

    def _tokens(self, name: str) -> int:
        used = [each.tokens for each in self.spent([name])[0]]
        return sum(each.input + each.output + each.cache_creation + each.cache_read for each in used)

    def _is_about(self, root: Node, stored: _Stored) -> bool:
        document = Document("", "", (mark("conversation", stored.row.name),))
        return matches(
            root, Candidate(document, "", stored.row, self._cost(stored.row.name), self._tokens(stored.row.name), str)
        )


def _asks_nothing(root: Node) -> bool:
    """Whether a query consists only of words without letters: it finds nothing rather than everything."""
    asked = conditions(root)
    return bool(asked.words) and all(map(is_empty, asked.words))


def _trail(steps: tuple[Step, ...], meets: list[list[bool]], last: int) -> list[int] | None:
    """Returns the calls that lead to the last one: for each step the nearest call that is itself reachable."""
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
