"""Tests of numbers in the form in which people read them."""

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.items import Tokens
from chorus.core.views import figures


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (12_345, "12k"),
        (999_700, "1.0M"),
        (3_400_000, "3.4M"),
        (10**30, "1000T"),
    ],
)
def test_counts_are_short(number, shown):
    """A count takes about four characters."""
    assert figures.count(number) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(0, "0ms"), (80, "80ms"), (1234, "1.2s"), (59_600, "1m 00s"), (65_000, "1m 05s"), (7_800_000, "2h 10m")],
)
def test_durations_are_short(milliseconds, shown):
    """A duration is shown with a precision that suits its length."""
    assert figures.duration(milliseconds) == shown


def test_costs_keep_what_is_not_zero():
    """A tenth of a cent is not shown as zero."""
    assert [figures.cost(value) for value in (0, 0.0018, 0.0249, 12.4)] == ["$0.00", "$0.0018", "$0.02", "$12.40"]


def test_tokens_read_include_the_cache():
    """The number of tokens that the model read includes cached tokens."""
    assert figures.tokens(Tokens(input=100, cache_read=2000, cache_creation=100, output=42)) == "2.2k in · 42 out"
    assert figures.tokens(Tokens()) == ""


@given(st.floats(), st.integers())
def test_no_number_is_too_odd(odd, number):
    """Infinite, negative and huge numbers from the data have a text too."""
    assert figures.duration(odd) and figures.cost(odd) and figures.count(number) and figures.size(number)


@given(st.text(), st.text())
def test_no_time_is_too_odd(start, end):
    """A text that is not a time raises no error."""
    figures.moment(start, UTC)
    figures.elapsed_ms(start, end)
    figures.span(start, end, UTC)


def test_a_span_names_the_second_day_only_when_it_is_another():
    """A span of one day names it once."""
    start = "2026-01-05T09:00:00Z"

    assert figures.span(start, "2026-01-05T10:30:00Z", UTC) == "5 Jan 2026 09:00 – 10:30"
    assert figures.span(start, "2026-01-06T10:30:00Z", UTC) == "5 Jan 2026 09:00 – 6 Jan 2026 10:30"
    assert figures.span(start, start, UTC) == "5 Jan 2026 09:00"
    assert figures.span(None, start, UTC) == ""


def test_time_does_not_run_backwards():
    """A result that is earlier than its call has no duration."""
    assert figures.elapsed_ms("2026-01-05T09:00:00Z", "2026-01-05T09:00:01Z") == 1000
    assert figures.elapsed_ms("2026-01-05T09:00:01Z", "2026-01-05T09:00:00Z") is None
    assert figures.elapsed_ms("2026-01-05T09:00:01Z", "2026-01-05T09:00:00") is None
