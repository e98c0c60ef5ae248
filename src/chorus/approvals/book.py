"""The ledger in memory: how each request stands after the events of the file. Pure.

Rows that are settled keep their places only; what a row says is read again from the file when it is asked for.
"""

from collections.abc import Iterator

from msgspec import Struct, structs

from chorus.approvals import events, machine
from chorus.approvals.events import Event
from chorus.approvals.machine import Refused
from chorus.approvals.model import Answered, Asker, Effect, Row, State, is_open
from chorus.store.journal import Entry, Flaw

_MOST_FLAWS = 1_000
MOST_OPEN = 500
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
        self.standings: dict[str, Standing] = {}
        """By id, in the order in which they were asked."""
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
        self._settled.update({id_: each.state for id_, each in self.standings.items() if each.row is None})
        self.standings.clear()
        self.pending.clear()
        self.open.clear()
        self.flaws.clear()
        self.changes.clear()

    def feed(self, entry: Entry, event: Event | None) -> None:
        """Take one line of the file; `event` is None for one that is no event."""
        if event is None:
            self._flaw(entry, "is no event that this version knows")
            return
        id_ = events.id_of(event)
        known = self.standings.get(id_)
        if known is not None and known.row is None and isinstance(event, events.Late):
            self._end(known, event, entry)
            return
        if known is not None and known.row is None:
            self._flaw(entry, f"is about a request that was {known.state} already")
            return
        row = machine.after(known.row if known else None, event)
        if isinstance(row, Refused):
            self._flaw(entry, f"counts for nothing: {row.message}")
            return
        was_final = self._settled.get(id_)
        if was_final is not None and row.is_pending:
            row = structs.replace(row, state=State.INVALID)
        self._put(known, row, entry)

    def note(self, standing: Standing) -> str | None:
        """What a rewritten file hides about a request."""
        was_final = self._settled.get(standing.id)
        if was_final is None or was_final == standing.state:
            return None
        return f"it was {was_final} before the file was changed by hand"

    def same(self, key: str, digest: str) -> Iterator[Standing]:
        """The pending requests that ask the same."""
        return (each for each in self.pending.values() if (each.key, each.digest) == (key, digest))

    def _end(self, known: Standing, event: events.Late, entry: Entry) -> None:
        """Take what really became of a request that is settled."""
        ending = machine.afterwards(machine.Ending(known.state, known.effect, known.answered), event)
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
        place = Entry(entry.line, entry.offset, entry.length, entry.digest, entry.prev, entry.follows, b"")
        known.places.append(place)
        self.changes.append(known.id)
        known.order = len(self.changes)
        for some, belongs in (
            (self.pending, known.row is not None),
            (self.open, known.row is None and is_open(known.state, known.effect, known.answered)),
        ):
            if belongs:
                some[known.id] = known
            else:
                some.pop(known.id, None)
        while len(self.open) > MOST_OPEN:
            del self.open[next(iter(self.open))]

    def _flaw(self, entry: Entry, reason: str) -> None:
        if len(self.flaws) < _MOST_FLAWS:
            self.flaws.append(Flaw(entry.line, reason))
