"""Tests of the values of `usage:`."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.describe import value_text
from chorus.core.query.parse import parse
from chorus.core.query.tree import Field
from chorus.core.query.usage_lines import GROUPINGS, UsageLine, parse_usage_line
from chorus.errors import QueryError

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@given(
    st.builds(
        UsageLine,
        st.sampled_from(GROUPINGS),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40),
        st.none() | st.dates(),
        st.none() | st.dates(),
    )
)
def test_a_line_is_read_back(line):
    """For any name of a tool or model, the query term of a line is parsed back into that line."""
    assert parse_usage_line(line.value) == line
    query = parse(f"usage:{value_text('usage', line.value)}", now=NOW)
    assert query.root == Field("usage", line.value)


@pytest.mark.parametrize("text", ["x", "day", "day=", "year=2026", "2026-13-01..:day=x", "..x:day=1"])
def test_anything_else_is_an_error(text):
    """A value that names no line is refused, and the error names its place in the query."""
    with pytest.raises(QueryError) as error:
        parse(f"one usage:{text}", now=NOW)
    assert error.value.start == len("one usage:")


def test_days_are_part_of_a_line():
    """A usage line may be limited to certain days."""
    assert parse_usage_line("2026-02-01..:tool=Bash") == UsageLine("tool", "Bash", date(2026, 2, 1), None)
