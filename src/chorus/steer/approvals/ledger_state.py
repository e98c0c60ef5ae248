"""The permission ledger in memory: the state of each request after the events of the file.

Of settled requests only a summary is kept; their rows are read again from the file on demand. Requests from before a
checkpoint (`settled_requests.py`) are not in memory at all: they are looked up in the checkpoint.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from chorus.keep.vault.journal import Flaw, JournalEntry, Position
from chorus.steer.approvals import events, lifecycle, settled_requests
from chorus.steer.approvals.events import Event
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Asker, Effect, Row, State, is_open
from chorus.steer.approvals.settled_requests import Checkpoint, LedgerPlace, SavedSummary

_MAX_FLAWS = 1_000
MAX_OPEN = 500
"""At most this many settled requests, the latest, are still checked for their outcome."""


class RequestSummary(Struct):
    """What is kept in memory of one request."""

    id: str
    key: str
    digest: str
    created_at: str
    state: State
    asker: Asker
    places: list[JournalEntry]
    """The places of its events, without their bodies."""
    row: Row | None
    """The whole row while the request is pending, else None."""
    order: int
    """The number of its last change, counted over all requests."""
    effect: Effect | None = None
    answered: Answered | None = None


class LedgerState:
    """The state that results from the events of the file, fed in order.

    An event that `lifecycle` refuses changes nothing and is listed in `flaws`.
    """

    def __init__(self) -> None:
        self.checkpoint: Checkpoint | None = None
        """The requests from before the first event that was fed; None if there was no checkpoint."""
        self.summaries: dict[str, RequestSummary] = {}
        """The requests that were asked since the checkpoint, by id, in order."""
        self._moved: dict[str, tuple[int, RequestSummary]] = {}
        """The requests of the checkpoint that are pending or have changed since, with their numbers in it."""
        self._gone: Checkpoint | None = None
        """The checkpoint of the file before it was rewritten."""
        self.pending: dict[str, RequestSummary] = {}
        self.open: dict[str, RequestSummary] = {}
        """The latest requests that ended without a known outcome."""
        self.flaws: list[Flaw] = []
        self.changes: list[str] = []
        """The id of the request that each event was about, in order."""
        self._settled: dict[str, State] = {}
        """The final states that were seen, also if a rewritten file says otherwise."""

    def restart(self) -> None:
        """Starts over because the file was replaced; states that were final stay final."""
        known = [*self.summaries.values(), *(each for _, each in self._moved.values())]
        self._settled.update({each.id: each.state for each in known if each.row is None})
        self._gone = self.checkpoint or self._gone
        self.checkpoint = None
        self._moved.clear()
        self.summaries.clear()
        self.pending.clear()
        self.open.clear()
        self.flaws.clear()
        self.changes.clear()

    def resume(self, checkpoint: Checkpoint, pending: list[Row]) -> None:
        """Starts from a checkpoint; `pending` are the rows of the requests that were pending in it, in order."""
        self.checkpoint = checkpoint
        self.flaws[:] = checkpoint.header.flaws
        for row in pending:
            found = checkpoint.get(row.id)
            if found is not None:
                summary = _summary_of(found[1])
                summary.row, summary.key, summary.digest = row, row.request.key, row.digest
                summary.asker = row.request.asker
                self._moved[row.id] = (found[0], summary)
                self.pending[row.id] = summary
        for each in checkpoint.header.open:
            if (known := self.get(each)) is not None:
                self.open[each] = known

    def __len__(self) -> int:
        return len(self.summaries) + (len(self.checkpoint) if self.checkpoint is not None else 0)

    @property
    def change_count(self) -> int:
        """The number of events that changed something."""
        return len(self.changes) + (self.checkpoint.changes if self.checkpoint is not None else 0)

    def get(self, request_id: str) -> RequestSummary | None:
        known = self.summaries.get(request_id)
        if known is not None or self.checkpoint is None:
            return known
        if request_id in self._moved:
            return self._moved[request_id][1]
        found = self.checkpoint.get(request_id)
        return _summary_of(found[1]) if found is not None else None

    def newest(self) -> Iterator[RequestSummary]:
        """Yields all requests, the last asked first."""
        yield from reversed(list(self.summaries.values()))
        for number in range(len(self.checkpoint) - 1, -1, -1) if self.checkpoint is not None else ():
            kept = self.checkpoint.at(number) if self.checkpoint is not None else None
            if kept is not None:
                yield self._moved[kept.id][1] if kept.id in self._moved else _summary_of(kept)

    def starting(self, prefix: str) -> list[str]:
        """Returns the ids that begin with `prefix`."""
        before = self.checkpoint.starting(prefix) if self.checkpoint is not None else ()
        return [*before, *(each for each in self.summaries if each.startswith(prefix))]

    def changed_since(self, start: int) -> Iterator[str]:
        """Yields the ids that events were about, starting at the event with the number `start`."""
        before = self.checkpoint.changes if self.checkpoint is not None else 0
        if self.checkpoint is not None and start < before:
            yield from self.checkpoint.changed_since(start)
        yield from self.changes[max(0, start - before) :]

    def save(self, state: Path, position: Position) -> None:
        """Writes a checkpoint of the current state. Raises `OSError` if it cannot be written."""
        first = len(self.checkpoint) if self.checkpoint is not None else 0
        numbers = {each: first + number for number, each in enumerate(self.summaries)}
        numbers |= {each: number for each, (number, _) in self._moved.items()}
        settled_requests.save(
            state,
            self.checkpoint,
            position=position,
            header=settled_requests.LedgerHeader(list(self.pending), list(self.open), self.flaws),
            changed={number: _saved_summary(each) for number, each in self._moved.values()},
            added=map(_saved_summary, self.summaries.values()),
            numbers=[numbers[each] for each in self.changes],
        )

    def feed(self, entry: JournalEntry, event: Event | None) -> None:
        """Applies one line of the file; `event` is None for a line that is no event."""
        if event is None:
            self._flaw(entry, "is not an event that this version knows")
            return
        id_ = events.id_of(event)
        known = self.get(id_)
        if known is not None and known.row is None and isinstance(event, events.OutcomeEvent):
            self._end(known, event, entry)
            return
        if known is not None and known.row is None:
            self._flaw(entry, f"is about a request that was {known.state} already")
            return
        row = lifecycle.apply(known.row if known else None, event)
        if isinstance(row, Refused):
            self._flaw(entry, f"is not valid: {row.message}")
            return
        was_final = self._was_final(id_)
        if was_final is not None and row.is_pending:
            row = structs.replace(row, state=State.INVALID)
        self._put(known, row, entry)

    def note(self, summary: RequestSummary) -> str | None:
        """Returns what a rewritten file hides about a request; None if it hides nothing."""
        was_final = self._was_final(summary.id)
        if was_final is None or was_final == summary.state:
            return None
        return f"it was {was_final} before the file was changed by hand"

    def same(self, key: str, digest: str) -> Iterator[RequestSummary]:
        """Yields the pending requests with the same content."""
        return (each for each in self.pending.values() if (each.key, each.digest) == (key, digest))

    def _end(self, known: RequestSummary, event: events.OutcomeEvent, entry: JournalEntry) -> None:
        """Applies the outcome of a settled request."""
        ending = lifecycle.ending_after(lifecycle.Ending(known.state, known.effect, known.answered), event)
        if ending is None:
            self._flaw(entry, f"is about a request that was {known.state} already")
            return
        known.state, known.effect, known.answered = ending.state, ending.effect, ending.answered
        self._note(known, entry)

    def _put(self, known: RequestSummary | None, row: Row, entry: JournalEntry) -> None:
        kept = row if row.is_pending else None
        if known is None:
            request = row.request
            known = RequestSummary(
                row.id, request.key, row.digest, request.created_at, row.state, request.asker, [], kept, 0
            )
            self.summaries[row.id] = known
        known.state, known.asker, known.row = row.state, row.request.asker, kept
        known.effect, known.answered = row.effect, row.answered
        self._note(known, entry)

    def _note(self, known: RequestSummary, entry: JournalEntry) -> None:
        """Records an event of a request: its place, its order, and whether the request is now pending or open."""
        if known.id not in self.summaries and known.id not in self._moved and self.checkpoint is not None:
            found = self.checkpoint.get(known.id)
            if found is not None:
                self._moved[known.id] = (found[0], known)
        place = JournalEntry(entry.line, entry.offset, entry.length, entry.digest, entry.prev, entry.follows, b"")
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
        if known is None and self._gone is not None and request_id not in self._gone.header.pending:
            found = self._gone.get(request_id)
            known = found[1].state if found is not None else None
        return known

    def _flaw(self, entry: JournalEntry, reason: str) -> None:
        if len(self.flaws) < _MAX_FLAWS:
            self.flaws.append(Flaw(entry.line, reason))


def _summary_of(kept: SavedSummary) -> RequestSummary:
    """Returns the summary of a request in the checkpoint, without the fields that only pending requests need."""
    return RequestSummary(
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


def _saved_summary(summary: RequestSummary) -> SavedSummary:
    return SavedSummary(
        id=summary.id,
        state=summary.state,
        order=summary.order,
        places=[LedgerPlace.of(each) for each in summary.places],
        effect=summary.effect,
        answered=summary.answered,
    )
