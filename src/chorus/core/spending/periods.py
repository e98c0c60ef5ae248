"""Quarters of an hour, and their days, weeks and months in a time zone."""

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from functools import cache, lru_cache

UNKNOWN = "unknown"
"""The period of usage without a time."""


def quarter(time: str | None) -> str:
    """Returns the quarter of an hour of a record's time (UTC), like `2026-02-03T04:15`; "" if there is none.

    Every time zone differs from UTC by a whole number of quarters, so a quarter is part of one day in each of them.
    """
    return _quarter(time[:16]) if time else ""


@lru_cache(maxsize=1 << 16)
def _quarter(minute: str) -> str:
    try:
        moment = datetime.fromisoformat(minute)
    except ValueError:
        return ""
    return f"{moment.date()}T{moment.hour:02d}:{moment.minute // 15 * 15:02d}"


def day_in(zone: tzinfo | None) -> Callable[[str], date | None]:
    """Returns a function from a quarter to its day in `zone` (None: the system's), or to None if it has no day."""

    @cache
    def day(quarter: str) -> date | None:
        try:
            return datetime.fromisoformat(quarter).replace(tzinfo=UTC).astimezone(zone).date()
        except (ValueError, OverflowError, OSError):
            return None

    return day


def week(day: date) -> str:
    """Returns the ISO 8601 week, like `2026-W05`. Weeks begin on Monday."""
    year, number, _ = day.isocalendar()
    return f"{year}-W{number:02d}"


def month(day: date) -> str:
    return f"{day:%Y-%m}"
