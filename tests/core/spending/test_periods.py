"""Tests of quarter hours and of days in a time zone."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.spending.periods import day_in, month, quarter, week


@pytest.mark.parametrize(
    ("time", "found"),
    [
        ("2026-02-03T04:14:59.999Z", "2026-02-03T04:00"),
        ("2026-02-03T04:15:00.000Z", "2026-02-03T04:15"),
        ("2026-02-03T23:59:00.000Z", "2026-02-03T23:45"),
        (None, ""),
        ("", ""),
        ("xxxx-99-99T99:99:99.999Z", ""),
        ("2026-02-31T04:14:59.999Z", ""),
        ("2026", ""),
    ],
)
def test_a_time_has_its_quarter(time, found):
    """A time belongs to a quarter hour, and a text of any length that is not a time has none."""
    assert quarter(time) == found


@given(
    st.integers(1_325_376_000, 2_840_140_800),  # from 2012, when the last time zone stopped using odd minutes, to 2060
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham", "Asia/Kolkata"]),
)
def test_a_quarter_falls_into_the_day_of_its_time(seconds, name):
    """A quarter hour belongs to the day of its time in every zone and over every clock change.

    This includes zones with an offset of half or three quarters of an hour.
    """
    zone, moment = ZoneInfo(name), datetime.fromtimestamp(seconds, UTC)
    time = f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"

    assert day_in(zone)(quarter(time)) == moment.astimezone(zone).date()


def test_the_unknown_quarter_has_no_day():
    """An unknown quarter hour has no day, and neither has one outside the calendar of that zone."""
    assert day_in(UTC)("") is None
    assert day_in(timezone(timedelta(hours=-5)))("0001-01-01T00:00") is None


def test_weeks_begin_on_monday():
    """Weeks follow ISO 8601, so the first days of a year may belong to the last week of the year before."""
    assert week(date(2026, 1, 1)) == "2026-W01"
    assert week(date(2027, 1, 1)) == "2026-W53"
    assert (week(date(2026, 2, 8)), week(date(2026, 2, 9))) == ("2026-W06", "2026-W07")
    assert month(date(2026, 2, 9)) == "2026-02"
