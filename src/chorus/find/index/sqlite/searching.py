"""Queries answered: newest first, as far as asked, without looking at more than that takes."""

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
from chorus.find.index.port import MAX_HITS, IsLate, TextsOf
from chorus.find.index.rows import Answer, Hit
from chorus.find.index.sqlite import leaves, money
from chorus.find.index.sqlite.looking import Look, needs_texts
from chorus.find.index.sqlite.matching import any_mark, expression, spelled_out
from chorus.find.index.sqlite.narrowing import NOTHING, narrowed
from chorus.find.index.sqlite.spending import spent
from chorus.find.index.times import TICK_MS, first_number, iso_at, ms_of

CostOf = Callable[[Spent], float | None]
WINDOW = 5_000
"""Hits that are ranked: the newest."""
_FEW = 300
"""So many conversations can be asked for by their marks."""
_NEAR = 2 * MAX_HITS
"""So many of the newest entries are found by spelling prefixes out: what an answer takes, and what it passes over."""
_LAST = (1 << 63) - 1
_LOOK_EVERY = 64
"""Entries after which it may be late."""
_SOON = 128
"""So many of the newest texts are looked at before the words of all are gone through: often that is enough."""
_FIRST_PIECE, _PIECE = 16, 256
"""Texts that are made ready together: few at first, so that the first hits come soon."""
_MS = f"ms_after + {TICK_MS} * n"
"""The time of a row of `entry`, of which it stores how far it is from its number's."""
_Row = tuple[int, int, int]
"""An entry's number, the number of its conversation, and its time in milliseconds."""


class Search(Struct):
    """One question to the index."""

    connection: sqlite3.Connection
    cost_of: CostOf
    texts_of: TextsOf | None = None
    is_late: IsLate = lambda: False
    sets: dict[Node, set[int]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    look: Look | None = None
    was_late: bool = False
    looked_at: _Row | None = None
    """If it was late, the entry that was looked at last."""

    def answer(self, query: Query, *, limit: int, below: int | None, is_ranked: bool) -> Answer:
        """The entries that answer the query."""
        limit = min(limit, MAX_HITS)
        root = query.root
        if isinstance(root, Sequence):
            found = list(islice(self._sequences(root, below), limit + 1))
            return self._answer(found, limit)
        asked = conditions(root)
        if is_ranked and asked.words:
            return Answer(self._ranked(asked, limit), is_partial=self.was_late)
        hits = (Hit(number, self._name(owner), time_ms=ms) for number, owner, ms in self._found(asked, below))
        answer = self._answer(list(islice(hits, limit + 1)), limit)
        if not answer.hits and below is None and asked.is_words_alone:
            spread = self._spread(asked, limit)
            answer = Answer(spread, is_spread=bool(spread))
        return answer

    def count(self, query: Query, since: int) -> int:
        """How many entries answer it, of those with this number or a higher one."""
        root = query.root
        hits: Iterable[object] = (
            (hit for hit in self._sequences(root, None) if hit.number >= since)
            if isinstance(root, Sequence)
            else self._hits(conditions(root), None, since)
        )
        return sum(1 for _ in islice(hits, MAX_HITS))

    def conversations(self, query: Query, *, start: int, limit: int) -> tuple[list[int], bool]:
        """The conversations that answer the query, and whether there are more."""
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
        """As `_found`, without the times."""
        return ((number, owner) for number, owner, _ in self._found(asked, below, least))

    def _found(self, asked: Conditions, below: int | None, least: int = 0) -> Iterator[_Row]:
        """Entries that answer, newest first; those with a number below `below` and none below `least`."""
        since = ms_of(asked.since) if asked.since else 0
        until = ms_of(asked.until) if asked.until else _LAST
        first = max(first_number(asked.since) if asked.since else 0, least)
        last = first_number(asked.until) + self._slack() if asked.until else _LAST
        last = last if below is None else min(last, below - 1)
        owners = self._owners(asked.conversations)
        of_them: str | None = None
        if owners is not None and len(owners) <= _FEW:
            of_them = any_mark([mark("conversation", self._name(owner)) for owner in owners])
            owners = None
        looks = [node for node in asked.checks if needs_texts(node)]
        plain = [node for node in asked.checks if node not in looks]
        candidates = self._candidates(asked, looks, of_them, first, last)
        if CONFLICT in plain:
            # These are few: what else is asked is asked of them.
            plain += asked.words
            candidates = (row for row in self._rows(None, first, last, self._numbers(CONFLICT)))
        for rows in self._pieces(candidates, is_small=bool(looks)):
            passing = [
                row
                for row in rows
                if since <= row[2] < until
                and (owners is None or row[1] in owners)
                and all(self._holds(node, *row) for node in plain)
            ]
            for some in self._ready(passing) if looks else (passing,):
                for row in some:
                    if all(self._holds(node, *row) for node in looks):
                        yield row
            if self.is_late():
                self.was_late, self.looked_at = True, rows[-1]
                return

    def _candidates(
        self, asked: Conditions, looks: list[Node], of_them: str | None, first: int, last: int
    ) -> Iterator[_Row]:
        """Entries that may be meant, newest first. Texts that must be looked at are narrowed down after the newest."""
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

    def _pieces(self, rows: Iterator[_Row], *, is_small: bool) -> Iterator[list[_Row]]:
        """The rows in pieces after each of which it may be late; small ones where each row takes its time."""
        size = _FIRST_PIECE if is_small else _LOOK_EVERY
        while piece := list(islice(rows, size)):
            yield piece
            size = min(2 * size, _PIECE) if is_small else size

    def _ready(self, rows: list[_Row]) -> Iterator[list[_Row]]:
        """The rows with their texts, some at a time."""
        if self.look is None:
            self.look = Look(self.connection, self.texts_of, self._name)
        return self.look.pieces(rows)

    def _newest(self, words: list[Node], of_them: str | None, first: int, last: int) -> Iterator[_Row]:
        """Entries that say the words, newest first.

        The few that most ask for are found with prefixes spelled out, the rest with prefixes as they are: the one is
        sooner to begin, the other to end.
        """
        said, is_spelled_out = spelled_out(self.connection, words)
        if words and said is None:
            return
        for n, row in enumerate(self._rows(_both(said, of_them), first, last), 1):
            yield row
            if is_spelled_out and n == _NEAR:
                break
        else:
            return
        yield from self._rows(_both(expression(self.connection, words), of_them), first, row[0] - 1)

    def _rows(self, asks: str | None, first: int, last: int, only: set[int] | None = None) -> Iterator[_Row]:
        if only is not None:
            for number in sorted(only, reverse=True):
                if first <= number <= last:
                    yield from self.connection.execute(
                        f"SELECT n, conversation, {_MS} FROM entry WHERE n = ?",  # noqa: S608
                        (number,),
                    )
            return
        if asks is None:
            yield from self.connection.execute(
                f"SELECT n, conversation, {_MS} FROM entry WHERE n BETWEEN ? AND ? ORDER BY n DESC",  # noqa: S608
                (first, last),
            )
            return
        yield from self.connection.execute(
            f"SELECT n, conversation, {_MS} FROM words CROSS JOIN entry ON n = words.rowid"  # noqa: S608
            " WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? ORDER BY words.rowid DESC",
            (asks, first, last),
        )

    def _ranked(self, asked: Conditions, limit: int) -> list[Hit]:
        newest = {number: (owner, ms) for number, owner, ms in islice(self._found(asked, None), WINDOW)}
        if not newest:
            return []
        # What fields ask for is as good in one entry as in another.
        words: list[Node] = [node for node in asked.words if not isinstance(node, Field)] or asked.words
        rows = self.connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY bm25(words), rowid DESC",
            (expression(self.connection, words), min(newest), max(newest)),
        )
        best = islice((number for (number,) in rows if number in newest), limit)
        return [Hit(number, self._name(newest[number][0]), time_ms=newest[number][1]) for number in best]

    def _spread(self, asked: Conditions, limit: int) -> list[Hit]:
        """Conversations in which each word is found somewhere: the newest entry that has the rarest of them."""
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
        """Calls that meet the steps, the newest last call first.

        Calls that may be the last are gone through one by one, so that whoever is late knows where to go on; what led
        to them is looked for in their conversation, and all of it, so that each answer gets further.
        """
        *leading, last = (conditions(And((Field("role", "tool"), *_parts(step.of)))) for step in root.steps)
        patient = structs.replace(self, is_late=lambda: False)
        known = [None if any(map(needs_texts, asked.checks)) else patient.by_owner(asked) for asked in leading]
        trails: dict[int, dict[int, tuple[int, ...]]] = {}
        for number, owner in self._hits(last, below):
            is_new = owner not in trails
            if is_new:
                sets = [
                    (found if found is not None else patient.by_owner(asked, owner)).get(owner, set())
                    for asked, found in zip(leading, known, strict=True)
                ]
                met = self._met(owner, root.steps, sets) if all(sets) else ()
                trails[owner] = {at: tuple(led) for *led, at in met}
            if number in trails[owner]:
                yield Hit(number, self._name(owner), trails[owner][number])
            if is_new and self.is_late():
                ((ms,),) = self.connection.execute(f"SELECT {_MS} FROM entry WHERE n = ?", (number,))  # noqa: S608
                self.was_late, self.looked_at = True, (number, owner, ms)
                return

    def by_owner(self, asked: Conditions, owner: int | None = None) -> dict[int, set[int]]:
        """The entries that answer, by conversation; those of one alone, if it is named."""
        if owner is not None:
            asked = structs.replace(asked, words=[*asked.words, Field(CONVERSATION, self._name(owner))])
        found: dict[int, set[int]] = {}
        for number, whose in self._hits(asked, None):
            found.setdefault(whose, set()).add(number)
        return found

    def _met(self, owner: int, steps: tuple[Step, ...], sets: list[set[int]]) -> Iterator[list[int]]:
        """For each call that can be the last: the calls that led to it, the nearest of each step.

        `sets` are the calls that meet the steps but the last; whether a call meets that one is not looked at.
        """
        threads: dict[str, list[int]] = {}
        for entry in leaves.read(self.connection, owner):
            if isinstance(entry.item, items.Call):
                threads.setdefault(entry.item.agent, []).append(entry.number)
        for calls in threads.values():
            reached: list[dict[int, int]] = [{} for _ in steps]
            """Step → position of a call that meets it → position of the one before that."""
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

    def _holds(self, node: Node, number: int, owner: int, ms: int) -> bool:
        if is_empty(node):
            return True
        match node:
            case And():
                return all(self._holds(each, number, owner, ms) for each in node.of)
            case Or():
                return any(self._holds(each, number, owner, ms) for each in node.of if not is_empty(each))
            case Not():
                return not self._holds(node.of, number, owner, ms)
            case Time():
                since = ms_of(node.since) if node.since else 0
                return since <= ms < (ms_of(node.until) if node.until else _LAST)
            case Regex() | Literal():
                return self.look is not None and self.look.matches(node, number)
            case _:
                if is_of_conversation(node):
                    return owner in (self._owners([node]) or ())
                return number in self._numbers(node)

    def _numbers(self, node: Node) -> set[int]:
        """Every entry in which a node of words holds, for queries that the index cannot answer as a whole."""
        if node not in self.sets:
            asks = expression(self.connection, [node])
            self.sets[node] = {number for number, *_ in self._rows(asks, 0, _LAST)} if asks else set()
            if node == CONFLICT:
                self.sets[node] |= self._contested()
        return self.sets[node]

    def _contested(self) -> set[int]:
        """Entries that show a message which another conversation tells differently."""
        return {
            entry.number
            for owner, messages in money.contested(self.connection).items()
            for entry in leaves.read(self.connection, owner)
            if isinstance(entry.item, items.Message)
            and money.number_of(entry.item.message_id or entry.item.id) in messages
        }

    def _owners(self, nodes: list[Node]) -> set[int] | None:
        """The conversations in which all nodes hold; None when nothing is asked of them."""
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
                raise AssertionError(f"{type(node).__name__} asks nothing of a conversation")
        self.sets[node] = found
        return found

    def _of_field(self, node: Field) -> set[int]:
        """Conversations by what they have in a column; each value there is in it is looked at once."""
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
    """The columns of a conversation that a field asks about."""
    match node.name:
        case "workspace":
            return "workspace", "cwd"
        case "branch" | "agent":
            return (node.name,)
        case "status" | "tag":
            # `search.annotations` answers these before an index is asked.
            return ()
        case "role" | "tool" | "file" | "model" | "is" | "has" | "approved-by" | "conversation":
            raise AssertionError(f"{node.name} asks nothing of a conversation")
        case _:
            assert_never(node.name)


def _both(said: str | None, of_them: str | None) -> str | None:
    return " AND ".join(filter(None, (said, of_them))) or None


def _parts(node: Node) -> tuple[Node, ...]:
    return node.of if isinstance(node, And) else (node,)


def _trail(reached: list[dict[int, int]], position: int) -> list[int]:
    found = [position]
    for step in reversed(range(1, len(reached))):
        position = reached[step][position]
        found.append(position)
    return found[::-1]
