"""Tests of days as people name them."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from chorus.core.spending.named_days import days_named
from chorus.errors import ChorusError


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-02-03", date(2026, 2, 3), date(2026, 2, 3)),
        ("2026-02", date(2026, 2, 1), date(2026, 2, 28)),
        ("today", date(2026, 3, 10), date(2026, 3, 10)),
        ("Yesterday", date(2026, 3, 9), date(2026, 3, 9)),
        ("monday", date(2026, 3, 9), date(2026, 3, 9)),
        ("7d", date(2026, 3, 3), date(2026, 3, 3)),
        ("2w", date(2026, 2, 24), date(2026, 2, 24)),
        (" 0d ", date(2026, 3, 10), date(2026, 3, 10)),
    ],
)
def test_days_are_named_as_in_queries(text, first, last):
    """A day is named by a date or by how long ago it was, in the time zone of the person.

    A month has a first and a last day.
    """
    for zone in (UTC, ZoneInfo("Pacific/Auckland"), ZoneInfo("America/New_York")):
        assert days_named(text, now=datetime(2026, 3, 10, 13, 30, tzinfo=zone)) == (first, last)


@pytest.mark.parametrize("text", ["", "2026-02-30", "tomorrow", "7 days", "2026-13-01", "\x1b[2J"])
def test_what_is_no_day_is_an_error_that_shows_how(text):
    """A text that is not a day is an error that shows an example of each form, or says that the day does not exist."""
    with pytest.raises(ChorusError, match=r"is not a date: write one like 2026-02-03|is not in the calendar"):
        days_named(text, now=datetime(2026, 3, 10, tzinfo=UTC))
