"""Tests of the turn to which a moment belongs."""

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.spending.prompts import NO_PROMPTS, Prompts

TIMES = st.integers(0, 30).map(lambda number: f"2026-02-01T10:00:{number:02d}.000Z")


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.none() | TIMES), max_size=30), TIMES)
def test_a_moment_belongs_to_the_last_prompt_before_it(changes, moment):
    """After any additions, moves and removals of prompts, a moment belongs to the last prompt that is not later."""
    prompts, known = Prompts(), {}
    for item, time in changes:
        if time is None:
            prompts.remove(item)
            known.pop(item, None)
        else:
            prompts.put(item, time)
            known[item] = time
    earlier = [(time, item) for item, time in known.items() if time <= moment]
    assert prompts.before(moment) == (" ".join(max(earlier)) if earlier else "")
    assert len(prompts) == len(known)


def test_changes_are_reported_once():
    """The earliest time from which turns may have changed is returned once."""
    prompts = Prompts()
    prompts.put("a", "5")
    prompts.put("b", "3")
    assert prompts.take_change() == "3"
    prompts.put("b", "3")
    assert prompts.take_change() is None
    prompts.put("b", "7")
    assert prompts.take_change() == "3"
    assert NO_PROMPTS.before("9") == prompts.before(None) == ""
