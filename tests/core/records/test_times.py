"""Tests of times as the client writes them."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.records.times import wire_time

MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.timezones())  # noqa: DTZ001


def test_a_moment_is_written_in_utc_to_the_millisecond():
    """A time in any zone is written in UTC to the millisecond."""
    moment = datetime(2026, 2, 3, 4, 5, 6, 789_999, timezone(timedelta(hours=-5, minutes=-30)))

    assert wire_time(moment) == "2026-02-03T09:35:06.789Z"
    assert wire_time(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000Z"


@given(MOMENTS, MOMENTS)
def test_texts_sort_as_the_times_do(one, other):
    """Written times sort like the times themselves, to the millisecond, and have the length that the client uses."""
    assert len(wire_time(one)) == 24
    if one.astimezone(UTC) <= other.astimezone(UTC):
        assert wire_time(one) <= wire_time(other)
