"""The record that is being folded: its order key, its authority among copies, and the changes that it causes."""

from msgspec import structs

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.items import Change, Item, Order, Reach
from chorus.core.conversation.state import Register, State, StreamState
from chorus.core.records.model import Value
from chorus.core.records.place import Place
from chorus.core.records.record import Dialect, Record
from chorus.core.records.times import canonical_time

FILE, MIRROR, STDOUT, EMBEDDED = range(4)
"""Authority: when several streams contain the same line, the lowest number wins. Files are final, stdout is not."""


class FoldContext:
    """One record, or a record embedded in it, with everything that the fold functions need."""

    __slots__ = (
        "agent",
        "authorities",
        "authority",
        "changes",
        "id",
        "is_set_aside",
        "order",
        "record",
        "session_changed",
        "state",
        "status_may_change",
        "stream",
        "time",
        "value",
    )

    def __init__(
        self,
        state: State,
        record: Record,
        value: Value,
        stream: StreamState,
        authority: int,
        authorities: StreamAuthorities | None = None,
    ) -> None:
        self.state = state
        self.record = record
        self.value = value
        self.stream = stream
        self.authority = authority
        self.authorities = authorities
        self.is_set_aside = False
        """Whether the record is not part of the conversation."""
        self.agent = ""
        self.id = ""
        """`uuid`, or the place if there is none. For a sub-agent the agent id comes first."""
        self.time = time = canonical_time(value.timestamp) or record.seen_at
        if time and time > stream.latest:
            stream.latest = time
        self.order: Order = (stream.latest, stream.rank, record.stream, record.offset, 0)
        self.changes: list[Change] = []
        self.session_changed = False
        """Whether the `Session` item changed."""
        self.status_may_change = False
        """Whether something happened that may change the status of the session."""

    @property
    def place(self) -> Place:
        return Place(self.record.stream, self.record.offset, len(self.record.raw))

    def put(self, item: Item) -> None:
        """Adds a copy of `item` to the changes, so that the fold can change its own item later."""
        self.changes.append(structs.replace(item))

    def reach(self, time: str) -> None:
        """Extends the times of the session so that they include `time`."""
        header = self.state.session
        if header.ended_at is None or time > header.ended_at:
            header.ended_at = time
            self.changes.append(Reach(time))
        if header.started_at is None or time < header.started_at:
            header.started_at = time
            self.session_changed = True

    def part(self, index: int) -> Order:
        """Returns the order key of part number `index` of the record. It does not depend on what was read before."""
        order = self.order
        return (order[0], order[1], order[2], order[3], order[4] + index)

    def identify(self, agent: str) -> None:
        """Sets the agent of the line, and the id that all copies of the line share."""
        self.agent = agent
        own = self.value.uuid or f"{self.record.stream}@{self.record.offset}"
        self.id = f"{agent}/{own}" if agent else own

    @property
    def is_foreign(self) -> bool:
        """Whether the conversation has streams with more authority than the stream of this record."""
        return self.authorities is not None and self.authorities.of(self.record.stream).is_foreign

    @property
    def is_beside(self) -> bool:
        """Whether the record is in a sub-agent's file, and the conversation has other streams: they describe it."""
        authorities = self.authorities
        return authorities is not None and authorities.has_main and authorities.of(self.record.stream).agent is not None

    @property
    def origin(self) -> int | None:
        """The origin of the stream, or None if streams are not compared."""
        authorities = self.authorities
        if authorities is None or not authorities.is_comparing:
            return None
        return authorities.of(self.record.stream).origin

    def overlaps(self, other: str) -> None:
        """Reports that the stream `other` contains the same record: both must be read again completely and compared."""
        authorities = self.authorities
        if authorities is None or authorities.is_comparing or self.authority == EMBEDDED:
            return
        if other != self.record.stream:
            self.state.comparison.needs_refold = True

    def is_first(self, name: str) -> bool:
        """Stores where the fact `name` is stated first. Returns whether this record is the first so far."""
        register = self.state.registers.get(name)
        if register is not None and register.at <= self.order:
            return False
        self.state.registers[name] = Register(self.order, None)
        return True

    def keep_latest(self, name: str, value: object, at: Order | None = None) -> bool:
        """Stores `value` unless a later statement in the order is stored. Returns whether the value changed.

        The statement has the order key of this record, unless `at` is given.
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

    def keep_first(self, name: str, value: object) -> bool:
        """Stores `value` unless an earlier statement in the order is stored. Returns whether the value changed."""
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
    """Returns the rank of a stream with this dialect at equal times: session files come before the output of runs."""
    return 0 if dialect is Dialect.SESSION else 1
