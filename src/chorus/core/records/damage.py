"""A kind of damage that real transcripts have: a truncated record, directly followed by a complete one."""

from chorus.core.records.decode import Refused, decode
from chorus.core.records.model import Value

_MAX_TRIES = 256
_FREE_BYTES = 64 << 10
_FACTOR = 4


def find_splice(text: bytes, start: int) -> tuple[int, Value] | None:
    """Finds the last complete record that begins at or after `start` and ends where `text` ends: its offset and value.

    Returns None if there is none. The search runs backwards: objects inside the record do not reach the end of the
    text, so each attempt except the right one stops early. The number of attempts and of bytes read is bounded for any
    text.
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
        # A block inside the broken record has a type as well. Only an object with envelope fields is a record.
        if value.uuid or value.session_id or value.sessionId:
            return at, value
    return None
