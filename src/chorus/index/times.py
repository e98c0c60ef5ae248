"""Times of entries as numbers."""

from datetime import datetime
from functools import lru_cache


@lru_cache(1 << 12)
def ms_of(time: str) -> int:
    """Milliseconds since 1970 of a time as the client writes it; 0 for what is none, or is before that."""
    try:
        return max(0, int(datetime.fromisoformat(time).timestamp() * 1000 + 0.5))
    except (ValueError, OverflowError, OSError):
        return 0
