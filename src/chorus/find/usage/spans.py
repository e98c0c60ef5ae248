"""Days of a person, and the quarters of an hour (UTC) that they consist of."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache

from chorus.core.spending import periods
from chorus.find.index.groups import Span

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FIRST, _LAST = "0001-01-01T00:00", "9999-12-31T23:45"
_QUARTER = timedelta(minutes=15)
_SEARCHED = timedelta(hours=30)


def span_of(since: date | None, until: date | None, zone: tzinfo | None) -> Span | None:
    """Returns the quarters of the days from `since` to `until`, both inclusive; None if neither is given."""
    if since is None and until is None:
        return None
    first = _start_of(since, zone) if since is not None else _FIRST
    last = _LAST if until is None or until == date.max else _start_of(until + timedelta(days=1), zone)
    return Span(first, last)


def _start_of(day: date, zone: tzinfo | None) -> str:
    """Returns the first quarter whose day in the zone is `day` or later."""
    in_zone = periods.day_in(zone)
    try:
        moment = datetime.combine(day, time(), UTC) - _SEARCHED
    except OverflowError:
        return _FIRST
    while (found := in_zone(_text(moment))) is None or found < day:
        try:
            moment += _QUARTER
        except OverflowError:
            return _LAST
    return _text(moment)


def _text(moment: datetime) -> str:
    return f"{moment.date()}T{moment:%H:%M}"


def period_namer(by: str, zone: tzinfo | None) -> Callable[[str], str]:
    """Returns a function from a quarter to its day, week, month or hour of the week in the zone.

    Raises `ValueError` for anything else. A quarter without a time is `unknown`.
    """
    if by == "hour":
        return hour_namer(zone)
    named = {"day": date.isoformat, "week": periods.week, "month": periods.month}.get(by)
    if named is None:
        raise ValueError(f"no period: {by}")
    day = periods.day_in(zone)

    def period(quarter: str) -> str:
        when = day(quarter)
        return periods.UNKNOWN if when is None else named(when)

    return period


def hour_namer(zone: tzinfo | None) -> Callable[[str], str]:
    """Returns a function from a quarter to its weekday and hour in the zone, such as `mon-09`."""

    @cache
    def hour(quarter: str) -> str:
        try:
            moment = datetime.fromisoformat(quarter).replace(tzinfo=UTC).astimezone(zone)
        except (ValueError, OverflowError, OSError):
            return periods.UNKNOWN
        return f"{WEEKDAYS[moment.weekday()]}-{moment.hour:02d}"

    return hour
