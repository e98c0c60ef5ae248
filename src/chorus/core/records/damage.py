"""Damage that real transcripts have: a record cut off in the middle, with a whole one written right behind it."""

from chorus.core.records.decode import Refused, decode
from chorus.core.records.model import Value

_MAX_TRIES = 256
_FREE_BYTES = 64 << 10
_FACTOR = 4


def find_splice(text: bytes, start: int) -> tuple[int, Value] | None:
    """The last whole record that ends where `text` ends, if one begins at `start` or later: where, and its value.

    Looked for from the end: objects inside the record do not reach the end of the text, so each try but the right one
    stops early. Tries and bytes are bounded, whatever the text.
    """
    budget = _FREE_BYTES + _FACTOR * len(text)
    at = len(text)
    for _ in range(_MAX_TRIES):
        at = text.rfind(b'{"', start, at)
        if at < 0:
            return None
        budget -= len(text) - at
        if budget < 0:
            return None
        try:
            value = decode(text[at:])
        except Refused:
            continue
        # A block inside the broken record has a type as well; only an envelope makes a record of its own.
        if value.uuid or value.session_id or value.sessionId:
            return at, value
    return None
