"""Places in a conversation: as the index has them, as text that sorts the same, and as the cursors of pages."""

import msgspec

from chorus.core.conversation.items import Order
from chorus.errors import ChorusError
from chorus.show.wire import RowKey

_decoder = msgspec.json.Decoder(RowKey)
_BRANCH, _MODE = -1, -2
"""Where these stand among what one record says: first the mode, then where a branch begins, then the rest."""
_FIRST = 10
"""Numbers of parts are written with this added: as text, negative ones would sort the wrong way."""
_AFTER_ALL = "~"
"""Sorts after every time: agents that nobody called stand at the end."""
SEPARATOR = "\x01"


class BadCursor(ChorusError):  # noqa: N818 - named by what is true
    """A cursor that no page gave."""


def place_of(order: Order, prefix: str) -> str:
    """An order as text; `prefix` is what the names of all streams of the conversation begin with, and is left out."""
    time, rank, stream, offset, index = order
    return f"{time}\x01{rank}\x01{stream.removeprefix(prefix)}\x01{offset:015d}\x01{index + _FIRST:09d}"


def order_of(place: str, prefix: str) -> Order:
    """What `place_of` made a text of."""
    time, rank, stream, offset, index = place.rsplit(SEPARATOR, 4)
    return time, int(rank), prefix + stream, int(offset), int(index) - _FIRST


def key_of(order: Order, item_id: str) -> RowKey:
    return (*order, item_id)


def branch_key(key: RowKey) -> RowKey:
    """The place of the row that says where a branch begins: right before its first message."""
    return (*key[:4], key[4] + _BRANCH, key[5])


def mode_order(order: Order) -> Order:
    """The place of a change of mode: before what was said in it."""
    return (*order[:4], _MODE)


def mode_order_in_index(order: Order) -> Order:
    """What `mode_order` was given: a mode is told by a record as a whole."""
    return (*order[:4], 0)


def at_the_end(order: Order) -> Order:
    """The same order, after everything that has a time."""
    return (_AFTER_ALL + order[0], *order[1:])


def cursor_of(key: RowKey) -> str:
    return msgspec.json.encode(tuple(_encodable(part) if isinstance(part, str) else part for part in key)).decode()


def read_cursor(text: str) -> RowKey:
    """The key that a cursor stands for; `BadCursor` for anything else."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise BadCursor("this is no cursor of a page: leave it out to begin at the end") from None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
