"""Tests of counts by untrusted names, which are limited in number and length."""

from chorus.lab.census.names import MAX_LENGTH, MAX_NAMES, REST, Names


def test_random_names_do_not_fill_the_memory():
    """Above the limit, new names are counted together, and known names are still counted separately."""
    names = Names()
    for n in range(MAX_NAMES + 5):
        names.count(f"n{n}")
    names.count("n0")

    assert len(names) == MAX_NAMES + 1
    assert (names["n0"], names[REST], sum(names.values())) == (2, 5, MAX_NAMES + 6)


def test_long_names_are_cut():
    """A long name is cut to a maximum length and is counted under the same name each time."""
    names = Names()
    names.count("x" * 10_000)
    names.count("x" * 10_000)

    assert names == {"x" * MAX_LENGTH: 2}


def test_rank():
    """Names are sorted by frequency, most frequent first, and then by name."""
    names = Names()
    for name in "cabbc":
        names.count(name)

    assert list(names.ranked().items()) == [("b", 2), ("c", 2), ("a", 1)]
