"""Tests percentiles that are computed from classes of durations."""

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from chorus.find.index.durations import ERROR, NO_CLASS, class_of, middle_ms, percentile_ms


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=200),
    st.lists(st.integers(0, 10**9), max_size=50),
    st.sampled_from([0.5, 0.95, 1.0]),
)
def test_a_percentile_is_close(some, more, share):
    """The percentile of added-up classes is at most 4.5 % off the true one (nearest rank), or half a millisecond."""
    counts = {}
    for duration in [*some, *more]:
        counts[class_of(duration)] = counts.get(class_of(duration), 0) + 1
    true = sorted([*some, *more])[max(1, ceil(share * len(some + more))) - 1]
    found = percentile_ms(counts, share)
    assert found is not None
    assert abs(found - true) <= max(ERROR * true * 1.000001, 0.5)


def test_what_has_no_duration_is_not_counted():
    """Without any duration the percentile is unknown, and not 0."""
    assert ERROR < 0.045
    assert class_of(None) == NO_CLASS
    assert percentile_ms({NO_CLASS: 9}, 0.5) is None
    assert percentile_ms({}, 0.5) is None
    assert percentile_ms({NO_CLASS: 9, class_of(0): 1}, 0.5) == 0.0
    assert middle_ms(class_of(1 << 60)) > 1e14
