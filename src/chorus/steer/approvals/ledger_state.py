"""The ledger in memory: how each request stands after the events of the file.

Rows that are settled keep their places only; what a row says is read again from the file when it is asked for. Those of
before a checkpoint (`past.py`) are not even that: they are looked up when they are asked for.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from chorus.keep.vault.journal import Entry, Flaw, Position
from chorus.steer.approvals import events, lifecycle
from chorus.steer.approvals import settled_requests as past
from chorus.steer.approvals.events import Event
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Asker, Effect, Row, State, is_open
from chorus.steer.approvals.settled_requests import Kept, Past, Place

_MAX_FLAWS = 1_000
MAX_OPEN = 500
"""Of how many requests at most it is still looked for what became of them: the latest."""


class Standing(Struct):
    """One request, small."""

    id: str
    key: str
    digest: str
    created_at: str
    state: State
    asker: Asker
    places: list[Entry]
    """Where its events are, without what they say."""
    row: Row | None
    """While it is pending."""
    order: int
    """Its last change, counted over all requests."""
    effect: Effect | None = None
    answered: Answered | None = None


class Book:
    """Fed with events in their order; what the machine refuses changes nothing and is named in `flaws`."""

    def __init__(self) -> None:
        self.past: Past | None = None
        """What stood before the events that were fed."""
        self.standings: dict[str, Standing] = {}
        """Those that were asked since, by id, in their order."""
        self._moved: dict[str, tuple[int, Standing]] = {}
        """Those of the past that wait, or of which something was said since; with their numbers there."""
        self._gone: Past | None = None
        """The past of the file before it was rewritten."""
        self.pending: dict[str, Standing] = {}
        self.open: dict[str, Standing] = {}
        """The latest of those that are over here and not known what really became of them."""
        self.flaws: list[Flaw] = []
        self.changes: list[str] = []
        """The id of the request that each event was about, in order."""
        self._settled: dict[str, State] = {}
        """What was seen to be final, also where a rewritten file says otherwise."""

    def begin_again(self) -> None:
        """The file is another one: all is read anew, but what was final stays so."""
        known = [*self.standings.values(), *(each for _, each in self._moved.values())]
        self._settled.update({each.id: each.state for each in known if each.row is None})
        self._gone = self.past or self._gone
        self.past = None
        self._moved.clear()
        self.standings.clear()
        self.pending.clear()
        self.open.clear()
        self.flaws.clear()
        self.changes.clear()

    def go_on(self, past: Past, pending: list[Row]) -> None:
        """Begin with what a checkpoint holds; `pending` are the rows of those that waited then, in order."""
        self.past = past
        self.flaws[:] = past.own.flaws
        for row in pending:
            found = past.get(row.id)
            if found is not None:
                standing = _standing(found[1])
                standing.row, standing.key, standing.digest = row, row.request.key, row.digest
                standing.asker = row.request.asker
                self._moved[row.id] = (found[0], standing)
                self.pending[row.id] = standing
        for each in past.own.open:
            if (known := self.get(each)) is not None:
                self.open[each] = known

    def __len__(self) -> int:
        return len(self.standings) + (len(self.past) if self.past is not None else 0)

    @property
    def change_count(self) -> int:
        """How many events there were that changed something."""
        return len(self.changes) + (self.past.changes if self.past is not None else 0)

    def get(self, request_id: str) -> Standing | None:
        known = self.standings.get(request_id)
        if known is not None or self.past is None:
            return known
        if request_id in self._moved:
            return self._moved[request_id][1]
        found = self.past.get(request_id)
        return _standing(found[1]) if found is not None else None

    def newest(self) -> Iterator[Standing]:
        """All requests, the one that was asked last first."""
        yield from reversed(list(self.standings.values()))
        for number in range(len(self.past) - 1, -1, -1) if self.past is not None else ():
            kept = self.past.at(number) if self.past is not None else None
            if kept is not None:
                yield self._moved[kept.id][1] if kept.id in self._moved else _standing(kept)

    def starting(self, prefix: str) -> list[str]:
        """The ids that begin so."""
        before = self.past.starting(prefix) if self.past is not None else ()
        return [*before, *(each for each in self.standings if each.startswith(prefix))]

    def changed_since(self, start: int) -> Iterator[str]:
        """The ids that events were about, from the one of this number on."""
        before = self.past.changes if self.past is not None else 0
        if self.past is not None and start < before:
            yield from self.past.changed_since(start)
        yield from self.changes[max(0, start - before) :]

    def save(self, state: Path, position: Position) -> None:
        """Make a checkpoint of how all stands; `OSError` when it cannot be written."""
        first = len(self.past) if self.past is not None else 0
        numbers = {each: first + number for number, each in enumerate(self.standings)}
        numbers |= {each: number for each, (number, _) in self._moved.items()}
        past.save(
            state,
            self.past,
            position=position,
            own=past.Own(list(self.pending), list(self.open), self.flaws),
            changed={number: _kept(each) for number, each in self._moved.values()},
            added=map(_kept, self.standings.values()),
            numbers=[numbers[each] for each in self.changes],
        )

    def feed(self, entry: Entry, event: Event | None) -> None:
        """Take one line of the file; `event` is None for one that is no event."""
        if event is None:
            self._flaw(entry, "is no event that this version knows")
            return
        id_ = events.id_of(event)
        known = self.get(id_)
        if known is not None and known.row is None and isinstance(event, events.Late):
            self._end(known, event, entry)
            return
        if known is not None and known.row is None:
            self._flaw(entry, f"is about a request that was {known.state} already")
            return
        row = lifecycle.after(known.row if known else None, event)
        if isinstance(row, Refused):
            self._flaw(entry, f"counts for nothing: {row.message}")
            return
        was_final = self._was_final(id_)
        if was_final is not None and row.is_pending:
            row = structs.replace(row, state=State.INVALID)
        self._put(known, row, entry)

    def note(self, standing: Standing) -> str | None:
        """What a rewritten file hides about a request."""
        was_final = self._was_final(standing.id)
        if was_final is None or was_final == standing.state:
            return None
        return f"it was {was_final} before the file was changed by hand"

    def same(self, key: str, digest: str) -> Iterator[Standing]:
        """The pending requests that ask the same."""
        return (each for each in self.pending.values() if (each.key, each.digest) == (key, digest))

    def _end(self, known: Standing, event: events.Late, entry: Entry) -> None:
        """Take what really became of a request that is settled."""
        ending = lifecycle.afterwards(lifecycle.Ending(known.state, known.effect, known.answered), event)
        if ending is None:
            self._flaw(entry, f"is about a request that was {known.state} already")
            return
        known.state, known.effect, known.answered = ending.state, ending.effect, ending.answered
        self._note(known, entry)

    def _put(self, known: Standing | None, row: Row, entry: Entry) -> None:
        kept = row if row.is_pending else None
        if known is None:
            request = row.request
            known = Standing(row.id, request.key, row.digest, request.created_at, row.state, request.asker, [], kept, 0)
            self.standings[row.id] = known
        known.state, known.asker, known.row = row.state, row.request.asker, kept
        known.effect, known.answered = row.effect, row.answered
        self._note(known, entry)

    def _note(self, known: Standing, entry: Entry) -> None:
        """That an event was about a request: its place, its order, and among which it stands now."""
        if known.id not in self.standings and known.id not in self._moved and self.past is not None:
            found = self.past.get(known.id)
            if found is not None:
                self._moved[known.id] = (found[0], known)
        place = Entry(entry.line, entry.offset, entry.length, entry.digest, entry.prev, entry.follows, b"")
        known.places.append(place)
        self.changes.append(known.id)
        known.order = self.change_count
        for some, belongs in (
            (self.pending, known.row is not None),
            (self.open, known.row is None and is_open(known.state, known.effect, known.answered)),
        ):
            if belongs:
                some[known.id] = known
            else:
                some.pop(known.id, None)
        while len(self.open) > MAX_OPEN:
            del self.open[next(iter(self.open))]

    def _was_final(self, request_id: str) -> State | None:
        known = self._settled.get(request_id)
        if known is None and self._gone is not None and request_id not in self._gone.own.pending:
            found = self._gone.get(request_id)
            known = found[1].state if found is not None else None
        return known

    def _flaw(self, entry: Entry, reason: str) -> None:
        if len(self.flaws) < _MAX_FLAWS:
            self.flaws.append(Flaw(entry.line, reason))


def _standing(kept: Kept) -> Standing:
    """A request of the past; what is only needed of one that waits is left out."""
    return Standing(
        id=kept.id,
        key="",
        digest="",
        created_at="",
        state=kept.state,
        asker=Asker(0, ""),
        places=[each.entry() for each in kept.places],
        row=None,
        order=kept.order,
        effect=kept.effect,
        answered=kept.answered,
    )


def _kept(standing: Standing) -> Kept:
    return Kept(
        id=standing.id,
        state=standing.state,
        order=standing.order,
        places=[Place.of(each) for each in standing.places],
        effect=standing.effect,
        answered=standing.answered,
    )
