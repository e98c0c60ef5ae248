"""The rows of a conversation as of a moment: what came later is left out, and a call without its result is open.

The rows are those of the whole conversation, drawn by the same code as everywhere else.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from msgspec import structs

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import CallState
from chorus.core.replay.growth import Growth
from chorus.core.replay.moments import moment_of
from chorus.core.views.blocks import Prose, Thinking
from chorus.core.views.rows import AgentRow, BranchRow, MessageRow, Piece, Row, SubAgent, ToolCall
from chorus.core.views.transcript import rows_with_blocks

_BRANCH = "branch:"


class RowsAsOf:
    """The rows of a conversation, each with the moment from which on it is shown."""

    def __init__(self, conversation: Conversation, growths: Iterable[Growth] = ()) -> None:
        self._conversation = conversation
        self._growths = {(growth.item, growth.block): growth for growth in growths}
        self._begun: dict[str, str] = {}
        """Message → the moment at which its text began to grow."""
        for growth in self._growths.values():
            self._begun[growth.item] = min(growth.moment, self._begun.get(growth.item, growth.moment))
        found, self._blocks = rows_with_blocks(conversation)
        rows = sorted(((self.shown(row), number, row) for number, row in enumerate(found)), key=lambda each: each[:2])
        self._rows = [row for _, _, row in rows]
        self._shown = [shown for shown, _, _ in rows]

    def count(self, now: str) -> int:
        """Returns how many rows are shown at a moment."""
        return bisect_right(self._shown, now)

    def rows(self, now: str, clock_ms: int, *, first: int = 0) -> Iterator[Row]:
        """Yields the rows at a moment in order, without the first ones."""
        for row in self._rows[first : self.count(now)]:
            yield self._as_of(row, now, clock_ms)

    def latest(self, now: str, clock_ms: int) -> Iterator[Row]:
        """Yields the rows at a moment, the last one first. A row of which nothing is missing is always the same object.

        `clock_ms` says how much of a text that was being streamed is shown.
        """
        for number in range(self.count(now) - 1, -1, -1):
            yield self._as_of(self._rows[number], now, clock_ms)

    def shown(self, row: Row) -> str:
        """Returns the id of the moment from which on a row is shown."""
        item = self._conversation.items.get(row.id.removeprefix(_BRANCH) if isinstance(row, BranchRow) else row.id)
        own = moment_of(item.order) if item is not None else ""
        return min(own, self._begun.get(row.id, own))

    def _as_of(self, row: Row, now: str, clock_ms: int) -> Row:
        match row:
            case MessageRow():
                pieces = tuple(self._pieces(row, now, clock_ms))
                if len(pieces) == len(row.pieces) and all(map(_is_same, pieces, row.pieces)):
                    return row
                return structs.replace(
                    row, pieces=pieces, tokens=None, cost_usd=None, duration_ms=None, stop_reason=None, error=None
                )
            case AgentRow():
                agent = self._agent(row.agent, now, clock_ms)
                return row if agent is row.agent else structs.replace(row, agent=agent)
            case _:
                return row

    def _pieces(self, row: MessageRow, now: str, clock_ms: int) -> Iterator[Piece]:
        message = self._conversation.items.get(row.id)
        numbers = {part.id: number for number, part in enumerate(self._conversation.blocks(message))} if message else {}
        for piece, block in zip(row.pieces, self._blocks.get(row.id, ()), strict=False):
            part = self._conversation.items.get(block or "")
            shown = moment_of(part.order) if part is not None else self.shown(row)
            growth = self._growths.get((row.id, numbers.get(block or "", -1)))
            if growth is not None and growth.moment <= now and growth.at_ms and clock_ms < growth.at_ms[-1]:
                yield _grown(piece, growth, clock_ms)
            elif shown <= now or (growth is not None and growth.moment <= now):
                yield self._call(piece, now, clock_ms) if isinstance(piece, ToolCall) else piece

    def _call(self, call: ToolCall, now: str, clock_ms: int) -> ToolCall:
        result = self._conversation.items.get(f"result:{call.id}")
        is_open = result is not None and moment_of(result.order) > now
        agent = self._agent(call.agent, now, clock_ms) if call.agent is not None else None
        if is_open:
            return structs.replace(
                call,
                state=CallState.PENDING.value,
                given=(),
                duration_ms=None,
                permission=None,
                decided_by=None,
                agent=agent,
            )
        return call if agent is call.agent else structs.replace(call, agent=agent)

    def _agent(self, agent: SubAgent, now: str, clock_ms: int) -> SubAgent:
        rows = tuple(self._as_of(row, now, clock_ms) for row in agent.rows if self.shown(row) <= now)
        if len(rows) == len(agent.rows) and all(map(_is_same, rows, agent.rows)):
            return agent
        return structs.replace(agent, rows=rows, status=None)


def _is_same(one: object, other: object) -> bool:
    return one is other


def _grown(piece: Piece, growth: Growth, clock_ms: int) -> Piece:
    """Returns the part of a text that was there at a time."""
    number = bisect_right(growth.at_ms, clock_ms) - 1
    units = growth.chars[number] if number >= 0 else 0
    match piece:
        case Prose():
            return structs.replace(piece, markdown=_beginning(piece.markdown, units))
        case Thinking() if piece.text:
            return structs.replace(piece, text=_beginning(piece.text, units))
        case _:
            return piece


def _beginning(text: str, units: int) -> str:
    """Returns the first UTF-16 units of a text."""
    if text.isascii():
        return text[:units]
    return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")
