"""Converts times of entries to numbers."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from chorus.core.records.times import wire_time

TICK_MS = 256
"""Entry numbers count ticks of this length. Longer ticks make the word index smaller, because it stores differences.
Shorter ticks allow more entries per second before their numbers run ahead of their times.
"""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


@lru_cache(1 << 12)
def ms_of(time: str) -> int:
    """Returns a time of the client as milliseconds since 1970; 0 for an invalid time or one before 1970."""
    try:
        return max(0, int(datetime.fromisoformat(time).timestamp() * 1000 + 0.5))
    except (ValueError, OverflowError, OSError):
        return 0


def first_number(time: str) -> int:
    """Returns the number of an entry with this time, if that number is free."""
    return number_at(ms_of(time))


def number_at(ms: int) -> int:
    """Like `first_number`, for a time in milliseconds."""
    return ms // TICK_MS + 1


def iso_at(ms: int) -> str:
    """Returns milliseconds since 1970 as a time in the client's format; times beyond the calendar become its last
    moment.
    """
    return wire_time(_EPOCH + timedelta(milliseconds=min(ms, _LAST_MS)))
