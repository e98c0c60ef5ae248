"""Positions in a conversation in three forms: order keys of the index, text that sorts alike, and page cursors."""

import msgspec

from chorus.core.conversation.items import Order
from chorus.errors import ChorusError
from chorus.show.wire import RowKey

_decoder = msgspec.json.Decoder(RowKey)
_BRANCH, _MODE = -1, -2
"""Positions within one record: first the mode, then the start of a branch, then the rest."""
_FIRST = 10
"""Added to the numbers of parts in text form, because negative numbers would sort wrongly as text."""
_AFTER_ALL = "~"
"""Sorts after every time: agents that no call started come last."""
SEPARATOR = "\x01"


class BadCursor(ChorusError):  # noqa: N818 - named by what is true
    """A cursor that did not come from a page."""


def place_of(order: Order, prefix: str) -> str:
    """Returns an order key as text, without `prefix`, the common beginning of the conversation's stream names."""
    time, rank, stream, offset, index = order
    return f"{time}\x01{rank}\x01{stream.removeprefix(prefix)}\x01{offset:015d}\x01{index + _FIRST:09d}"


def order_of(place: str, prefix: str) -> Order:
    """Returns the order key of a text from `place_of`."""
    time, rank, stream, offset, index = place.rsplit(SEPARATOR, 4)
    return time, int(rank), prefix + stream, int(offset), int(index) - _FIRST


def key_of(order: Order, item_id: str) -> RowKey:
    return (*order, item_id)


def branch_key(key: RowKey) -> RowKey:
    """Returns the key of the row that marks the start of a branch: directly before its first message."""
    return (*key[:4], key[4] + _BRANCH, key[5])


def mode_order(order: Order) -> Order:
    """Returns the position of a change of mode: before everything else from the same record."""
    return (*order[:4], _MODE)


def mode_order_in_index(order: Order) -> Order:
    """Reverses `mode_order`: a mode belongs to its whole record, so its index is 0."""
    return (*order[:4], 0)


def at_the_end(order: Order) -> Order:
    """Returns the order key moved after everything that has a time."""
    return (_AFTER_ALL + order[0], *order[1:])


def cursor_of(key: RowKey) -> str:
    return msgspec.json.encode(tuple(_encodable(part) if isinstance(part, str) else part for part in key)).decode()


def read_cursor(text: str) -> RowKey:
    """Returns the key of a cursor. Raises `BadCursor` if it is invalid."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise BadCursor("invalid page cursor: leave it out to start at the end") from None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
