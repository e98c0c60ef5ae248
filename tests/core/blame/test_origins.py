"""Tests that lines are followed through versions by their content, and that uncertain lines have no origin."""

from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.alignment.lines import align
from chorus.core.blame.origins import Certainty, Edit, Means, Version, follow, origins_in

ONE, TWO = Edit("one", call="c1"), Edit("two", call="c2")
LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "", "}"]), max_size=25)


def text(words: str) -> list[str]:
    return words.split()


def whom(origins) -> list[str]:
    """Returns the conversation of each line, or `-`."""
    return [origin.edit.conversation if origin else "-" for origin in origins]


@given(LINES, LINES)
def test_aligned_lines_are_equal_and_in_order(old, new):
    """Every pair consists of equal lines, and positions increase in both texts."""
    pairs = align(old, new)

    assert all(old[a] == new[b] for a, b in pairs)
    assert all(left[0] < right[0] and left[1] < right[1] for left, right in pairwise(pairs))


@given(st.lists(st.integers(0, 40).map(str), max_size=40, unique=True), st.data())
def test_texts_of_unique_lines_are_aligned_completely(lines, data):
    """If some lines of a text are removed, all remaining lines are aligned."""
    kept = data.draw(st.lists(st.sampled_from(lines), unique=True)) if lines else []
    rest = [line for line in lines if line in kept]

    assert len(align(lines, rest)) == len(rest)


def test_a_long_change_costs_no_comparison_of_every_line_with_every_line():
    """Two texts of 20,000 lines are aligned by the lines that are unique in both, without comparing all pairs."""
    old = [f"line {number}" for number in range(20_000)]
    new = [f"new {number}" if number % 2 else f"line {number}" for number in range(20_000)]

    assert len(align(old, new)) == 10_000


def test_each_line_belongs_to_the_edit_that_wrote_it():
    """Lines keep their origin while others are added before, between and after them."""
    versions = [
        Version(text("a b c"), None),
        Version(text("a x b c"), ONE),
        Version(text("z a x b c"), None),
        Version(text("z a x y b"), TWO),
    ]
    last = follow(versions)[-1]

    assert whom(last) == ["-", "-", "one", "two", "-"]
    assert {origin.certainty for origin in last if origin} == {Certainty.EXACT}


def test_an_edit_without_the_version_before_wrote_nothing_for_certain():
    """If the first known version comes from an edit of an existing file, its lines have no origin."""
    assert whom(follow([Version(text("a b"), ONE, follows=False)])[0]) == ["-", "-"]
    assert whom(follow([Version([], None), Version(text("a b"), ONE)])[1]) == ["one", "one"]


def test_a_gap_makes_an_origin_less_certain():
    """If something may have happened between two versions, the origin is likely and not exact."""
    origins = follow([Version(text("a"), None), Version(text("a b"), ONE, follows=False)])[-1]

    assert [origin.certainty if origin else None for origin in origins] == [None, Certainty.LIKELY]


def test_lines_of_a_commit_are_found_in_the_closest_version():
    """A commit with an earlier version and further changes by a person is attributed line by line."""
    versions = [Version([], None), Version(text("a b c d e f"), ONE), Version(text("q r s"), TWO)]
    found = follow(versions)

    assert whom(origins_in(text("a b person d e f"), versions, found)) == ["one", "one", "-", "one", "one", "one"]
    assert whom(origins_in(text("nothing in common"), versions, found)) == ["-", "-", "-"]


def test_a_reformatted_line_stays_with_its_edit():
    """A line in which only blanks changed keeps its origin as likely; a short line has no origin."""
    versions = [Version([], None), Version(["def go( x ):", "return  x+1", "}"], ONE)]
    origins = origins_in(["def go(x):", "    return x + 1", " }"], versions, follow(versions))

    assert whom(origins) == ["one", "one", "-"]
    assert {origin.certainty for origin in origins if origin} == {Certainty.LIKELY}


def test_a_short_line_that_a_formatter_moved_is_not_the_formatters():
    """If an agent runs a formatter, brackets and the like are not taken from whom they belong to."""
    versions = [
        Version(["go(x) {", "  a = 1", "}"], None),
        Version(["go(x) {", "    a = 1", " }"], ONE, means=Means.COMMAND),
    ]

    assert whom(follow(versions)[-1]) == ["-", "-", "-"]


@pytest.mark.parametrize("means", [None, Means.COMMAND], ids=["person", "command"])
def test_a_formatter_that_splits_and_joins_lines_writes_none(means):
    """Lines that a formatter broke differently stay with whom they belonged to; those of two origins have none."""
    formatter = Version(
        [
            "total = compute(",
            "    'a',",
            "    'b',",
            ")",
            "else:",
            "  first = 1",
            "mine = list(1, 2)",
            "joined = 1 2",
            "else:",
        ],
        TWO if means else None,
        means=means or Means.EDITOR,
    )
    versions = [
        Version(["mine = list(1,", "2)", "joined = 1", "else:"], None),
        Version(
            [
                'total = compute("a", "b")',
                "else:",
                "    first = 1",
                "mine = list(1,",
                "2)",
                "joined = 1",
                " 2",
                "else:",
            ],
            ONE,
        ),
        formatter,
    ]
    found = follow(versions)[-1]

    assert whom(found) == ["one", "-", "-", "-", "one", "one", "-", "-", "-"]
    assert [origin.certainty for origin in found if origin] == [Certainty.LIKELY, Certainty.EXACT, Certainty.LIKELY]


@given(LINES, LINES)
def test_alignment_finds_about_as_much_as_a_full_comparison(old, new):
    """The alignment finds at least one pair if a full comparison finds any."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    full = sum(block.size for block in blocks)

    assert len(align(old, new)) >= (1 if full else 0)


def test_a_formatter_between_two_edits_takes_nothing_away():
    """If the formatter of a person changes blanks between two edits, earlier lines keep their origin as likely."""
    versions = [
        Version([], None),
        Version(["total=1", "other=2"], ONE),
        Version(["total = 1", "other = 2"], None),
        Version(["total = 1", "other = 2", "third = 3"], TWO),
    ]

    assert whom(follow(versions)[-1]) == ["one", "one", "two"]
