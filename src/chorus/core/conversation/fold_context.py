"""The record in hand while it is folded: its place in the order, its weight among copies, and the changes it makes."""

from msgspec import structs

from chorus.core.conversation.authority import Standings
from chorus.core.conversation.items import Change, Item, Order, Reach
from chorus.core.conversation.state import Register, State, StreamState
from chorus.core.records.model import Value
from chorus.core.records.place import Place
from chorus.core.records.record import Dialect, Record
from chorus.core.records.times import canonical_time

FILE, MIRROR, STDOUT, EMBEDDED = range(4)
"""Authority: where several streams hold the same line, the lowest decides (files are final, stdout is provisional)."""


class FoldContext:
    """One record, or one embedded in it, with everything the folding functions ask of it."""

    __slots__ = (
        "agent",
        "authority",
        "changes",
        "id",
        "is_aside",
        "order",
        "record",
        "standings",
        "state",
        "stirred",
        "stream",
        "time",
        "touched",
        "value",
    )

    def __init__(
        self,
        state: State,
        record: Record,
        value: Value,
        stream: StreamState,
        authority: int,
        standings: Standings | None = None,
    ) -> None:
        self.state = state
        self.record = record
        self.value = value
        self.stream = stream
        self.authority = authority
        self.standings = standings
        self.is_aside = False
        """Whether the record is no part of the conversation."""
        self.agent = ""
        self.id = ""
        """`uuid`, or the place where there is none; below an agent with its id in front."""
        time = value.timestamp
        if time is None or len(time) != 24 or time[23] != "Z" or time[10] != "T":
            time = canonical_time(time) or record.seen_at
        self.time = time
        if time and time > stream.latest:
            stream.latest = time
        self.order: Order = (stream.latest, stream.rank, record.stream, record.offset, 0)
        self.changes: list[Change] = []
        self.touched = False
        """Whether the session's header changed."""
        self.stirred = False
        """Whether something happened that the session's status may depend on."""

    @property
    def place(self) -> Place:
        return Place(self.record.stream, self.record.offset, len(self.record.raw))

    def put(self, item: Item) -> None:
        """Add `item` to the changes as it is now; the fold may go on changing its own."""
        self.changes.append(structs.replace(item))

    def reach(self, time: str) -> None:
        """The conversation was going on at this time."""
        header = self.state.session
        if header.ended_at is None or time > header.ended_at:
            header.ended_at = time
            self.changes.append(Reach(time))
        if header.started_at is None or time < header.started_at:
            header.started_at = time
            self.touched = True

    def part(self, index: int) -> Order:
        """The order key of the record's part number `index`; the same whatever else was read before."""
        order = self.order
        return (order[0], order[1], order[2], order[3], order[4] + index)

    def identify(self, agent: str) -> None:
        """Set whose line this is, and the id that its copies in other streams share."""
        self.agent = agent
        own = self.value.uuid or f"{self.record.stream}@{self.record.offset}"
        self.id = f"{agent}/{own}" if agent else own

    @property
    def is_foreign(self) -> bool:
        """Whether streams of better standing tell the conversation."""
        return self.standings is not None and self.standings.of(self.record.stream).is_foreign

    @property
    def origin(self) -> int | None:
        """Where its stream came from, where that makes a difference."""
        standings = self.standings
        if standings is None or not standings.is_comparing:
            return None
        return standings.of(self.record.stream).origin

    def overlaps(self, other: str) -> None:
        """The stream `other` holds the same record: they have to be compared, which needs all of both."""
        standings = self.standings
        if standings is None or standings.is_comparing or self.authority == EMBEDDED:
            return
        if other != self.record.stream:
            self.state.comparison.is_overtaken = True

    def leads(self, name: str) -> bool:
        """Whether this record is the first in the order, of those read so far, to state what `name` stands for."""
        register = self.state.registers.get(name)
        if register is not None and register.at <= self.order:
            return False
        self.state.registers[name] = Register(self.order, None)
        return True

    def latest(self, name: str, value: object, at: Order | None = None) -> bool:
        """Keep `value` if it is stated later in the order than what is kept; tells whether that changed anything.

        It counts as stated by this record, unless `at` says where else.
        """
        at = at or self.order
        register = self.state.registers.get(name)
        if register is None:
            self.state.registers[name] = Register(at, value)
            return True
        if at < register.at:
            return False
        changed = register.value != value
        register.at, register.value = at, value
        return changed

    def first(self, name: str, value: object) -> bool:
        """Keep `value` if it is stated earlier in the order than what is kept."""
        register = self.state.registers.get(name)
        if register is None:
            self.state.registers[name] = Register(self.order, value)
            return True
        if self.order >= register.at:
            return False
        changed = register.value != value
        register.at, register.value = self.order, value
        return changed


def rank_of(dialect: Dialect) -> int:
    """Streams of session files come before those of runs where times are equal: what stdout adds, it adds after."""
    return 0 if dialect is Dialect.SESSION else 1
