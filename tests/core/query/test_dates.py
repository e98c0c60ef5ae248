"""Tests of dates as people write them, in their own time zone."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.dates import parse_date
from chorus.core.query.parse import parse
from chorus.core.query.tree import Time
from chorus.errors import QueryError
from tests.core.query.asking import NOW, tree

DATES = r"[0-9]{1,10}([hdwmy]|-[0-9]{1,2}(-[0-9]{1,2}(T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:00)?)?)?)?"


def zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        pytest.skip("this system has no time zones")


def span(text: str, now: datetime = NOW) -> tuple[str, str]:
    found = parse_date(text, now=now)
    return found.start.removesuffix(":00.000Z"), found.end.removesuffix(":00.000Z")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-02-03", "2026-02-03T00:00", "2026-02-04T00:00"),
        ("2026-2-3", "2026-02-03T00:00", "2026-02-04T00:00"),
        ("2026-02", "2026-02-01T00:00", "2026-03-01T00:00"),
        ("2026-12", "2026-12-01T00:00", "2027-01-01T00:00"),
        ("2026", "2026-01-01T00:00", "2027-01-01T00:00"),
        ("2026-02-03T14:00", "2026-02-03T14:00", "2026-02-03T14:01"),
        ("2026-02-03 14:00", "2026-02-03T14:00", "2026-02-03T14:01"),
        ("2026-02-03T14:00:00+02:00", "2026-02-03T12:00", "2026-02-03T12:00:01.000Z"),
        ("2026-02-03t14:00:00.000z", "2026-02-03T14:00", "2026-02-03T14:00:00.001Z"),
        ("today", "2026-02-11T00:00", "2026-02-12T00:00"),
        ("Yesterday", "2026-02-10T00:00", "2026-02-11T00:00"),
        ("wednesday", "2026-02-11T00:00", "2026-02-12T00:00"),
        ("thursday", "2026-02-05T00:00", "2026-02-06T00:00"),
        ("Tue", "2026-02-10T00:00", "2026-02-11T00:00"),
        ("0d", "2026-02-11T00:00", "2026-02-12T00:00"),
        ("7d", "2026-02-04T00:00", "2026-02-05T00:00"),
        ("2w", "2026-01-28T00:00", "2026-01-29T00:00"),
        ("3m", "2025-11-11T00:00", "2025-11-12T00:00"),
        ("1Y", "2025-02-11T00:00", "2025-02-12T00:00"),
        ("12h", "2026-02-11T00:00", "2026-02-12T00:00"),
        ("16h", "2026-02-10T00:00", "2026-02-11T00:00"),
    ],
)
def test_a_name_is_a_span(text: str, start: str, end: str) -> None:
    """A date is a span: a day, month, year or minute.

    A distance means the day that it leads to, and a weekday means the last one, including today.
    """
    assert span(text) == (start, end)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-02-03", "2026-02-03T00:00:00.000Z"),
        ("2026-02", "2026-02-01T00:00:00.000Z"),
        ("7d", "2026-02-04T15:30:00.000Z"),
        ("12h", "2026-02-11T03:30:00.000Z"),
        ("3m", "2025-11-11T15:30:00.000Z"),
    ],
)
def test_before_and_after_meet_where_the_name_begins(text: str, moment: str) -> None:
    """`after:` begins at the first moment of a date, and `before:` ends there; a distance such as `7d` is a moment."""
    assert tree(f"after:{text}") == Time(since=moment)
    assert tree(f"before:{text}") == Time(until=moment)
    assert tree(f"after:{text} before:{text}") == Time(moment, moment)


def test_a_month_ago_exists() -> None:
    """If the month some months ago is too short for the day, the last day of that month is used."""
    assert span("1m", datetime(2026, 3, 31, 12, tzinfo=UTC))[0] == "2026-02-28T00:00"
    assert span("1y", datetime(2028, 2, 29, 12, tzinfo=UTC))[0] == "2027-02-28T00:00"


def test_days_are_those_of_the_person() -> None:
    """The time zone of the person decides when a day begins and which day is today."""
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    hawaii = NOW.astimezone(timezone(timedelta(hours=-10)))

    assert span("today", tokyo) == ("2026-02-11T15:00", "2026-02-12T15:00")
    assert span("today", hawaii) == ("2026-02-11T10:00", "2026-02-12T10:00")
    assert span("2026-02-03T14:00", tokyo)[0] == "2026-02-03T05:00"
    assert span("2026-02-03T14:00Z", tokyo)[0] == "2026-02-03T14:00"


def test_days_when_the_clocks_change() -> None:
    """On a day of a clock change, the day has 23 or 25 hours.

    A distance in days keeps the time of day, and a distance in hours does not.
    """
    berlin = datetime(2026, 3, 30, 12, tzinfo=zone("Europe/Berlin"))

    assert span("2026-03-29", berlin) == ("2026-03-28T23:00", "2026-03-29T22:00")
    assert span("2026-10-25", berlin) == ("2026-10-24T22:00", "2026-10-25T23:00")
    assert span("2026-03", berlin) == ("2026-02-28T23:00", "2026-03-31T22:00")
    assert parse_date("2d", now=berlin).moment == "2026-03-28T11:00:00.000Z"
    assert parse_date("48h", now=berlin).moment == "2026-03-28T10:00:00.000Z"
    # In October the time 2:30 occurs twice, and the first one is used.
    assert span("2026-10-25T02:30", berlin) == ("2026-10-25T00:30", "2026-10-25T00:31")


def test_a_day_without_midnight() -> None:
    """When the clocks skip midnight, the day begins at the moment of the change."""
    sao_paulo = datetime(2018, 11, 10, tzinfo=zone("America/Sao_Paulo"))

    assert span("2018-11-04", sao_paulo) == ("2018-11-04T03:00", "2018-11-05T02:00")
    assert span("2018-11-03", sao_paulo) == ("2018-11-03T03:00", "2018-11-04T03:00")


@pytest.mark.parametrize(
    "texts",
    [
        "0000 0000-01-01 2026-00 2026-01-00 2026-13 2026-02-30 2025-02-29",
        "9999 9999-12-31 10000 99999 0001-01-01T00:00+23:00",
        "1e9d 99999999d 999999999d 9999999999d 99999y 999999999h 999999999w 999999999m",
        "2026-02-03T25:00 2026-02-03T14:60 2026-02-03T14:00+99:00 2026-02-03T14:00.500",
        "2026-02-03T14 T14:00 2026-02-03-04 -7d 7 d 7x tomorrow now 26-02-03 ２０２６",
    ],
)
def test_what_is_no_date_is_refused(texts: str) -> None:
    """A date that is not in the calendar, or is not written like a date, raises a QueryError and no other error."""
    for text in texts.split():
        for key in ("before", "after", "on"):
            with pytest.raises(QueryError, match=r"calendar|not a date"):
                tree(f"{key}:{text}")


@given(
    st.from_regex(DATES, fullmatch=True),
    st.sampled_from(["before", "after", "on"]),
    st.datetimes(timezones=st.timezones() | st.just(UTC)),
)
def test_any_date_at_any_time_is_read_or_refused(text: str, key: str, now: datetime) -> None:
    """Any date in any time zone at any time gives a QueryError or a span that does not end before it begins."""
    try:
        root = parse(f"{key}:{text}", now=now).root
    except QueryError:
        return

    assert isinstance(root, Time)
    assert root.since is None or root.until is None or root.since <= root.until
    assert {len(time) for time in (root.since, root.until) if time is not None} == {24}
