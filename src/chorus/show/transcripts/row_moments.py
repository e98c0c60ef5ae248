"""When a row and its pieces were there, for the replay: from the order keys of the records that made them."""

from collections.abc import Mapping, Sequence

from chorus.core.conversation import items
from chorus.core.conversation.items import Order
from chorus.core.replay.moments import moment_of
from chorus.core.views.rows import MessageRow, OrphanRow, Row, ToolCall
from chorus.find.index.rows import RESULT, Entry
from chorus.show.wire import PieceMoment, RowMoments


def row_moments(row: Row, order: Order, entries: Mapping[str, Entry], parts: Sequence[str | None]) -> RowMoments:
    """Returns when a row was there. `order` is that of its item; `parts` are the ids of the blocks of its pieces."""
    own = moment_of(order)
    match row:
        case MessageRow():
            orders = {part.id: part.order for part in entries[row.id].parts} if row.id in entries else {}
            numbers = {part: number for number, part in enumerate(orders)}
            pieces: list[PieceMoment] = []
            for piece, part in zip(row.pieces, parts, strict=True):
                shown = moment_of(orders[part]) if part in orders else own
                ended = _ended(entries, piece) if isinstance(piece, ToolCall) else None
                pieces.append(PieceMoment(shown=shown, ended=ended, block=numbers.get(part or "", -1)))
            return RowMoments(shown=own, pieces=tuple(pieces))
        case OrphanRow():
            piece = PieceMoment(shown=own, ended=_ended(entries, row.call) or own, block=-1)
            return RowMoments(shown=own, pieces=(piece,))
        case _:
            return RowMoments(shown=own, pieces=())


def _ended(entries: Mapping[str, Entry], call: ToolCall) -> str | None:
    """Returns the moment at which the result of a call came; None if there is no result."""
    entry = entries.get(f"call:{call.id}")
    result = next((part for part in entry.parts if part.kind == RESULT), None) if entry is not None else None
    if result is not None:
        return moment_of(result.order)
    is_open = call.state == items.CallState.PENDING
    return None if entry is None or is_open else moment_of(entry.order)
