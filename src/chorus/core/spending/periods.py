"""Quarters of an hour, and the days, weeks and months of a time zone that they fall into."""

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from functools import cache, lru_cache

UNKNOWN = "unknown"
"""The period of what tells no time."""


def quarter(time: str | None) -> str:
    """The quarter of an hour that an instant of a record (UTC) falls into: `2026-02-03T04:15`; "" when there is none.

    Every time zone is a whole number of quarters away from UTC, so that a quarter falls into one day of each.
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
    """A function from a quarter to its day in `zone` (None: the system's); None for the unknown quarter."""

    @cache
    def day(quarter: str) -> date | None:
        try:
            return datetime.fromisoformat(quarter).replace(tzinfo=UTC).astimezone(zone).date()
        except (ValueError, OverflowError, OSError):
            return None

    return day


def week(day: date) -> str:
    """`2026-W05`, by ISO 8601: weeks begin on Monday."""
    year, number, _ = day.isocalendar()
    return f"{year}-W{number:02d}"


def month(day: date) -> str:
    return f"{day:%Y-%m}"
