"""Times of entries as numbers."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from chorus.core.records.times import wire_time

TICK_MS = 256
"""Numbers count ticks of this length. The longer, the less room the index of words takes: it stores differences. The
shorter, the more entries there may be in a second before their numbers run ahead of their times.
"""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


@lru_cache(1 << 12)
def ms_of(time: str) -> int:
    """Milliseconds since 1970 of a time as the client writes it; 0 for what is none, or is before that."""
    try:
        return max(0, int(datetime.fromisoformat(time).timestamp() * 1000 + 0.5))
    except (ValueError, OverflowError, OSError):
        return 0


def first_number(time: str) -> int:
    """The number of an entry of this time, where it is free."""
    return number_at(ms_of(time))


def number_at(ms: int) -> int:
    """As `first_number`, of a time in milliseconds."""
    return ms // TICK_MS + 1


def iso_of(number: int) -> str:
    """The time that a number stands for, as the client writes times; its entry may be earlier.

    Entries of the last moments that the calendar has share the last one of them.
    """
    return iso_at(number * TICK_MS)


def iso_at(ms: int) -> str:
    """A time in milliseconds since 1970 as the client writes times; the last there is for all beyond the calendar."""
    return wire_time(_EPOCH + timedelta(milliseconds=min(ms, _LAST_MS)))
