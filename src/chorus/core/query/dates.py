"""Parses dates and times as people write them, in the time zone of the person.

Calculations use local dates and times, and only the result is converted to UTC. So a day on which the clocks change has
its 23 or 25 hours, and `7d` is the same time of day a week ago.
"""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct

from chorus.core.query.quoting import shortened
from chorus.core.records.times import wire_time

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{3})?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_DISTANCE = re.compile(r"([0-9]{1,9})([hdwmy])")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ABBREVIATED = tuple(day[:3] for day in _WEEKDAYS)
_EXAMPLES = "2026-02-03, 2026-02, 2026-02-03T14:00, today, monday, 7d or 12h"
_DAY = timedelta(days=1)
_Times = tuple[datetime, datetime, datetime]


class DateSpan(Struct, frozen=True):
    """The time that a date text refers to, in the format of the client: UTC with milliseconds."""

    moment: str
    """Where it begins; for a distance such as `7d`, this time of day seven days ago."""
    start: str
    """Where the day, month, year, minute… begins; for a distance, the start of the day that it leads to."""
    end: str
    """Where that day, month… ends, exclusive."""


def parse_date(text: str, *, now: datetime) -> DateSpan:
    """Returns what `text` refers to at the time `now`, which must have a time zone.

    Raises ValueError with a message for people if it is not a date, or not a date of the calendar.
    """
    try:
        times = _times(text.lower(), now)
        if times is not None:
            return DateSpan(*map(wire_time, times))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text} is not in the calendar") from error
    raise ValueError(f'"{shortened(text)}" is not a date: write one like {_EXAMPLES}')


def _times(text: str, now: datetime) -> _Times | None:
    if text in ("today", "yesterday"):
        return _from_day(now.date() - _DAY * (text == "yesterday"), now)
    if text in _WEEKDAYS or text in _ABBREVIATED:
        days_ago = (now.weekday() - _ABBREVIATED.index(text[:3])) % 7
        return _from_day(now.date() - _DAY * days_ago, now)
    if (found := _DISTANCE.fullmatch(text)) is not None:
        moment = _ago(int(found[1]), found[2], now)
        return moment, *_from_day(moment.date(), now)[1:]
    if (found := _DATE.fullmatch(text)) is not None:
        return _from_date(found, now)
    if (found := _TIME.fullmatch(text)) is not None:
        return _from_time(found, now)
    return None


def _ago(number: int, unit: str, now: datetime) -> datetime:
    if unit == "h":
        # Hours are elapsed time, even if the clocks change.
        return (now.astimezone(UTC) - timedelta(hours=number)).astimezone(now.tzinfo)
    if unit in "dw":
        return now - _DAY * number * (7 if unit == "w" else 1)
    months = now.year * 12 + now.month - 1 - number * (12 if unit == "y" else 1)
    year, month = months // 12, months % 12 + 1
    return now.replace(year=year, month=month, day=min(now.day, monthrange(year, month)[1]), fold=0)


def _from_date(found: re.Match[str], now: datetime) -> _Times:
    year, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None
    first = date(year, 1 if month is None else month, 1 if day is None else day)
    if day is not None:
        return _from_day(first, now)
    after = date(year + 1, 1, 1) if month is None else date(year + month // 12, month % 12 + 1, 1)
    return _midnight(first, now), _midnight(first, now), _midnight(after, now)


def _from_time(found: re.Match[str], now: datetime) -> _Times:
    seconds, thousandths, zone = found.groups()
    start = datetime.fromisoformat(found[0].upper())
    start = start if zone else start.replace(tzinfo=now.tzinfo)
    length = timedelta(milliseconds=1) if thousandths else timedelta(seconds=1 if seconds else 60)
    return start, start, start.astimezone(UTC) + length


def _from_day(day: date, now: datetime) -> _Times:
    start = _midnight(day, now)
    return start, start, _midnight(day + _DAY, now)


def _midnight(day: date, now: datetime) -> datetime:
    """Returns the start of a day. If the clocks skip midnight, it is the time that midnight would have been."""
    return datetime.combine(day, time.min, now.tzinfo)
