"""Days that people name."""

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
    """By a date, or by how long ago it was; a month has a first and a last day. Days are those of the zone."""
    for zone in (UTC, ZoneInfo("Pacific/Auckland"), ZoneInfo("America/New_York")):
        assert days_named(text, now=datetime(2026, 3, 10, 13, 30, tzinfo=zone)) == (first, last)


@pytest.mark.parametrize("text", ["", "2026-02-30", "tomorrow", "7 days", "2026-13-01", "\x1b[2J"])
def test_what_is_no_day_is_an_error_that_shows_how(text):
    """With an example of each form, or by saying that the calendar has no such day."""
    with pytest.raises(ChorusError, match=r"is not a date: write one like 2026-02-03|is not in the calendar"):
        days_named(text, now=datetime(2026, 3, 10, tzinfo=UTC))
