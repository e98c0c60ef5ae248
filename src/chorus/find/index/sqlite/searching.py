"""Answers queries newest first, and reads no more of the index than the requested hits need."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import fsum
from typing import assert_never

from msgspec import Struct, field, structs

from chorus.core.conversation import items
from chorus.core.query.tree import (
    Among,
    And,
    Field,
    Literal,
    Measure,
    Node,
    Not,
    Or,
    Query,
    Regex,
    Sequence,
    Step,
    Time,
)
from chorus.core.spending.rows import Spent
from chorus.find.index.conditions import CONFLICT, Conditions, conditions, is_of_conversation
from chorus.find.index.marks import CONVERSATION, mark
from chorus.find.index.matching import SIGNS, is_empty
from chorus.find.index.patterns import is_match
from chorus.find.index.port import MAX_COUNTED, MAX_HITS, IsLate, TextsOf
from chorus.find.index.rows import Answer, Hit
from chorus.find.index.sqlite import leaves, money, selecting
from chorus.find.index.sqlite.looking import TextMatcher, needs_texts
from chorus.find.index.sqlite.matching import any_mark, expanded, expression
from chorus.find.index.sqlite.narrowing import NOTHING, narrowed
from chorus.find.index.sqlite.selecting import MS, Bounds, Row
from chorus.find.index.sqlite.spending import spent
from chorus.find.index.times import first_number, iso_at, ms_of

CostOf = Callable[[Spent], float | None]
WINDOW = 5_000
"""The number of newest hits that are ranked."""
_FEW = 300
"""Up to this many conversations are selected by their marks."""
_NEAR = 2 * MAX_HITS
"""The number of newest entries that are found with expanded prefixes: the hits of an answer and the entries it skips.
"""
_LAST = (1 << 63) - 1
_LOOK_EVERY = 64
"""The number of entries between two checks of `is_late`."""
_SOON = 128
"""The number of newest texts that are checked before the regex is narrowed by the words of the index: often they
suffice.
"""
_FIRST_PIECE, _PIECE = 16, 256
"""The number of texts that are loaded together: few at first, so that the first hits come soon."""


class Search(Struct):
    """One query to the index."""

    connection: sqlite3.Connection
    cost_of: CostOf
    texts_of: TextsOf | None = None
    is_late: IsLate = lambda: False
    sets: dict[Node, set[int]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    text_matcher: TextMatcher | None = None
    was_late: bool = False
    looked_at: Row | None = None
    """If time ran out, the entry that was checked last."""

    def answer(self, query: Query, *, limit: int, below: int | None, is_ranked: bool) -> Answer:
        """Returns the entries that answer the query."""
        limit = min(limit, MAX_HITS)
        root = query.root
        if isinstance(root, Sequence):
            found = list(islice(self._sequences(root, below), limit + 1))
            return self._answer(found, limit)
        asked = conditions(root)
        if is_ranked and asked.words:
            return Answer(self._ranked(asked, limit), is_partial=self.was_late)
        rows = self._at_once(asked, below, limit + 1)
        if rows is None:
            rows = list(islice(self._found(asked, below), limit + 1))
        hits = [Hit(number, self._name(owner), time_ms=ms) for number, owner, ms in rows]
        answer = self._answer(hits, limit)
        if not answer.hits and below is None and asked.is_words_alone:
            spread = self._spread(asked, limit)
            answer = Answer(spread, is_spread=bool(spread))
        return answer

    def count(self, query: Query, since: int) -> int:
        """Returns how many entries with this number or a higher one answer the query, up to `MAX_COUNTED`."""
        root = query.root
        hits: Iterable[object]
        if isinstance(root, Sequence):
            hits = (hit for hit in self._sequences(root, None) if hit.number >= since)
        else:
            asked = conditions(root)
            if (count := self._counted_at_once(asked, since)) is not None:
                return count
            hits = self._hits(asked, None, since)
        return sum(1 for _ in islice(hits, MAX_COUNTED))

    def conversations(self, query: Query, *, start: int, limit: int) -> tuple[list[int], bool]:
        """Returns the conversations that answer the query, and whether there are more."""
        wanted = start + limit
        root = query.root
        asked = conditions(root) if not isinstance(root, Sequence) else Conditions()
        found: dict[int, None] = {}
        if isinstance(root, Sequence):
            owners: Iterable[int] = (self._number(hit.conversation) for hit in self._sequences(root, None))
        elif asked.is_about_conversations:
            owners = self._all_conversations(asked)
        else:
            owners = (owner for _, owner in self._hits(asked, None))
        for owner in owners:
            found[owner] = None
            if len(found) > wanted:
                break
        if not found and asked.is_words_alone:
            found = dict.fromkeys(self._number(hit.conversation) for hit in self._spread(asked, wanted + 1))
        return list(found)[start:wanted], len(found) > wanted

    def _answer(self, found: list[Hit], limit: int) -> Answer:
        if found[limit:]:
            return Answer(found[:limit], next=found[limit - 1].number)
        if self.was_late and self.looked_at is not None:
            number, _, ms = self.looked_at
            return Answer(found, next=number, is_partial=True, looked_to=iso_at(ms))
        return Answer(found, is_partial=self.was_late)

    def _hits(self, asked: Conditions, below: int | None, least: int = 0) -> Iterator[tuple[int, int]]:
        """Like `_found`, without the times."""
        return ((number, owner) for number, owner, _ in self._found(asked, below, least))

    def _at_once(self, asked: Conditions, below: int | None, limit: int) -> list[Row] | None:
        """Returns the newest matching entries; None if entries must be checked one by one."""
        bounds = self._bounds(asked, below, 0)
        if asked.checks or bounds.owners is not None:
            return None
        asks, _ = expanded(self.connection, asked.words)
        if asked.words and asks is None:
            return []
        return selecting.newest(self.connection, _both(asks, bounds.of_them), bounds, limit)

    def _counted_at_once(self, asked: Conditions, least: int) -> int | None:
        """Returns the number of matching entries; None if entries must be checked one by one."""
        bounds = self._bounds(asked, None, least)
        if asked.checks or bounds.owners is not None:
            return None
        asks, _ = expanded(self.connection, asked.words)
        if asked.words and asks is None:
            return 0
        return selecting.count(self.connection, _both(asks, bounds.of_them), bounds, MAX_COUNTED)

    def _bounds(self, asked: Conditions, below: int | None, least: int) -> Bounds:
        """Returns the limits that conditions set for numbers, times and conversations."""
        first = max(first_number(asked.since) if asked.since else 0, least)
        last = first_number(asked.until) + self._slack() if asked.until else _LAST
        owners = self._owners(asked.conversations)
        of_them: str | None = None
        if owners is not None and len(owners) <= _FEW:
            of_them = any_mark([mark("conversation", self._name(owner)) for owner in owners])
            owners = None
        return Bounds(
            since_ms=ms_of(asked.since) if asked.since else 0,
            until_ms=ms_of(asked.until) if asked.until else _LAST,
            first=first,
            last=last if below is None else min(last, below - 1),
            owners=owners,
            of_them=of_them,
        )

    def _found(self, asked: Conditions, below: int | None, least: int = 0) -> Iterator[Row]:
        """Yields matching entries, newest first, with numbers below `below` and not below `least`."""
        bounds = self._bounds(asked, below, least)
        first, last, owners = bounds.first, bounds.last, bounds.owners
        looks = [node for node in asked.checks if needs_texts(node)]
        plain = [node for node in asked.checks if node not in looks]
        candidates = self._candidates(asked, looks, bounds.of_them, first, last)
        if CONFLICT in plain:
            # These are few, so the other conditions are checked on each of them.
            plain += asked.words
            candidates = (row for row in self._rows(None, first, last, self._numbers(CONFLICT)))
        for rows in self._batches(candidates, is_small=bool(looks)):
            passing = [
                row
                for row in rows
                if bounds.since_ms <= row[2] < bounds.until_ms
                and (owners is None or row[1] in owners)
                and all(self._matches(node, *row) for node in plain)
            ]
            for some in self._with_texts(passing) if looks else (passing,):
                for row in some:
                    if all(self._matches(node, *row) for node in looks):
                        yield row
            if self.is_late():
                self.was_late, self.looked_at = True, rows[-1]
                return

    def _candidates(
        self, asked: Conditions, looks: list[Node], of_them: str | None, first: int, last: int
    ) -> Iterator[Row]:
        """Yields entries that may match, newest first. If texts must be read, all but the newest entries are narrowed
        first.
        """
        rows = self._newest(asked.words, of_them, first, last)
        if not looks:
            yield from rows
            return
        for n, row in enumerate(rows, 1):
            yield row
            if n == _SOON:
                break
        else:
            return
        narrow = narrowed(self.connection, looks)
        if narrow != NOTHING:
            yield from self._newest(asked.words, _both(of_them, narrow), first, row[0] - 1)

    def _batches(self, rows: Iterator[Row], *, is_small: bool) -> Iterator[list[Row]]:
        """Yields the rows in batches; time may run out after each. Batches are small where each row takes long."""
        size = _FIRST_PIECE if is_small else _LOOK_EVERY
        while piece := list(islice(rows, size)):
            yield piece
            size = min(2 * size, _PIECE) if is_small else size

    def _with_texts(self, rows: list[Row]) -> Iterator[list[Row]]:
        """Yields the rows in batches whose texts are loaded."""
        if self.text_matcher is None:
            self.text_matcher = TextMatcher(self.connection, self.texts_of, self._name)
        return self.text_matcher.batches(rows)

    def _newest(self, words: list[Node], of_them: str | None, first: int, last: int) -> Iterator[Row]:
        """Yields entries that contain the words, newest first.

        The newest entries, which most callers want, are found with expanded prefixes, the rest with plain prefixes: the
        first method starts sooner, the second ends sooner.
        """
        asks, is_expanded = expanded(self.connection, words)
        if words and asks is None:
            return
        for n, row in enumerate(self._rows(_both(asks, of_them), first, last), 1):
            yield row
            if is_expanded and n == _NEAR:
                break
        else:
            return
        yield from self._rows(_both(expression(self.connection, words), of_them), first, row[0] - 1)

    def _rows(self, asks: str | None, first: int, last: int, only: set[int] | None = None) -> Iterator[Row]:
        if only is not None:
            for number in sorted(only, reverse=True):
                if first <= number <= last:
                    yield from self.connection.execute(
                        f"SELECT n, conversation, {MS} FROM entry WHERE n = ?",  # noqa: S608
                        (number,),
                    )
            return
        if asks is None:
            yield from self.connection.execute(
                f"SELECT n, conversation, {MS} FROM entry WHERE n BETWEEN ? AND ? ORDER BY n DESC",  # noqa: S608
                (first, last),
            )
            return
        yield from self.connection.execute(
            f"SELECT n, conversation, {MS} FROM words CROSS JOIN entry ON n = words.rowid"  # noqa: S608
            " WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? ORDER BY words.rowid DESC",
            (asks, first, last),
        )

    def _ranked(self, asked: Conditions, limit: int) -> list[Hit]:
        newest = {number: (owner, ms) for number, owner, ms in islice(self._found(asked, None), WINDOW)}
        if not newest:
            return []
        # Marks of fields have the same value in every entry, so they are left out of the ranking.
        words: list[Node] = [node for node in asked.words if not isinstance(node, Field)] or asked.words
        rows = self.connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY bm25(words), rowid DESC",
            (expression(self.connection, words), min(newest), max(newest)),
        )
        best = islice((number for (number,) in rows if number in newest), limit)
        return [Hit(number, self._name(newest[number][0]), time_ms=newest[number][1]) for number in best]

    def _spread(self, asked: Conditions, limit: int) -> list[Hit]:
        """Finds conversations that contain each word somewhere: returns the newest entry with the rarest word."""
        newest: list[dict[int, int]] = []
        for node in asked.words:
            alone = Conditions([node], asked.conversations, asked.since, asked.until)
            found: dict[int, int] = {}
            for number, owner in self._hits(alone, None):
                found.setdefault(owner, number)
            newest.append(found)
        rarest = min(newest, key=len)
        both = [(number, owner) for owner, number in rarest.items() if all(owner in found for found in newest)]
        return [Hit(number, self._name(owner)) for number, owner in sorted(both, reverse=True)[:limit]]

    def _sequences(self, root: Sequence, below: int | None) -> Iterator[Hit]:
        """Yields calls that match the steps, newest last call first.

        Candidates for the last call are checked one by one, so that an answer that runs out of time knows where to
        continue. The calls that lead to them are searched in the whole conversation, so that each answer makes
        progress.
        """
        *leading, last = (conditions(And((Field("role", "tool"), *_parts(step.of)))) for step in root.steps)
        untimed = structs.replace(self, is_late=lambda: False)
        known = [None if any(map(needs_texts, asked.checks)) else untimed.by_owner(asked) for asked in leading]
        trails: dict[int, dict[int, tuple[int, ...]]] = {}
        for number, owner in self._hits(last, below):
            is_new = owner not in trails
            if is_new:
                sets = [
                    (found if found is not None else untimed.by_owner(asked, owner)).get(owner, set())
                    for asked, found in zip(leading, known, strict=True)
                ]
                met = self._leading_calls(owner, root.steps, sets) if all(sets) else ()
                trails[owner] = {at: tuple(led) for *led, at in met}
            if number in trails[owner]:
                yield Hit(number, self._name(owner), trails[owner][number])
            if is_new and self.is_late():
                ((ms,),) = self.connection.execute(f"SELECT {MS} FROM entry WHERE n = ?", (number,))  # noqa: S608
                self.was_late, self.looked_at = True, (number, owner, ms)
                return

    def by_owner(self, asked: Conditions, owner: int | None = None) -> dict[int, set[int]]:
        """Returns the matching entries by conversation; only those of `owner`, if given."""
        if owner is not None:
            asked = structs.replace(asked, words=[*asked.words, Field(CONVERSATION, self._name(owner))])
        found: dict[int, set[int]] = {}
        for number, whose in self._hits(asked, None):
            found.setdefault(whose, set()).add(number)
        return found

    def _leading_calls(self, owner: int, steps: tuple[Step, ...], sets: list[set[int]]) -> Iterator[list[int]]:
        """Yields, for each call that can be the last, the calls that lead to it: for each step the nearest.

        `sets` are the calls that match each step except the last. Whether a call matches the last step is not checked
        here.
        """
        threads: dict[str, list[int]] = {}
        for entry in leaves.read(self.connection, owner):
            if isinstance(entry.item, items.Call):
                threads.setdefault(entry.item.agent, []).append(entry.number)
        for calls in threads.values():
            reached: list[dict[int, int]] = [{} for _ in steps]
            """Step → position of a call that matches it → position of the call of the step before."""
            latest: list[int | None] = [None] * len(steps)
            for position, number in enumerate(calls):
                for n in range(len(steps) - 1, -1, -1):
                    if n < len(sets) and number not in sets[n]:
                        continue
                    before = latest[n - 1] if n else position
                    within = steps[n].within
                    if before is None or (n and within is not None and position - before > within):
                        continue
                    reached[n][position] = before
                    latest[n] = position
                    if n == len(steps) - 1:
                        yield [calls[place] for place in _trail(reached, position)]

    def _slack(self) -> int:
        return int(self.connection.execute("SELECT value FROM meta WHERE name = 'slack'").fetchone()[0])

    def _matches(self, node: Node, number: int, owner: int, ms: int) -> bool:
        if is_empty(node):
            return True
        match node:
            case And():
                return all(self._matches(each, number, owner, ms) for each in node.of)
            case Or():
                return any(self._matches(each, number, owner, ms) for each in node.of if not is_empty(each))
            case Not():
                return not self._matches(node.of, number, owner, ms)
            case Time():
                since = ms_of(node.since) if node.since else 0
                return since <= ms < (ms_of(node.until) if node.until else _LAST)
            case Regex() | Literal():
                return self.text_matcher is not None and self.text_matcher.matches(node, number)
            case _:
                if is_of_conversation(node):
                    return owner in (self._owners([node]) or ())
                return number in self._numbers(node)

    def _numbers(self, node: Node) -> set[int]:
        """Returns all entries that match a word node, for queries that the word index cannot answer as a whole."""
        if node not in self.sets:
            asks = expression(self.connection, [node])
            self.sets[node] = {number for number, *_ in self._rows(asks, 0, _LAST)} if asks else set()
            if node == CONFLICT:
                self.sets[node] |= self._contested()
        return self.sets[node]

    def _contested(self) -> set[int]:
        """Returns the entries that show a message which another conversation reports differently."""
        return {
            entry.number
            for owner, messages in money.contested(self.connection).items()
            for entry in leaves.read(self.connection, owner)
            if isinstance(entry.item, items.Message)
            and money.number_of(entry.item.message_id or entry.item.id) in messages
        }

    def _owners(self, nodes: list[Node]) -> set[int] | None:
        """Returns the conversations that match all nodes; None when there are no nodes."""
        if not nodes:
            return None
        found: set[int] | None = None
        for node in nodes:
            owners = self._owners_of(node)
            found = owners if found is None else found & owners
        return found

    def _owners_of(self, node: Node) -> set[int]:
        if node in self.sets:
            return self.sets[node]
        match node:
            case And():
                found = set.intersection(*map(self._owners_of, node.of))
            case Or():
                found = set.union(*map(self._owners_of, node.of))
            case Not():
                found = {n for (n,) in self.connection.execute("SELECT n FROM conversation")} - self._owners_of(node.of)
            case Measure():
                found = self._measured(node)
            case Among():
                rows = self.connection.execute("SELECT n, name FROM conversation")
                found = {n for n, name in rows if name in node.names}
            case Field():
                found = self._of_field(node)
            case _:
                raise AssertionError(f"{type(node).__name__} is no condition on a conversation")
        self.sets[node] = found
        return found

    def _of_field(self, node: Field) -> set[int]:
        """Finds conversations by the values of a column; each distinct value is matched once."""
        found: set[int] = set()
        for column in _columns(node):
            values = self.connection.execute(f"SELECT DISTINCT {column} FROM conversation")  # noqa: S608 - our own names
            meant = [value for (value,) in values if value and is_match(node.value, value, kind=node.name)]
            for value in meant:
                rows = self.connection.execute(f"SELECT n FROM conversation WHERE {column} = ?", (value,))  # noqa: S608
                found.update(n for (n,) in rows)
        return found

    def _measured(self, node: Measure) -> set[int]:
        compare = SIGNS[node.sign]
        if node.name == "tokens":
            used = dict.fromkeys((n for (n,) in self.connection.execute("SELECT n FROM conversation")), 0)
            for n, *counts in self.connection.execute(_USED):
                used[n] += sum(counts)
            return {n for n, figure in used.items() if compare(figure, node.value)}
        if node.name != "cost":
            rows = self.connection.execute(f"SELECT n, {node.name} FROM conversation")  # noqa: S608 - one of two names
            return {n for n, figure in rows if compare(figure, node.value)}
        costs: dict[str, list[float]] = {}
        for each in spent(self.connection, None)[0]:
            cost = self.cost_of(each)
            if cost is not None:
                costs.setdefault(each.conversation, []).append(cost)
        return {self._number(name) for name, sums in costs.items() if compare(fsum(sums), node.value)}

    def _all_conversations(self, asked: Conditions) -> Iterator[int]:
        owners = self._owners(asked.conversations)
        rows = self.connection.execute("SELECT n FROM conversation WHERE NOT is_empty ORDER BY ended_at DESC, name")
        yield from (n for (n,) in rows if owners is None or n in owners)

    def _name(self, number: int) -> str:
        known = self.names.get(number)
        if known is None:
            row = self.connection.execute("SELECT name FROM conversation WHERE n = ?", (number,)).fetchone()
            known = self.names[number] = row[0]
        return known

    def _number(self, name: str) -> int:
        row = self.connection.execute("SELECT n FROM conversation WHERE name = ?", (name,)).fetchone()
        return row[0] if row else 0


_USED = "SELECT conversation, input, output, cache_creation, cache_read FROM spent"
"""The tokens that conversations used themselves."""


def _columns(node: Field) -> tuple[str, ...]:
    """Returns the columns of a conversation that a field asks about."""
    match node.name:
        case "workspace":
            return "workspace", "cwd"
        case "branch" | "agent":
            return (node.name,)
        case "status" | "tag" | "usage" | "commit":
            # `find.search.annotations` and `find.provenance` answer these before the index is queried.
            return ()
        case "role" | "tool" | "file" | "model" | "is" | "has" | "approved-by" | "conversation":
            raise AssertionError(f"{node.name} asks nothing of a conversation")
        case _:
            assert_never(node.name)


def _both(asks: str | None, of_them: str | None) -> str | None:
    return " AND ".join(filter(None, (asks, of_them))) or None


def _parts(node: Node) -> tuple[Node, ...]:
    return node.of if isinstance(node, And) else (node,)


def _trail(reached: list[dict[int, int]], position: int) -> list[int]:
    found = [position]
    for step in reversed(range(1, len(reached))):
        position = reached[step][position]
        found.append(position)
    return found[::-1]
