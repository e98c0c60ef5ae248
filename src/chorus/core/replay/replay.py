"""A conversation over time: every moment with its time and steps, the states, lanes, marks and growing texts.

It is built by the one fold, record by record in the order of `moments.merged`. It can be continued with records that
come after all others.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from zlib import crc32

from msgspec import Struct

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.fold import Fold
from chorus.core.records.record import Record
from chorus.core.replay.growth import Growth, Growths
from chorus.core.replay.lanes import Lane, Lanes
from chorus.core.replay.marks import Mark, Marker
from chorus.core.replay.moments import Key, PlacedRecord, id_of, key_in, merged, time_ms
from chorus.core.replay.panel import Panel
from chorus.core.replay.steps import Step, step
from chorus.core.replay.track import CHUNK, StateTrack, state_at
from chorus.core.replay.tracker import Tracker
from chorus.core.spending.rates import Prices

PACE_MS = 500
"""The time between two moments of a conversation whose records have no times."""
_ORIGIN: Key = ("", 0, "", -1)


class Moment(Struct, frozen=True):
    """One moment of a replay."""

    number: int
    id: str
    at_ms: int
    """Milliseconds since the start. They never decrease."""


class Replay:
    """The moments of a conversation, and the state at each of them."""

    def __init__(self, session_id: str, prices: Prices, *, authorities: StreamAuthorities | None = None) -> None:
        self.fold = Fold(session_id, authorities=authorities)
        self.ids: list[str] = []
        self.at_ms = array("q")
        self.steps = array("H")
        self.marks: list[Mark] = []
        self.track = StateTrack()
        self.last_key: Key = _ORIGIN
        """The key of the last record."""
        self.started_at: str | None = None
        self._started_ms: int | None = None
        self._reached_ms = 0
        self._ends: dict[str, int] = {}
        """Stream → the highest offset that was read."""
        self._prices = prices
        self._tracker = Tracker(self.fold, prices)
        self._marker = Marker()
        self._lanes = Lanes(self.fold)
        self._growths = Growths()
        self._finished_lanes: tuple[list[Lane], int] | None = None
        self._records = 0
        self._digest = 0

    def latest_of(self, stream: str) -> str:
        """Returns the highest time so far in a stream, for `merged`."""
        known = self.fold.state.streams.get(stream)
        return known.latest if known is not None else ""

    def feed_all(self, streams: Iterable[Iterable[Record]]) -> None:
        """Feeds the records of all streams, in the order of the replay."""
        for placed in merged(streams, self.latest_of):
            self.feed(placed)

    def feed(self, placed: PlacedRecord) -> None:
        """Feeds the next record. It must come after all others in the order of the replay."""
        key, record = placed.key, placed.record
        moment_id = id_of(key)
        self.last_key = key
        self._ends[key[2]] = max(key[3], self._ends.get(key[2], 0))
        self._records += 1
        self._digest = crc32(moment_id.encode("utf-8", "replace"), self._digest)
        changes = self.fold.feed(record)
        number = len(self.ids)
        at_ms = self._time(key[0])
        before = self._tracker.panel if number and number % CHUNK == 0 else None
        change = self._tracker.take(number, record, changes)
        steps, marks = self._marker.take(number, changes)
        self._growths.take(number, moment_id, at_ms, changes)
        self._lanes.take(at_ms, changes, change)
        if not steps and change is None:
            return
        if before is not None:
            self.track.begin_chunk(before)
        if change is not None:
            self.track.add(change)
        self.ids.append(moment_id)
        self.at_ms.append(at_ms)
        self.steps.append(steps)
        self.marks += marks

    def _time(self, time: str) -> int:
        """Returns the time of a record since the start. A record without a time has that of the record before it."""
        own = time_ms(time)
        if own is None:
            if self._started_ms is None:
                self._reached_ms = PACE_MS * len(self.ids)
            return self._reached_ms
        if self._started_ms is None:
            self._started_ms, self.started_at = own - self._reached_ms, time
        self._reached_ms = max(self._reached_ms, own - self._started_ms)
        return self._reached_ms

    @property
    def version(self) -> str:
        """Changes when moments are added or get other numbers."""
        return f"{self._records}-{self._digest:08x}"

    def is_older_than(self, time: str) -> bool:
        """Returns whether its last record came before a time."""
        return self.last_key[0] < time

    @property
    def duration_ms(self) -> int:
        return self.at_ms[-1] if self.at_ms else 0

    def __len__(self) -> int:
        return len(self.ids)

    def moment(self, number: int) -> Moment:
        """Returns a moment by its number."""
        return Moment(number, self.ids[number], self.at_ms[number])

    def find(self, at: str) -> Moment | None:
        """Returns the moment that `at` means: its id, the id of any record, or a time (the last moment by then).

        None if the conversation has no such record, or if the time is before its start or after its end.
        """
        if (key := key_in(at)) is not None:
            end = self._ends.get(key[2])
            if end is None or key[3] > end or key > self.last_key:
                return None
            position = self.position(id_of(key))
        else:
            position = self._by_time(at)
        return self.moment(max(position, 0)) if self.ids and position is not None else None

    def position(self, moment: str) -> int:
        """Returns the number of the last moment that is not after an id; -1 if there is none."""
        return bisect_right(self.ids, moment) - 1

    def _by_time(self, at: str) -> int | None:
        wanted = time_ms(at if "+" in at or at.endswith("Z") else at + "+00:00")
        if wanted is None or self._started_ms is None:
            return None
        since = wanted - self._started_ms
        if since < 0 or since > self.duration_ms:
            return None
        return bisect_right(self.at_ms, since) - 1

    def at(self, since_ms: int) -> Moment | None:
        """Returns the last moment by a time since the start; None if there is no moment."""
        return self.moment(max(0, bisect_right(self.at_ms, since_ms) - 1)) if self.ids else None

    def step(self, number: int, kind: Step, *, is_back: bool = False) -> Moment | None:
        """Returns the next moment of a kind after a moment, or the last one before it; None if there is none."""
        found = step(self.steps, number, kind, is_back=is_back)
        return self.moment(found) if found is not None else None

    def state(self, number: int) -> Panel:
        """Returns the state at a moment, by its number."""
        return state_at(self.track, number)

    def lanes(self) -> tuple[list[Lane], int]:
        """Returns the lanes, and how many sub-agents are left out."""
        return self._finished_lanes or self._lanes.lanes(self.duration_ms)

    def finish(self) -> None:
        """Drops what is needed only to continue: it takes most of the memory. Nothing can be fed any more."""
        self._finished_lanes = self.lanes()
        self.fold = Fold(self.fold.session_id)
        self._marker = Marker()
        self._tracker = Tracker(self.fold, self._prices)
        self._lanes = Lanes(self.fold)

    @property
    def is_finished(self) -> bool:
        """Whether nothing can be fed any more."""
        return self._finished_lanes is not None

    @property
    def growths(self) -> list[Growth]:
        """The texts that grew, in the order in which they began."""
        return self._growths.all
