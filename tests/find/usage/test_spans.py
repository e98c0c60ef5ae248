"""Tests the days of a person as quarters of an hour in UTC."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.spending.periods import UNKNOWN, day_in, quarter
from chorus.find.usage.spans import hour_namer, period_namer, span_of

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe")


@given(
    zone=st.sampled_from(ZONES),
    since=st.dates(date(1999, 1, 1), date(2040, 1, 1)),
    length=st.integers(0, 40),
    at=st.integers(-200, 5_000),
)
def test_a_span_has_the_quarters_of_its_days(zone, since, length, at):
    """A quarter is in the span if its day in the zone is one of the days, also where clocks change."""
    known, until = ZoneInfo(zone), since + timedelta(days=length)
    moment = datetime(since.year, since.month, since.day, tzinfo=UTC) + timedelta(minutes=15 * at)
    text = quarter(moment.isoformat())
    span = span_of(since, until, known)
    assert span is not None
    day = day_in(known)(text)
    assert span.has(text) == (day is not None and since <= day <= until)


def test_no_days_are_no_span():
    """Without days there is no limit; usage without a time is in no span."""
    assert span_of(None, None, UTC) is None
    span = span_of(date.min, date.max, UTC)
    assert span is not None
    assert span.has("2026-01-01T00:00")
    assert not span.has("")


def test_hours_are_those_of_the_person():
    """A quarter belongs to the weekday and the hour in the zone."""
    assert hour_namer(ZoneInfo("Asia/Kathmandu"))("2026-02-01T18:30") == "mon-00"
    assert hour_namer(UTC)("2026-02-01T18:30") == "sun-18"
    assert hour_namer(UTC)("") == UNKNOWN


def test_only_periods_have_names():
    """A grouping that is no period is refused."""
    with pytest.raises(ValueError, match="no period"):
        period_namer("model", UTC)
