"""Tests of times as the client writes them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.records.times import canonical_time, wire_time

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


@pytest.mark.parametrize(
    "text",
    [
        "zzzz-99-99T99:99:99.999Z",
        "2026-02-30T10:00:00.000Z",
        "2026-13-01T10:00:00.000Z",
        "2026-01-01T25:00:00.000Z",
        "2026/01/01T10:00:00.000Z",
        "",
        "Z",
    ],
)
def test_a_text_in_the_form_of_a_time_that_is_none_is_no_time(text):
    """A text that only looks like a time of the client is not a time, so that it cannot sort after all times."""
    assert canonical_time(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-05T10:00:00.000Z", "2026-01-05T10:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("2026-W02-1T10:00:00.000Z", "2026-01-05T10:00:00.000Z"),
        ("2026-01-05T10:00:00,000Z", "2026-01-05T10:00:00.000Z"),
        ("2026-01-05T100000.00000Z", "2026-01-05T10:00:00.000Z"),
        ("2026-01-05 15:30:00+05:30", "2026-01-05T10:00:00.000Z"),
        ("2026-01-05T10:00:00", "2026-01-05T10:00:00.000Z"),
    ],
)
def test_a_time_in_another_form_is_written_as_the_client_writes_it(text, expected):
    """Times in any form of ISO 8601 become the form of the client, also those that have its length."""
    assert canonical_time(text) == expected
